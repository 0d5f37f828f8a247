"""Whether what is said of anchored functions is true half a year of real commits later.

    python -m bench.code.history --repo FOLDER [--repo FOLDER …] [--days 182] [--functions 34]

A FOLDER is a git checkout or mirror of a Python project; it is cloned and not written to. Functions
are drawn at the older commit, half of them from files that changed since. The truth is worked out
with Python's own parser, which knows nothing of ours: a function of the same name and place, or one
that says the same elsewhere, is compared tree by tree, comments and layout left out.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import json
import random
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from loremap.code.anchored_files import Checkout
from loremap.code.anchors import symbol_anchor
from loremap.code.checkout import Code
from loremap.code.repository import repository_at
from loremap.memory.recall.freshness import judged
from loremap.model.anchor import Freshness
from loremap.model.paths import is_test_path

RESULTS = Path(__file__).parents[1] / "results" / "history.json"
LEAST_RIGHT = 97.0
FEWEST_LINES = 4
STILL_LIKE = 0.6
"""The share of lines that makes a function of the same name elsewhere the same one, changed."""


@dataclass(frozen=True, slots=True)
class Function:
    """A function as Python's parser sees it."""

    path: str
    name: str
    tree: str
    lines: tuple[str, ...]


def functions(root: Path) -> Iterator[Function]:
    """Every function of a checkout whose name is there once in its file; tests left out."""
    for path in sorted(root.rglob("*.py")):
        relative = path.relative_to(root).as_posix()
        try:
            source = path.read_text("utf-8")
            found = list(_in_tree(ast.parse(source), "", relative, source.splitlines()))
        except (SyntaxError, UnicodeDecodeError):
            continue
        times = Counter(one.name for one in found)
        yield from (one for one in found if times[one.name] == 1)


def _in_tree(node: ast.AST, prefix: str, path: str, lines: list[str]) -> Iterator[Function]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            name = f"{prefix}{child.name}"
            if not isinstance(child, ast.ClassDef):
                first = min([child.lineno, *(each.lineno for each in child.decorator_list)])
                said = tuple(line.strip() for line in lines[first - 1 : child.end_lineno])
                yield Function(path, name, _unnamed(child), said)
            yield from _in_tree(child, f"{name}.", path, lines)
        else:
            yield from _in_tree(child, prefix, path, lines)


def _unnamed(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    called, node.name = node.name, ""
    said = ast.dump(node)
    node.name = called
    return said


def truth(before: Function, after: dict[tuple[str, str], Function]) -> Freshness:
    """What became of a function."""
    here = after.get((before.path, before.name))
    if here is not None:
        return Freshness.FRESH if here.tree == before.tree else Freshness.DRIFTED
    if any(one.tree == before.tree for one in after.values()):
        return Freshness.FRESH
    last = before.name.rpartition(".")[2]
    alike = (
        difflib.SequenceMatcher(None, before.lines, one.lines).ratio()
        for one in after.values()
        if one.name.rpartition(".")[2] == last
    )
    return Freshness.DRIFTED if max(alike, default=0.0) >= STILL_LIKE else Freshness.ORPHANED


def drawn(before: list[Function], changed: set[str], count: int) -> list[Function]:
    """So many functions, half of them from files that changed."""
    chance = random.Random(11)
    long = [one for one in before if len(one.lines) >= FEWEST_LINES and not is_test_path(one.path)]
    chosen = chance.sample([one for one in long if one.path in changed], count // 2)
    rest = [one for one in long if one not in chosen]
    return chosen + chance.sample(rest, count - len(chosen))


def compared(source: Path, folder: Path, *, days: int, count: int) -> list[dict[str, str]]:
    """What is said and what is true of functions of one repository."""
    root = folder / "checkout"
    subprocess.run(["git", "clone", "-q", str(source), str(root)], check=True)
    newer = _git(root, "rev-parse", "HEAD")
    at = datetime.fromisoformat(_git(root, "show", "-s", "--format=%cI", newer))
    older = _git(root, "rev-list", "-1", f"--before={at - timedelta(days=days)}", "HEAD")
    changed = set(_git(root, "diff", "--name-only", older, newer).splitlines())
    _git(root, "checkout", "-q", older)
    chosen = drawn(list(functions(root)), changed, count)
    repository, graphs = repository_at(root), folder / "graphs"
    with_code = Code(repository, graphs=graphs)
    with_code.scan()
    view = Checkout(repository, code=with_code, graphs=graphs).look()
    assert view is not None
    anchors = [symbol_anchor(one.path, one.name, view) for one in chosen]
    _git(root, "checkout", "-q", newer)
    with_code.scan()
    view = Checkout(repository, code=with_code, graphs=graphs).look()
    assert view is not None
    after = {(one.path, one.name): one for one in functions(root)}
    told = []
    for one, anchor in zip(chosen, anchors, strict=True):
        check = judged([anchor], view)
        assert check is not None
        told.append({
            "function": f"{one.path}::{one.name}", "true": truth(one, after).value,
            "said": check.freshness.value, "why": check.why,
        })  # fmt: skip
    with_code.close()
    return told


def _git(root: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def main() -> None:
    """Print the figures and keep them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repo", type=Path, action="append", required=True)
    parser.add_argument("--days", type=int, default=182)
    parser.add_argument("--functions", type=int, default=34)
    given = parser.parse_args()
    told = []
    for source in given.repo:
        with tempfile.TemporaryDirectory() as folder:
            told += compared(source, Path(folder), days=given.days, count=given.functions)
    wrong = [one for one in told if one["said"] != one["true"]]
    false_fresh = [one for one in wrong if one["said"] == Freshness.FRESH.value]
    right = round(100 * (1 - len(wrong) / len(told)), 1)
    figures = {
        "functions": len(told), "true": dict(Counter(one["true"] for one in told)),
        "right": right, "false fresh": len(false_fresh), "wrong": wrong,
    }  # fmt: skip
    print(json.dumps(figures, indent=1))
    RESULTS.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")
    if right < LEAST_RIGHT or false_fresh:
        print(f"MISSED: {right} % right (at least {LEAST_RIGHT}), {len(false_fresh)} falsely fresh")


if __name__ == "__main__":
    main()

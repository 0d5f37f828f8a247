"""Compares the definitions we find with those of Python's `ast` and of universal-ctags.

    python -m bench.code.definitions --repos FOLDER [--sample 100]

Python must be equal: name, line, kind and nesting of every function and class. TypeScript and Go
are compared by name and line with what ctags finds; what only we find is sampled for the eye.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import subprocess
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tree_sitter import Query, QueryCursor

from loremap.code.extraction.extract import extract
from loremap.code.facts import FileFacts
from loremap.code.languages import language_of, tools

_PYTHON = ("django", "pytest", "astropy")
_CTAGS = {
    "TypeScript": (("hono", "zod", "trpc"), ("typescript", "tsx"), "fcigmaG"),
    "Go": (("gin", "prometheus"), ("go",), "ftsina"),
}
_SHOWN = ("function", "method", "class", "type")
_ANONYMOUS = ("anonymousFunction", "anonymousClass", "__anon")
_RESERVED = frozenset(
    "as catch extends for from function if in instanceof return satisfies switch true while".split()
)
"""Words that ctags now and then takes for a name and that can be none."""
_SKIPPED = frozenset({".git", "node_modules"})


class Row(NamedTuple):
    """How one repository compares."""

    repository: str
    files: int
    theirs: int
    both: int
    ours_only: int

    @property
    def found(self) -> float:
        return self.both / self.theirs if self.theirs else 1.0


def main() -> None:
    """Prints one table for all repositories, and a sample of what only we find."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repos", type=Path, required=True)
    parser.add_argument("--sample", type=int, default=0, help="print so many of ours alone")
    parser.add_argument("--missed", type=int, default=0, help="print so many of theirs alone")
    options = parser.parse_args()
    rows = [python_row(options.repos, name) for name in _PYTHON]
    ours: list[str] = []
    theirs: list[str] = []
    for names, languages, kinds in _CTAGS.values():
        for name in names:
            row, only_ours, only_theirs = ctags_row(options.repos / name, languages, kinds)
            rows.append(row)
            ours += only_ours
            theirs += only_theirs
    print(f"{'repository':<14}{'files':>7}{'theirs':>8}{'both':>8}{'found':>9}{'ours only':>11}")
    for row in rows:
        counts = f"{row.files:>7}{row.theirs:>8}{row.both:>8}{row.found:>9.2%}{row.ours_only:>11}"
        print(f"{row.repository:<14}{counts}")
    for title, lines, count in (("ours", ours, options.sample), ("theirs", theirs, options.missed)):
        for line in random.Random(3).sample(lines, min(count, len(lines))):
            print(f"only {title}: {line}")


def sources(root: Path, languages: tuple[str, ...]) -> Iterator[Path]:
    """The files of a repository in some languages."""
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(one for one in folders if one not in _SKIPPED)
        for name in sorted(names):
            if language_of(name) in languages:
                yield Path(folder, name)


def python_row(repos: Path, name: str) -> Row:
    """How our Python definitions compare with those of `ast`."""
    files = theirs = both = ours_only = 0
    for path in sources(repos / name, ("python",)):
        text = path.read_bytes()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                wanted = set(_parsed(ast.parse(text), (), in_class=False))
        except (SyntaxError, ValueError):
            continue
        got = set(_ours(extract(text, "python")))
        files += 1
        theirs += len(wanted)
        both += len(wanted & got)
        ours_only += len(got - wanted)
    return Row(name, files, theirs, both, ours_only)


Tag = tuple[str, str, int]
"""Path, name and line."""
Found = tuple[tuple[str, ...], int, str]


def _parsed(node: ast.AST, holders: tuple[str, ...], *, in_class: bool) -> Iterator[Found]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            is_class = isinstance(child, ast.ClassDef)
            kind = "class" if is_class else "method" if in_class else "function"
            yield (*holders, child.name), child.lineno, kind
            yield from _parsed(child, (*holders, child.name), in_class=is_class)
        else:
            inside = in_class and not isinstance(child, ast.Lambda)
            yield from _parsed(child, holders, in_class=inside)


def _ours(facts: FileFacts) -> Iterator[Found]:
    for one in facts.definitions[1:]:
        if one.kind not in _SHOWN or one.name.startswith("<"):
            continue
        holders = [one.name]
        at = one.parent
        while at:
            holders.append(facts.definitions[at].name)
            at = facts.definitions[at].parent
        named = tuple(name for name in reversed(holders) if not name.startswith("<"))
        yield named, one.start_line, one.kind


def ctags_row(
    root: Path, languages: tuple[str, ...], kinds: str
) -> tuple[Row, list[str], list[str]]:
    """How our definitions compare with those of ctags, and what only one of us finds."""
    paths = list(sources(root, languages))
    wanted = _tagged(root, paths, kinds)
    for path in paths:
        wanted -= _brought_in(root, path, wanted)
    got: set[Tag] = set()
    for path in paths:
        language = language_of(path.name)
        if language is None:
            continue
        facts = extract(path.read_bytes(), language)
        for named, line, _ in _ours(facts):
            got.add((path.relative_to(root).as_posix(), named[-1], line))
    # ctags gives the line on which it was sure, which is now and then the one after the name.
    wanted = {
        (path, name, line - 1)
        if (path, name, line) not in got and (path, name, line - 1) in got
        else (path, name, line)
        for path, name, line in wanted
    }
    row = Row(root.name, len(paths), len(wanted), len(wanted & got), len(got - wanted))
    ours = [f"{root.name}/{path}:{line} {name}" for path, name, line in sorted(got - wanted)]
    theirs = [f"{root.name}/{path}:{line} {name}" for path, name, line in sorted(wanted - got)]
    return row, ours, theirs


def _tagged(root: Path, paths: list[Path], kinds: str) -> set[Tag]:
    listing = "\n".join(str(path) for path in paths)
    command = ["ctags", "--output-format=json", "--fields=+n", "--langmap=TypeScript:+.tsx"]
    command += [f"--kinds-TypeScript={kinds}", f"--kinds-Go={_only_go(kinds)}"]
    command += ["-L", "-", "-o", "-"]
    done = subprocess.run(command, input=listing, capture_output=True, text=True, check=True)
    found: set[Tag] = set()
    for line in done.stdout.splitlines():
        tag = json.loads(line)
        if tag.get("_type") != "tag":
            continue
        name = tag["name"]
        if name not in _RESERVED and not name.startswith(_ANONYMOUS):
            path = Path(tag["path"]).relative_to(root).as_posix()
            found.add((path, name.strip("'\"`"), tag["line"]))
    return found


def _brought_in(root: Path, path: Path, tags: set[Tag]) -> set[Tag]:
    """The tags of a file that define nothing: names in import and export lists, which ctags takes
    for aliases where they follow the word `type`."""
    language = language_of(path.name)
    if language not in ("typescript", "tsx"):
        return set()
    relative = path.relative_to(root).as_posix()
    kit = tools(language)
    grammar = kit.parser.language
    if grammar is None:
        return set()
    query = Query(grammar, "(import_statement) @list (export_clause) @list")
    tree = kit.parser.parse(path.read_bytes())
    nodes = QueryCursor(query).captures(tree.root_node).get("list", [])
    lines = {
        line for node in nodes for line in range(node.start_point[0] + 1, node.end_point[0] + 2)
    }
    return {tag for tag in tags if tag[0] == relative and tag[2] in lines}


def _only_go(kinds: str) -> str:
    return "".join(kind for kind in kinds if kind in "ftsina")


if __name__ == "__main__":
    main()

"""How well and how fast it is told what became of the code that memories speak of.

    python -m bench.code.anchors [--edits 300] [--seeds 5]

Verdicts: made-up histories of edits with known truth, the generator of the tests. Speed: 100
anchors in a copy of this project's own source, as they were, then a third changed and a third gone.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from bench.speed.timing import Bar, Times, summed, table, written
from loremap.code.anchored_files import Checkout
from loremap.code.anchors import symbol_anchor
from loremap.code.checkout import Code
from loremap.code.repository import repository_at
from loremap.code.view import CodeView
from loremap.memory.recall.freshness import judged
from loremap.model.anchor import Anchor, Freshness

PROJECT = Path(__file__).parents[2]
sys.path.insert(0, str(PROJECT / "tests" / "code"))
from anchor_history import History, Judged  # noqa: E402  the tests are no package

LANGUAGES = ("python", "typescript", "go", "make", "markdown", "yaml")
ANCHORS = 100
RUNS = 60
MAX_MS = 20.0
SETTLED_SECONDS = 3.0
"""A file just written is read anew until its stamp is sure to tell the next change."""
LEAST_RIGHT = 0.98


def histories(*, seeds: int, edits: int) -> list[Judged]:
    """Every verdict of so many histories."""
    found: list[Judged] = []
    for seed in range(seeds):
        with tempfile.TemporaryDirectory() as folder:
            project = Path(folder) / "project"
            project.mkdir()
            found += History(project, seed=seed, languages=LANGUAGES).run(edits)
    return found


def accuracy(found: Sequence[Judged]) -> dict[str, object]:
    """How often the verdict is right: on what an edit was meant for, and on all the rest."""
    touched = [one for one in found if one.touched]
    elsewhere = [one for one in found if not one.touched]
    by_edit = Counter(one.edit for one in touched)
    wrong = Counter(one.edit for one in touched if one.said is not one.truth)
    fresh = [one for one in elsewhere if one.truth is Freshness.FRESH]
    return {
        "touched": len(touched),
        "touched_right": round(1 - sum(wrong.values()) / len(touched), 4),
        "elsewhere": len(fresh),
        "elsewhere_marked": sum(one.said is not Freshness.FRESH for one in fresh),
        "by_edit": {
            name: {"verdicts": count, "wrong": wrong[name]} for name, count in by_edit.items()
        },
    }


def copied(folder: Path) -> Path:
    """This project's source as a repository of its own."""
    root = folder / "copy"
    shutil.copytree(PROJECT / "src", root / "src", ignore=shutil.ignore_patterns("__pycache__"))
    for arguments in (
        ("init", "-q"),
        ("add", "."),
        ("-c", "user.name=B", "-c", "user.email=b@example.org", "commit", "-q", "-m", "All"),
    ):
        subprocess.run(["git", *arguments], cwd=root, check=True)
    return root


def anchors_there(root: Path, code: CodeView) -> list[Anchor]:
    """An anchor in each of so many files, at its longest function."""
    found: list[Anchor] = []
    for path in sorted(root.rglob("*.py")):
        relative = path.relative_to(root).as_posix()
        named = code.named(relative)
        if named is not None and named.symbols:
            longest = max(
                named.symbols, key=lambda one: named.definitions(one)[0].end_line - named.line(one)
            )
            found.append(symbol_anchor(relative, longest, code))
    return found[:ANCHORS]


def timed(name: str, anchors: Sequence[Anchor], checkout: Checkout) -> Times:
    """Looks at all anchors, each look a new one; the first only warms up."""
    times = Times(name)
    for run in range(RUNS + 1):
        (times if run else Times("")).run(lambda: look(anchors, checkout))
    return times


def look(anchors: Sequence[Anchor], checkout: Checkout) -> Counter[str]:
    """What became of each anchor, counted."""
    code = checkout.look()
    assert code is not None
    checks = [judged([anchor], code) for anchor in anchors]
    return Counter(check.freshness.value for check in checks if check is not None)


def speed(folder: Path) -> list[Times]:
    """How long a look at 100 anchors takes, warm."""
    root = copied(folder)
    repository, graphs = repository_at(root), folder / "graphs"
    opened = Code(repository, graphs=graphs)
    opened.scan()
    checkout = Checkout(repository, code=opened, graphs=graphs)
    code = checkout.look()
    assert code is not None
    anchors = anchors_there(root, code)
    times = [timed("100 anchors as they were", anchors, checkout)]
    for place, anchor in enumerate(anchors):
        path = root / anchor.path
        if place % 3 == 1:
            path.write_text(path.read_text("utf-8").replace("return ", "return not "), "utf-8")
        elif place % 3 == 2:
            path.unlink()
    print(f"then: {dict(look(anchors, checkout))}")
    time.sleep(SETTLED_SECONDS)
    look(anchors, checkout)
    return [*times, timed("a third changed, a third gone", anchors, checkout)]


def main() -> None:
    """Print the figures and keep them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--edits", type=int, default=300)
    parser.add_argument("--seeds", type=int, default=5)
    given = parser.parse_args()
    told = accuracy(histories(seeds=given.seeds, edits=given.edits))
    print(f"{told['touched']} verdicts on what was edited: {told['touched_right']:.2%} right")
    print(f"{told['elsewhere']} on the rest: {told['elsewhere_marked']} marked by mistake")
    with tempfile.TemporaryDirectory() as folder:
        times = speed(Path(folder))
    bars = [Bar(each.name, each.p95_ms, MAX_MS) for each in times]
    wrong_share = 1 - float(str(told["touched_right"]))
    bars.append(Bar("share judged wrong", wrong_share, 1 - LEAST_RIGHT))
    print(table("Anchors", times, bars))
    print(written("anchors", {"verdicts": told, **summed(times, bars)}))


if __name__ == "__main__":
    main()

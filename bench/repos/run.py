"""Commands, conventions and modules that a user is given, against labels of real repositories.

    python -m bench.repos.run --data FILE --repos FOLDER [--show] [--results FOLDER] [--home FOLDER]

FILE is the labelled set; FOLDER holds a checkout of each repository as `owner+name`, at its
labelled commit, with a `.git` so that it is a project. Nothing of a repository is ever run. The
tasks in `tasks.json`, written before any brief was looked at, are briefed in the same repositories.
`--home` keeps the scans for another run.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

from bench.repos.modules import found_as, lies_mostly_in

if TYPE_CHECKING:
    from loremap.app import Lore

KINDS = {"test_all": "test"}
"""What a label calls otherwise than the product does."""
BARS = {
    "commands right of given": 95.0,
    "labelled commands given right": 85.0,
    "labelled conventions offered": 75.0,
    "judged conventions right": 90.0,
    "labelled modules found": 80.0,
    "tasks with a right file among the first five": 90.0,
    "tasks with the right module first": 80.0,
}
MAX_FILES = 8
TASKS = Path(__file__).with_name("tasks.json")
JUDGED: Mapping[str, tuple[int, int]] = {
    "pypa/pip": (29, 30),
    "pypa/hatch": (6, 7),
    "go-task/task": (22, 23),
    "spring-projects/spring-ai": (28, 30),
    "rubocop/rubocop": (48, 50),
    "composer/composer": (5, 5),
    "realm/SwiftLint": (20, 20),
}
"""Conventions judged by a reader, one by one: right, offered. What offers others is judged anew."""
SAME = 0.75
"""Share of a labelled text's words that an offered one must hold to be it."""


@dataclass
class Row:
    """What one repository was given, counted."""

    repo: str
    given: int = 0
    labelled: int = 0
    right: int = 0
    wrong: int = 0
    """Given, and named as wrong by the label."""
    offered: int = 0
    conventions: int = 0
    found: int = 0
    not_conventions: int = 0
    """Offered, and labelled as no convention."""
    modules: int = 0
    modules_found: int = 0
    tasks: int = 0
    file_in_five: int = 0
    module_first: int = 0
    most_files: int = 0
    """The most files that a brief named."""
    verdicts: dict[str, str] = field(default_factory=dict)
    missed: list[str] = field(default_factory=list)
    modules_missed: list[str] = field(default_factory=list)
    tasks_missed: list[str] = field(default_factory=list)


def same_command(one: str, other: str) -> bool:
    """Whether two command lines are one; `<…>` in either stands for any word."""
    one, other = " ".join(one.split()), " ".join(other.split())
    return one == other or _matches(one, other) or _matches(other, one)


def _matches(line: str, pattern: str) -> bool:
    parts = re.split(r'("?<[^>]*>[^\s"]*"?|\[[a-z]+\])', pattern)
    any_word = r'(?:\S*<[^>]*>\S*|"[^"]*"|\S+)'
    regex = "".join(any_word if at % 2 else re.escape(part) for at, part in enumerate(parts))
    return re.fullmatch(regex, line) is not None


def verdict(line: str, folder: str, label: Mapping[str, Any]) -> str:
    """`right`, `wrong` (as the label names it), `other`, `missing` or nothing to say."""
    if not line:
        return "missing" if label["accept"] else ""
    wanted = str(label.get("cwd", ""))
    if any(same_command(line, each) for each in label["accept"]):
        placed = not wanted or wanted.startswith("<") or wanted in (folder, line.split("/")[0])
        return "right" if placed or wanted in line else "other"
    return "wrong" if any(same_command(line, each) for each in label["wrong"]) else "other"


def says(offered: str, labelled: str) -> bool:
    """Whether an offered convention holds the words of a labelled one."""
    wanted = set(re.findall(r"\w+", labelled.lower()))
    return len(wanted & set(re.findall(r"\w+", offered.lower()))) >= SAME * len(wanted)


def measured(label: Mapping[str, Any], folder: Path) -> tuple[Row, list[str]]:
    """The figures of one repository, and every convention offered."""
    from loremap.app import lore as facade
    from loremap.memory import seeding

    with facade.open(folder) as lore:
        lore.init()
        build, seeds = lore.modules.commands(), seeding.found(lore).seeds
        row = Row(label["repo"])
        _count_modules(row, label, {one.name: one.core_files for one in lore.modules.map().modules})
        _count_tasks(row, lore)
    for kind, wanted in label["commands"].items():
        name = KINDS.get(kind, kind)
        line = build.commands.get(name, "")
        told = verdict(line, build.folders.get(name, ""), wanted)
        row.given += bool(line)
        row.labelled += bool(wanted["accept"])
        row.right += told == "right"
        row.wrong += told == "wrong"
        if told:
            row.verdicts[kind] = f"{told}: {line} [{build.sources.get(name, '')}]"
    texts = [seed.text for seed in seeds]
    row.offered, row.conventions = len(texts), len(label["conventions"])
    for one in label["conventions"]:
        if any(says(text, one["text"]) for text in texts):
            row.found += 1
        else:
            row.missed.append(f"{one['source']} {one['text']}")
    row.not_conventions = sum(
        any(says(text, one["text"]) for text in texts) for one in label["not_conventions"]
    )
    return row, [f"{seed.file}:{seed.line} {seed.text}" for seed in seeds]


def _count_modules(
    row: Row, label: Mapping[str, Any], modules: Mapping[str, Sequence[str]]
) -> None:
    row.modules = len(label["modules"])
    row.modules_missed = [one["name"] for one in label["modules"] if not found_as(one, modules)]
    row.modules_found = row.modules - len(row.modules_missed)


def _count_tasks(row: Row, lore: Lore) -> None:
    """What a brief says of the tasks of this repository."""
    for one in json.loads(TASKS.read_text("utf-8")):
        if one["repo"] != row.repo:
            continue
        told = lore.brief(one["task"])
        paths = [file.path for file in told.files]
        inside = lies_mostly_in(told.modules[0].core_files, one["module"]) if told.modules else 0
        in_five = any(path in one["files"] for path in paths[:5])
        row.tasks += 1
        row.file_in_five += in_five
        row.module_first += bool(inside)
        row.most_files = max(row.most_files, len(paths))
        if not (in_five and inside):
            named = [module.name for module in told.modules[:2]]
            row.tasks_missed.append(f"{one['task']} → {paths[:5]} {named}")


def figures_of(rows: Sequence[Row]) -> dict[str, float]:
    """The shares over all repositories, in percent."""
    given, right = sum(row.given for row in rows), sum(row.right for row in rows)
    found = sum(row.found for row in rows)
    return {
        "commands right of given": _percent(right, given),
        "labelled commands given right": _percent(right, sum(row.labelled for row in rows)),
        "labelled wrong commands": float(sum(row.wrong for row in rows)),
        "conventions offered": float(sum(row.offered for row in rows)),
        "labelled conventions offered": _percent(found, sum(row.conventions for row in rows)),
        "labelled non-conventions offered": float(sum(row.not_conventions for row in rows)),
        "judged conventions right": _percent(
            sum(right for right, _ in JUDGED.values()), sum(all_ for _, all_ in JUDGED.values())
        ),
        "labelled modules found": _percent(
            sum(row.modules_found for row in rows), sum(row.modules for row in rows)
        ),
        "tasks with a right file among the first five": _percent(
            sum(row.file_in_five for row in rows), sum(row.tasks for row in rows)
        ),
        "tasks with the right module first": _percent(
            sum(row.module_first for row in rows), sum(row.tasks for row in rows)
        ),
        "most files in a brief": float(max((row.most_files for row in rows), default=0)),
    }


def _percent(part: int, whole: int) -> float:
    return round(100 * part / whole, 1) if whole else 0.0


def missed(figures: Mapping[str, float], rows: Sequence[Row] = ()) -> list[str]:
    """The bars that are not reached."""
    below = [f"{name} {figures[name]} < {bar}" for name, bar in BARS.items() if figures[name] < bar]
    none = ("labelled wrong commands", "labelled non-conventions offered")
    below += [
        f"{row.repo}: {row.offered} conventions offered, {JUDGED[row.repo][1]} judged"
        for row in rows
        if row.repo in JUDGED and row.offered != JUDGED[row.repo][1]
    ]
    if figures["most files in a brief"] > MAX_FILES:
        below.append(f"most files in a brief {figures['most files in a brief']:.0f} > {MAX_FILES}")
    return below + [f"{name} {figures[name]:.0f} > 0" for name in none if figures[name]]


def main() -> int:
    """Measure, print, write; 1 where a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--repos", type=Path, required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--home", type=Path)
    parser.add_argument("--results", type=Path, default=Path("bench/results"))
    given = parser.parse_args()
    console, rows = Console(width=160), list[Row]()
    with tempfile.TemporaryDirectory() as home:
        os.environ["LOREMAP_HOME"] = str(given.home or home)
        for label in json.loads(given.data.read_text("utf-8")):
            if given.only in label["repo"]:
                row, texts = measured(label, given.repos / label["repo"].replace("/", "+"))
                rows.append(row)
                if given.show:
                    _show(console, row, texts)
    return report(console, rows, given.results)


def _show(console: Console, row: Row, texts: Sequence[str]) -> None:
    console.print(f"[bold]{row.repo}[/]")
    for kind, told in row.verdicts.items():
        console.print(f"  {kind:10} {told}", markup=False)
    for text in texts:
        console.print(f"  + {text}", markup=False)
    for text in (*row.missed, *row.modules_missed, *row.tasks_missed):
        console.print(f"  missed {text}", markup=False)


def report(console: Console, rows: Sequence[Row], results: Path) -> int:
    """Print and write the figures."""
    names = (
        "given",
        "labelled",
        "right",
        "wrong",
        "offered",
        "conventions",
        "found",
        "modules",
        "modules_found",
        "tasks",
        "file_in_five",
        "module_first",
    )
    table = Table("repository", *names, "non-conventions")
    for row in rows:
        cells = [str(getattr(row, name)) for name in names]
        table.add_row(row.repo, *cells, str(row.not_conventions))
    console.print(table)
    figures = figures_of(rows)
    for name, value in figures.items():
        console.print(f"{name}: {value}")
    below = missed(figures, rows)
    for one in below:
        console.print(f"[red]missed: {one}[/]")
    results.mkdir(parents=True, exist_ok=True)
    written = {
        "figures": figures,
        "missed": below,
        "judged": {repo: f"{right}/{offered}" for repo, (right, offered) in JUDGED.items()},
        "repositories": [asdict(row) for row in rows],
    }
    (results / "repos.json").write_text(json.dumps(written, indent=1) + "\n", "utf-8")
    return 1 if below else 0


if __name__ == "__main__":
    sys.exit(main())

"""What a plan comes to, for a person and for a program."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from loremap.clients.connect import Plan, connected, found
from loremap.clients.registry import CLIENTS
from loremap.clients.settings.write import Change

COLOURS = {"+": "green", "-": "red", "@": "cyan"}
LONGEST_LINE = 400
"""Letters of a line that are shown; some clients keep their state on very long ones."""
WORDS = {(True, False): "created", (False, True): "deleted"}


def summary(plan: Plan) -> Iterator[tuple[str, str]]:
    """What happens to which files, each in a line with its style; those that are made or deleted
    in one folder are counted."""
    whole: dict[tuple[str, Path], int] = {}
    for change in plan.changes:
        if None in (change.before, change.after):
            what = WORDS[change.before is None, change.after is None]
            folder = _nearest(change.path) if change.before is None else change.path.parent
            whole[what, folder] = whole.get((what, folder), 0) + 1
        else:
            yield f"  changes  {change.path}  ({_counted(change)})", ""
    for (what, folder), count in whole.items():
        files = "1 file" if count == 1 else f"{count} files"
        yield f"  {'makes' if what == 'created' else 'deletes':<8} {files} in {folder}", ""
    yield "  --diff shows every line.", "dim"


def _nearest(path: Path) -> Path:
    """The folder of a file, or the one above that is there already."""
    return next((each for each in path.parents if each.is_dir()), path.parent)


def _counted(change: Change) -> str:
    """How many lines come and go."""
    lines = [*difflib.unified_diff(_lines(change.before), _lines(change.after), n=0, lineterm="")]
    added = sum(line.startswith("+") and not line.startswith("+++") for line in lines)
    gone = sum(line.startswith("-") and not line.startswith("---") for line in lines)
    return ", ".join(
        f"{sign}{count} line{'' if count == 1 else 's'}"
        for sign, count in (("+", added), ("−", gone))
        if count
    )


def diff(plan: Plan) -> Iterator[tuple[str, str]]:
    """The lines of a unified diff of all changes, each with its style."""
    for change in plan.changes:
        name = str(change.path)
        first = name if change.before is not None else "/dev/null"
        second = name if change.after is not None else "/dev/null"
        old, new = _lines(change.before), _lines(change.after)
        for line in difflib.unified_diff(old, new, first, second, n=2, lineterm=""):
            style = "bold" if line.startswith(("---", "+++")) else COLOURS.get(line[:1], "")
            yield line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]} …", style


def as_data(plan: Plan, *, done: bool, plugin: bool = False) -> dict[str, Any]:
    """What was done, for `--json`."""
    return {
        "client": plan.client.name,
        "experimental": plan.client.experimental,
        "project": str(plan.project) if plan.project else None,
        "changed": done,
        "plugin": plugin,
        "files": [
            {
                "path": str(change.path),
                "change": WORDS.get((change.before is None, change.after is None), "changed"),
            }
            for change in plan.changes
        ],
        "remarks": list(plan.remarks),
    }


def overview(home: Path) -> list[dict[str, Any]]:
    """Every client: whether it is found, connected, and for which projects."""
    here, there = set(found(home)), connected(home)
    return [
        {
            "client": name,
            "experimental": client.experimental,
            "found": name in here,
            "connected": any(each.client == name and each.project is None for each in there),
            "projects": [str(one.project) for one in there if one.client == name and one.project],
        }
        for name, client in CLIENTS.items()
    ]


def _lines(content: bytes | None) -> list[str]:
    return (content or b"").decode("utf-8", "replace").splitlines()

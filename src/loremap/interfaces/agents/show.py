"""What a plan comes to, for a person and for a program."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from loremap.interfaces.agents.connect import Plan, connected, found
from loremap.interfaces.agents.registry import AGENTS
from loremap.interfaces.agents.write import Change

COLOURS = {"+": "green", "-": "red", "@": "cyan"}
OURS = (".md", ".toml", ".js", ".yaml")
"""Files of these kinds are whole files of ours where they are made; settings are JSON."""
LONGEST_LINE = 400
"""Letters of a line that are shown; some clients keep their state on very long ones."""
WORDS = {(True, False): "created", (False, True): "deleted"}


def diff(plan: Plan, *, whole: bool) -> Iterator[tuple[str, str]]:
    """The lines of a unified diff of all changes, each with its style; of slash commands and
    plugins that are made or deleted, only their names unless the `whole` is wanted."""
    for change in plan.changes:
        name = str(change.path)
        if None in (change.before, change.after) and change.path.suffix in OURS and not whole:
            yield _named(change), "bold"
            continue
        first = name if change.before is not None else "/dev/null"
        second = name if change.after is not None else "/dev/null"
        old, new = _lines(change.before), _lines(change.after)
        for line in difflib.unified_diff(old, new, first, second, n=2, lineterm=""):
            style = "bold" if line.startswith(("---", "+++")) else COLOURS.get(line[:1], "")
            yield line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]} …", style


def _named(change: Change) -> str:
    """A file that is made or deleted whole, by its name."""
    if change.before is None:
        return f"+++ {change.path}  (new, {len(_lines(change.after))} lines)"
    return f"--- {change.path}  (deleted, {len(_lines(change.before))} lines)"


def as_data(plan: Plan, *, done: bool, plugin: bool = False) -> dict[str, Any]:
    """What was done, for `--json`."""
    return {
        "client": plan.agent.name,
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
            "found": name in here,
            "connected": any(each.client == name and each.project is None for each in there),
            "projects": [str(one.project) for one in there if one.client == name and one.project],
        }
        for name in AGENTS
    ]


def _lines(content: bytes | None) -> list[str]:
    return (content or b"").decode("utf-8", "replace").splitlines()

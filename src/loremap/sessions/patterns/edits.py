"""The edits of a task, as the rules for patterns ask for them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import PurePath

from loremap.memory.workspace import Workspace
from loremap.model.hook import FileUse, Operation, ToolCall
from loremap.model.turn import Turn

Task = Sequence[Turn]
"""The turns of one task."""
CHANGES = frozenset({Operation.WRITE, Operation.EDIT})
_NAME = re.compile(r"[^\W\d]\w{2,}")


@dataclass(frozen=True, slots=True)
class Edit:
    """One file changed by one call."""

    path: str
    operation: Operation
    at: datetime | None
    call: ToolCall
    number: int
    """The turn's."""


def edits(task: Task) -> Iterator[Edit]:
    """The changes of files in a task that did not fail, in order."""
    for turn in task:
        if turn.call is None or turn.call.success is False:
            continue
        for use in turn.call.files:
            if use.operation in CHANGES:
                yield Edit(use.path, use.operation, turn.at, turn.call, turn.number)


def names(text: str) -> frozenset[str]:
    """The names that a piece of code holds."""
    return frozenset(_NAME.findall(text))


def as_named(here: Workspace, turns: Sequence[Turn]) -> list[Turn]:
    """The turns with the files of the project as it names them; files elsewhere are left out."""
    known: dict[str, str] = {}

    def named(path: str) -> str:
        if path not in known:
            known[path] = here.path_as_named(path)
        return known[path]

    def placed(call: ToolCall) -> ToolCall:
        uses = (replace(use, path=named(use.path)) for use in call.files)
        return replace(call, files=tuple(use for use in uses if _is_inside(use)))

    return [
        turn if turn.call is None or not turn.call.files else replace(turn, call=placed(turn.call))
        for turn in turns
    ]


def _is_inside(use: FileUse) -> bool:
    return not PurePath(use.path).is_absolute() and not use.path.startswith(("..", "~"))

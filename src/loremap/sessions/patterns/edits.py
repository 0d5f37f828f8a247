"""The edits of a task, as the rules for patterns ask for them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import PurePath

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


def inside(turns: Sequence[Turn]) -> list[Turn]:
    """The turns without the files that lie outside the project."""
    return [
        replace(turn, call=replace(turn.call, files=tuple(filter(_is_inside, turn.call.files))))
        if turn.call is not None and turn.call.files
        else turn
        for turn in turns
    ]


def _is_inside(use: FileUse) -> bool:
    return not PurePath(use.path).is_absolute() and not use.path.startswith(("..", "~"))

"""Files that are read for tasks that have no use of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from loremap.model.hook import Operation
from loremap.model.pattern import Pattern, PatternType, Sighting
from loremap.model.words import words
from loremap.sessions.patterns.edits import Task, edits


def abandoned(tasks: Sequence[Task], known: Sequence[Pattern] = ()) -> Iterator[Sighting]:
    """The files that were read where others were changed, and that nothing was made of: neither
    changed nor named in what was written or run. That one was changed speaks against a pattern."""
    mine = {one.data["file"] for one in known if one.type is PatternType.READ_AND_ABANDON}
    for task in tasks:
        done = list(edits(task))
        changed = {edit.path for edit in done}
        for path in mine & changed:
            yield _sighting(path, task, supports=0)
        if not done:
            continue
        made = _made(task)
        for path in _read(task) - changed:
            if not made.issuperset(words(PurePosixPath(path).stem)):
                yield _sighting(path, task, supports=1)


def _read(task: Task) -> set[str]:
    uses = (use for turn in task if turn.call is not None for use in turn.call.files)
    return {use.path for use in uses if use.operation is Operation.READ}


def _made(task: Task) -> set[str]:
    """The words of what was written and run."""
    calls = [turn.call for turn in task if turn.call is not None]
    texts = [call.text or "" for call in calls]
    texts += [call.command or "" for call in calls if not call.files]  # one that reads has files
    return {word for text in texts for word in words(text)}


def _sighting(path: str, task: Task, *, supports: int) -> Sighting:
    at = [turn.at for turn in task if turn.at is not None]
    return Sighting(
        type=PatternType.READ_AND_ABANDON,
        about=(path,),
        data={"file": path},
        files=(path,),
        supports=supports,
        against=1 - supports,
        first=min(at, default=None),
        last=max(at, default=None),
    )

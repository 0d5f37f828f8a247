"""Edits that did not apply, by file: its text is not what the agent thinks it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from loremap.model.pattern import Pattern, PatternType, Sighting
from loremap.model.text import cut, one_line
from loremap.sessions.patterns.edits import CHANGES, Task, edits

_ERROR_CHARACTERS = 160


def failed_edits(tasks: Sequence[Task], known: Sequence[Pattern] = ()) -> Iterator[Sighting]:
    """The edits that failed; those of the same file that worked speak against a pattern."""
    failed = {one.data["file"] for one in known if one.type is PatternType.FAILED_EDIT}
    turns = [turn for task in tasks for turn in task if turn.call is not None]
    for turn in turns:
        call = turn.call
        if call is None or call.success is not False:
            continue
        for path in {use.path for use in call.files if use.operation in CHANGES}:
            failed.add(path)
            said = cut(one_line(call.error or call.result), _ERROR_CHARACTERS)
            data = {"file": path, "error": said}
            yield Sighting(
                type=PatternType.FAILED_EDIT, about=(path,), data=data, files=(path,),
                first=turn.at, last=turn.at,
            )  # fmt: skip
    for edit in (edit for task in tasks for edit in edits(task) if edit.path in failed):
        yield Sighting(
            type=PatternType.FAILED_EDIT, about=(edit.path,), data={"file": edit.path},
            files=(edit.path,), supports=0, against=1, first=edit.at, last=edit.at,
        )  # fmt: skip

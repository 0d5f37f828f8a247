"""Edits that were undone: by an edit that puts back what was there, or by git."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from loremap.model.hook import ToolCall
from loremap.model.pattern import Pattern, PatternType, Sighting, key_of
from loremap.model.shell_steps import commands_in
from loremap.sessions.episodes.standing import takes_back
from loremap.sessions.patterns.edits import Edit, Task, edits

_MIN_CHARACTERS = 12
"""Less than this is put back by chance."""


def backtracks(tasks: Sequence[Task], known: Sequence[Pattern] = ()) -> Iterator[Sighting]:
    """The changes that were made and put back; that the same change of the same file stayed speaks
    against a pattern."""
    mine = {one.key for one in known if one.type is PatternType.BACKTRACK}
    for task in tasks:
        done = [edit for edit in edits(task) if edit.call.text or edit.call.replaced]
        undone = {_exchange(edit): (edit.number, "edit") for edit in _put_back(done)}
        undone |= {_exchange(edit): (edit.number, "git") for edit in _by_git(task, done)}
        last = {_exchange(edit): edit for edit in done}
        for change, edit in last.items():
            number, how = undone.get(change, (None, ""))
            if number == edit.number:
                yield _sighting(edit, how, supports=1)
            elif key_of(*change) in mine:
                yield _sighting(edit, "", supports=0)


def change_key(path: str, call: ToolCall) -> str:
    """The key of the pattern of a change of a file."""
    return key_of(*_changed(path, call))


def _put_back(done: Sequence[Edit]) -> Iterator[Edit]:
    """The edits whose opposite follows."""
    last = {_exchange(edit): place for place, edit in enumerate(done) if edit.call.replaced}
    for place, edit in enumerate(done):
        path, before, after = _exchange(edit)
        if max(len(before), len(after)) < _MIN_CHARACTERS or before == after:
            continue
        if last.get((path, after, before), -1) > place:
            yield edit


def _exchange(edit: Edit) -> tuple[str, str, str]:
    """In which file an edit put what in the place of what."""
    return _changed(edit.path, edit.call)


def _changed(path: str, call: ToolCall) -> tuple[str, str, str]:
    return path, call.replaced, call.text or ""


def _by_git(task: Task, done: Sequence[Edit]) -> Iterator[Edit]:
    committed = False
    for turn in task:
        call = turn.call
        if call is None or not call.command or call.success is False:
            continue
        verbs = [words[1:2] for words in commands_in(call.command) if words[0] == "git"]
        if not verbs:
            continue
        committed |= ("commit",) in verbs
        if ("revert",) in verbs and not committed:
            continue  # what it reverts was not done here
        before = [edit for edit in done if edit.number < turn.number]
        back = {path for path in {edit.path for edit in before} if takes_back(call, [path])}
        yield from (edit for edit in before if edit.path in back)
    yield from _stashed(task, done)


def _stashed(task: Task, done: Sequence[Edit]) -> Iterator[Edit]:
    """The edits that were laid aside and not taken up again."""
    laid: int | None = None
    for turn in task:
        commands = commands_in(turn.call.command or "") if turn.call is not None else ()
        for words in commands:
            if words[:2] != ("git", "stash"):
                continue
            verb = words[2] if len(words) > 2 else "push"
            if verb in ("pop", "apply"):
                laid = None
            elif verb not in ("list", "show", "drop", "clear"):
                laid = turn.number
    yield from (edit for edit in done if laid is not None and edit.number < laid)


def _sighting(edit: Edit, how: str, *, supports: int) -> Sighting:
    return Sighting(
        type=PatternType.BACKTRACK,
        about=_exchange(edit),
        data={"file": edit.path, "how": how},
        files=(edit.path,),
        supports=supports,
        against=1 - supports,
        first=edit.at,
        last=edit.at,
    )

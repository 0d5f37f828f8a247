"""Edits that were undone: by an edit that puts back what was there, or by git."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from loremap.model.pattern import Pattern, PatternType, Sighting
from loremap.model.shell_steps import commands_in
from loremap.sessions.episodes.standing import takes_back
from loremap.sessions.patterns.edits import Edit, Task, edits

_MIN_CHARACTERS = 12
"""Less than this is put back by chance."""


def backtracks(tasks: Sequence[Task], known: Sequence[Pattern] = ()) -> Iterator[Sighting]:
    """The files in which something was changed and changed back; that they were changed for a task
    and stayed so speaks against a pattern."""
    mine = {one.data["file"] for one in known if one.type is PatternType.BACKTRACK}
    for task in tasks:
        done = list(edits(task))
        undone = {edit.path: (edit, "edit") for edit in _put_back(done)}
        undone |= {edit.path: (edit, "git") for edit in _by_git(task, done)}
        for path, (edit, how) in undone.items():
            yield _sighting(path, edit, how, supports=1)
        for path in mine - set(undone):
            last = next((edit for edit in reversed(done) if edit.path == path), None)
            if last is not None:
                yield _sighting(path, last, "", supports=0)


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
    return edit.path, edit.call.replaced, edit.call.text or ""


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


def _sighting(path: str, edit: Edit, how: str, *, supports: int) -> Sighting:
    return Sighting(
        type=PatternType.BACKTRACK,
        about=(path,),
        data={"file": path, "how": how},
        files=(path,),
        supports=supports,
        against=1 - supports,
        first=edit.at,
        last=edit.at,
    )

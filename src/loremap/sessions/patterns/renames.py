"""What is changed where something was renamed: a file that was moved, a name that was given up."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from loremap.model.hook import ToolCall
from loremap.model.pattern import Pattern, PatternType, Sighting
from loremap.model.shell_steps import commands_in
from loremap.model.turn import Turn
from loremap.sessions.patterns.edits import Edit, Task, edits, names


@dataclass(slots=True)
class _Rename:
    """One renaming, and the edits that followed it to the new name."""

    place: str
    """The folder of a file that was moved, or the file whose name was changed."""
    old: str
    new: str
    number: int
    followed: list[Edit] = field(default_factory=list)


def renames(tasks: Sequence[Task], known: Sequence[Pattern] = ()) -> Iterator[Sighting]:
    """The files that were changed to a new name for the task in which it was given; one that is
    known to be and was not touched speaks against its pattern."""
    mine = [one for one in known if one.type is PatternType.REFACTOR]
    for task in tasks:
        done = list(edits(task))
        for rename in _renames(task, done):
            for edit in rename.followed:
                yield _sighting(rename, edit.path, edit)
            touched = {edit.path for edit in done}
            for one in mine:
                path = one.data["updated"]
                if one.data["renamed_in"] == rename.place and path not in touched:
                    yield _sighting(rename, path, None)


def renamed_in(turn: Turn) -> set[str]:
    """Where a call gives something another name: the folders of files and the files of names."""
    return {one.place for one in _renames([turn], list(edits([turn])))}


def _renames(task: Task, done: Sequence[Edit]) -> list[_Rename]:
    calls = {edit.number: edit.call for edit in done}
    exchanged = {number: _exchanged(call) for number, call in calls.items()}
    changed = [(edit, *exchanged[edit.number]) for edit in done]
    found = [*_moved(task), *_renamed(changed)]
    own = {(one.old, one.new): one for one in reversed(found)}
    by_old = defaultdict[str, list[_Rename]](list)
    for rename in own.values():
        by_old[rename.old].append(rename)
    for edit, gone, came in changed:
        for rename in (one for old in gone for one in by_old.get(old, ())):
            is_later = edit.number >= rename.number and edit.path != rename.place
            if is_later and rename.new in came:
                rename.followed.append(edit)
    return list(own.values())


def _exchanged(call: ToolCall) -> tuple[frozenset[str], frozenset[str]]:
    """The names that a call took out, and those it put in."""
    before, after = names(call.replaced), names(call.text or "")
    return before - after, after - before


def _moved(task: Task) -> Iterator[_Rename]:
    """The files that a command moved to another name of the same kind."""
    for turn in task:
        call = turn.call
        if call is None or call.success is False:
            continue
        for words in commands_in(call.command or ""):
            given = [word for word in words if not word.startswith("-")]
            paths = given[2:] if given[:2] == ["git", "mv"] else given[1:]
            if given[:1] != ["mv"] and given[:2] != ["git", "mv"]:
                continue
            if len(paths) == 2 and _is_renaming(*map(PurePosixPath, paths)):
                old, new = map(PurePosixPath, paths)
                yield _Rename(str(old.parent), old.stem, new.stem, turn.number)


def _is_renaming(old: PurePosixPath, new: PurePosixPath) -> bool:
    same_kind = bool(old.suffix) and old.suffix == new.suffix
    outside = old.is_absolute() or new.is_absolute() or ".." in (*old.parts, *new.parts)
    return same_kind and old.stem != new.stem and not outside


def _renamed(
    changed: Sequence[tuple[Edit, frozenset[str], frozenset[str]]],
) -> Iterator[_Rename]:
    """The edits that put one name in the place of another, and change nothing else by name."""
    seen = set[tuple[str, str]]()
    for edit, gone, came in changed:
        if not edit.call.replaced or len(edit.call.files) != 1:
            continue
        if len(gone) == len(came) == 1 and names(edit.call.replaced) != gone:
            old, new = min(gone), min(came)
            if (old, new) not in seen:
                seen.add((old, new))
                yield _Rename(edit.path, old, new, edit.number)


def _sighting(rename: _Rename, path: str, edit: Edit | None) -> Sighting:
    return Sighting(
        type=PatternType.REFACTOR,
        about=(rename.place, path),
        data={
            "renamed_in": rename.place,
            "updated": path,
            "from": rename.old,
            "to": rename.new,
            "operations": ["rename", "edit"],
        },
        files=(path, rename.place),
        supports=int(edit is not None),
        against=int(edit is None),
        first=None if edit is None else edit.at,
        last=None if edit is None else edit.at,
    )

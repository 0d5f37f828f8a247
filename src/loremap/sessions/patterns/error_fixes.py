"""Errors and what mended them: a command fails, something is changed, and the command works."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from loremap.model.hook import Operation
from loremap.model.hostile import speaks_to_a_model
from loremap.model.pattern import Pattern, PatternType, Sighting, key_of
from loremap.model.turn import Turn
from loremap.model.words import names_in
from loremap.safety.redaction import redacted
from loremap.sessions.learning.exchanges import changes, fails, works
from loremap.sessions.learning.known import Told
from loremap.sessions.learning.repairs import (
    Repair,
    cause_of,
    change_of,
    command_of,
    error_line,
    other_command,
    overcome,
    shape,
)
from loremap.sessions.learning.sentences import telling
from loremap.sessions.patterns.edits import Task, edits

Fix = Mapping[str, object]
"""What is kept of a fix: command, error, cause, fix, whether it was an edit, files, and the `agent`
that met the error, where it was a subagent."""
_MIN_TELLING = 3
_NOBODY = Told((), ())


def error_in(turn: Turn) -> str:
    """The line that says what went wrong, without secrets; empty where it fits any error."""
    line = redacted(error_line(turn)).text
    return line if is_telling(line) else ""


def is_telling(line: str) -> bool:
    """Whether an error can be known again by its line: it names something, and says of it what."""
    named = any(any(map(str.isalpha, name)) for name in names_in(shape(line)))
    return named and len(telling(line)) >= _MIN_TELLING


def error_key(line: str) -> str:
    """The key of the pattern of an error."""
    return key_of(shape(line))


def error_fixes(
    tasks: Sequence[Task], known: Sequence[Pattern] = (), told: Told = _NOBODY
) -> Iterator[Sighting]:
    """The errors that were mended, with what mended them; a known fix that was tried in vain, or
    in whose place something else mended the error, speaks against its pattern."""
    turns = sorted((turn for task in tasks for turn in task), key=lambda turn: turn.number)
    fixes = {one.key: one.data for one in known if one.type is PatternType.ERROR_FIX}
    yield from _tried_in_vain(turns, fixes)
    seen, made = set[tuple[str, int]](), _made(turns)
    for repair in overcome(turns):
        line = error_in(repair.failed)
        if not line or (line, repair.gone.number) in seen:
            continue
        seen.add((line, repair.gone.number))
        fix, data = fixes.get(error_key(line)), _fix(repair, line, told, turns, made)
        if data is not None:
            other = fix is not None and not _agree(fix, data)
            span = (repair.failed, repair.gone)
            yield _sighting(line, data, span, supports=1, against=int(other))


def _fix(
    repair: Repair, line: str, told: Told, turns: Sequence[Turn], made: Mapping[str, int]
) -> Fix | None:
    """What mended the error; None where nothing was done after it was last seen, or it is not gone:
    a test that fails now and then is mended by nothing. Nor does it tell anything that the agent
    mended a file which it had just made itself."""
    last = _attempts(repair)[-1]
    files = list(dict.fromkeys(edit.path for edit in edits(last)))
    if files and all(made.get(path, repair.failed.number) < repair.failed.number for path in files):
        return None
    mended = any(map(changes, last)) or other_command(repair)
    change = change_of(repair)
    if not mended or not change or not works(repair.gone):
        return None
    cause = cause_of(repair, told, turns)
    if any(map(speaks_to_a_model, (line, change, command_of(repair)))):
        return None
    return {
        "command": command_of(repair),
        "error": line,
        "cause": "" if speaks_to_a_model(cause) else cause,
        "fix": change,
        "edited": any(map(changes, repair.between)),
        "files": files,
        **_met_by(repair.failed),
    }


def _met_by(turn: Turn) -> Fix:
    """The role of the subagent that met an error, where one did."""
    return {"agent": turn.subagent_kind} if turn.subagent_kind else {}


def _made(turns: Sequence[Turn]) -> dict[str, int]:
    """The files that the session made, each with the turn: written before they were looked at."""
    first: dict[str, int | None] = {}
    for turn in turns:
        for use in turn.call.files if turn.call is not None else ():
            first.setdefault(use.path, turn.number if use.operation is Operation.WRITE else None)
    return {path: number for path, number in first.items() if number is not None}


def _attempts(repair: Repair) -> list[list[Turn]]:
    """What was done between one run of the command and the next."""
    found: list[list[Turn]] = [[]]
    for turn in repair.between:
        found[-1].append(turn)
        if fails(turn) and shape(error_line(turn)) == shape(error_line(repair.failed)):
            found.append([])
    return found


def _tried_in_vain(turns: Sequence[Turn], fixes: Mapping[str, Fix]) -> Iterator[Sighting]:
    """The attempts to mend an error as it was mended before, after which it came again."""
    touched: dict[str, set[str]] = {}
    for turn in turns:
        if works(turn):
            touched.clear()
        line = error_in(turn) if fixes and fails(turn) else ""
        fix = fixes.get(error_key(line)) if line else None
        if fix is not None:
            if touched.get(line, set()) & set(_files(fix)):
                yield _sighting(line, fix, (turn, turn), supports=0, against=1)
            touched[line] = set()
        for paths in touched.values():
            paths |= {edit.path for edit in edits([turn])}


def _agree(one: Fix, other: Fix) -> bool:
    """Whether two fixes are one: they change the same file, or are the same command."""
    files, others = set(_files(one)), set(_files(other))
    return bool(files & others) if files or others else one.get("fix") == other.get("fix")


def _files(fix: Fix) -> list[str]:
    found = fix.get("files")
    return [str(path) for path in found] if isinstance(found, list) else []


def _sighting(
    line: str, data: Fix, span: tuple[Turn, Turn], *, supports: int, against: int
) -> Sighting:
    return Sighting(
        type=PatternType.ERROR_FIX,
        about=(shape(line),),
        data=data,
        files=tuple(_files(data)),
        supports=supports,
        against=against,
        first=span[0].at,
        last=span[1].at,
    )

"""What patterns have to say of a step that is taken now: at most a line, in the words of what was
seen, marked as nobody's word."""

from __future__ import annotations

from collections.abc import Sequence

from loremap.memory.brief.render import Piece
from loremap.memory.brief.said import UNVERIFIED, Register, joined, name_said
from loremap.memory.workspace import Workspace
from loremap.model.hook import ToolCall
from loremap.model.pattern import Pattern, PatternType, speaks
from loremap.model.turn import Speaker, Turn
from loremap.sessions.patterns.edits import CHANGES
from loremap.sessions.patterns.error_fixes import error_in, error_key
from loremap.storage import events, memories, patterns
from loremap.storage.store import Connection

MAX_PARTNERS = 3


def of_edit(here: Workspace, conn: Connection, call: ToolCall, session_id: str) -> Sequence[Piece]:
    """The files that mostly change together with one that is about to be changed, as far as the
    session has not touched them."""
    if here.project_id is None:
        return ()
    paths = {here.path_as_named(use.path) for use in call.files if use.operation in CHANGES}
    for path in sorted(paths):
        found = [
            (other, one)
            for other, one in patterns.together(conn, here.project_id, path)
            if speaks(one) and other not in paths and (here.repository.root / other).is_file()
        ]
        if not found:
            continue
        done = events.changed_in(conn, session_id, [other for other, _ in found])
        still = _still_told(conn, [one for _, one in found])
        open_ = [(other, one) for other, one in found if other not in done and one.id in still]
        if open_:
            told = open_[:MAX_PARTNERS]
            return (_together(path, told, _between(here, conn, told)),)
    return ()


def _between(
    here: Workspace, conn: Connection, told: Sequence[tuple[str, Pattern]]
) -> tuple[str, ...]:
    """The patterns of the files that are told with each other: they are told thereby."""
    assert here.project_id is not None
    names = {other for other, _ in told}
    pairs = (
        pair for name in sorted(names) for pair in patterns.together(conn, here.project_id, name)
    )
    return tuple(dict.fromkeys(one.id for other, one in pairs if other in names))


def of_failure(here: Workspace, conn: Connection, call: ToolCall) -> Sequence[Piece]:
    """What mended the error of a command when it was met before."""
    if here.project_id is None or not call.command or call.success is not False:
        return ()
    line = error_in(Turn(number=0, speaker=Speaker.TOOL, call=call))
    if not line:
        return ()
    one = patterns.find(conn, here.project_id, PatternType.ERROR_FIX, error_key(line))
    if one is None or not speaks(one) or not _still_told(conn, [one]):
        return ()
    there = [(here.repository.root / path).is_file() for path in one.data["files"]]
    is_gone = bool(there) and not any(there)
    return () if is_gone else (_mended(one),)


def _still_told(conn: Connection, found: Sequence[Pattern]) -> set[str]:
    """The patterns among these whose memory, where they became one, still speaks."""
    ids = [one.memory_id for one in found if one.memory_id is not None]
    held = {one.id: one for one in memories.by_ids(conn, ids)} if ids else {}
    return {
        one.id
        for one in found
        if one.memory_id is None
        or ((memory := held.get(one.memory_id)) and memory.active and not memory.voted_down)
    }


def _together(path: str, found: Sequence[tuple[str, Pattern]], between: tuple[str, ...]) -> Piece:
    seen = ", ".join(
        f"{name_said(other)} ({one.observed} times in {one.sessions} sessions)"
        for other, one in found
    )
    last = max(one.last_seen for _, one in found)
    alone = found[0][1] if len(found) == 1 else None
    return Piece(
        text=f"- {last:%Y-%m-%d} PATTERN {UNVERIFIED}: {name_said(path)} was mostly changed "
        f"together with {seen}; not changed in this session yet.",
        memory_id=None if alone is None else alone.memory_id,
        register=Register.NOTED.value,
        why="files that change together",
        score=found[0][1].confidence,
        patterns=(*(one.id for _, one in found), *between),
    )


def _mended(one: Pattern) -> Piece:
    """The fix in the words it was made in; the error stands before the agent's eyes."""
    command, fix, cause = (joined(str(one.data[name])) for name in ("command", "fix", "cause"))
    times = "" if one.observed < 2 else f" ({one.observed} times in {one.sessions} sessions)"
    said = f" The agent said then: “{cause}”" if cause else ""
    return Piece(
        text=f"- {one.last_seen:%Y-%m-%d} PATTERN {UNVERIFIED}: this error was met before{times}; "
        f"`{command}` passed after {fix}.{said}",
        memory_id=one.memory_id,
        register=Register.NOTED.value,
        why="an error that was met before",
        score=one.confidence,
        patterns=(one.id,),
    )

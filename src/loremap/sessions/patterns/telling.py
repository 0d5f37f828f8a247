"""What patterns have to say of a step that is taken now: at most a line each, in the words of what
was seen, marked as nobody's word."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import islice
from math import comb

from loremap.memory.brief.render import Piece
from loremap.memory.brief.said import UNVERIFIED, Register, joined, name_said
from loremap.memory.workspace import Workspace
from loremap.model.hook import ToolCall
from loremap.model.pattern import Pattern, PatternType, key_of, speaks
from loremap.model.turn import Speaker, Turn
from loremap.sessions.patterns.backtracks import change_key
from loremap.sessions.patterns.edits import CHANGES
from loremap.sessions.patterns.error_fixes import error_in, error_key
from loremap.sessions.patterns.renames import renamed_in
from loremap.sessions.patterns.searches import queries, query_key
from loremap.storage import events, memories, pattern_sightings, patterns
from loremap.storage.store import Connection

MAX_PARTNERS = 3
MAX_PATHS = 8
"""Files of a call, and places of its renamings, that are looked up."""
MAX_QUERIES = 3
"""Searches of one command line that are looked up."""
MAX_TEXT = 20_000
"""Letters of a change in which a renaming is looked for."""
_SESSION_LETTERS = 8
_COUNTED = {3: "three", 4: "four"}
_Partners = Sequence[tuple[str, Pattern]]
"""Files, each with what is known of it and the one at hand."""


def of_call(here: Workspace, conn: Connection, call: ToolCall, session_id: str) -> Sequence[Piece]:
    """What there is to say of a call that is about to be made: of the files that it changes, and
    of what it searches for. Where a renaming names files, those that change together are not named
    beside it: they are mostly the same."""
    files = tuple(replace(use, path=here.path_as_named(use.path)) for use in call.files)
    turn = Turn(number=0, speaker=Speaker.TOOL, call=replace(call, files=files))
    paths = sorted({use.path for use in files if use.operation in CHANGES})
    first = paths[:MAX_PATHS]
    undone = [piece for path in first for piece in _put_back(here, conn, path, call)]
    renamed = _of_renaming(here, conn, turn, paths, session_id)
    together = renamed or _of_files(here, conn, paths, session_id)
    failing = [piece for path in first if call.replaced for piece in _failing(here, conn, path)]
    return (*undone, *together, *failing, *_of_search(here, conn, turn))


def of_failure(here: Workspace, conn: Connection, call: ToolCall) -> Sequence[Piece]:
    """What mended the error of a command when it was met before."""
    if not call.command or call.success is not False:
        return ()
    line = error_in(Turn(number=0, speaker=Speaker.TOOL, call=call))
    one = _spoken(here, conn, PatternType.ERROR_FIX, error_key(line)) if line else None
    if one is None:
        return ()
    there = [(here.repository.root / path).is_file() for path in one.data["files"]]
    is_gone = bool(there) and not any(there)
    return () if is_gone else (_mended(one),)


def _spoken(here: Workspace, conn: Connection, type_: PatternType, key: str) -> Pattern | None:
    """The pattern of that key, where it is said in this project."""
    one = patterns.find(conn, here.project_id, type_, key) if here.project_id else None
    return one if one is not None and speaks(one) and _still_told(conn, [one]) else None


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


# What changes with what is changed


def _of_renaming(
    here: Workspace, conn: Connection, turn: Turn, paths: Sequence[str], session_id: str
) -> Sequence[Piece]:
    """The files that were changed to the new name when something was renamed here before."""
    call = turn.call
    if here.project_id is None or call is None or not (call.replaced or call.command):
        return ()
    if len(call.replaced) + len(call.text or "") > MAX_TEXT:
        return ()
    for place in sorted(renamed_in(turn))[:MAX_PATHS]:
        known = patterns.with_file(conn, here.project_id, PatternType.REFACTOR, place, least=2)
        found = [(one.data["updated"], one) for one in known if one.data["renamed_in"] == place]
        if told := _open(here, conn, found, paths, session_id):
            return (_renamed(place, told),)
    return ()


def _of_files(
    here: Workspace, conn: Connection, paths: Sequence[str], session_id: str
) -> Sequence[Piece]:
    """The files that mostly change together with one that is about to be changed."""
    if here.project_id is None:
        return ()
    for path in paths[:MAX_PATHS]:
        known = patterns.together(conn, here.project_id, path)
        if told := _open(here, conn, known, paths, session_id):
            return (_together(path, told, _between(here.project_id, conn, told)),)
    return ()


def _open(
    here: Workspace, conn: Connection, found: _Partners, but: Collection[str], session_id: str
) -> _Partners:
    """What is to be named of these: files that are there, and that the session has not touched."""
    there = [
        (other, one)
        for other, one in found
        if speaks(one) and other not in but and (here.repository.root / other).is_file()
    ]
    if not there:
        return ()
    done = events.changed_in(conn, session_id, [other for other, _ in there])
    still = _still_told(conn, [one for _, one in there])
    return [(other, one) for other, one in there if other not in done and one.id in still][
        :MAX_PARTNERS
    ]


def _between(project_id: str, conn: Connection, told: _Partners) -> Sequence[Pattern]:
    """The patterns of the files that are told with each other: they are told thereby."""
    names = {other for other, _ in told}
    pairs = (pair for name in sorted(names) for pair in patterns.together(conn, project_id, name))
    return list({one.id: one for other, one in pairs if other in names}.values())


def _together(path: str, told: _Partners, between: Sequence[Pattern]) -> Piece:
    """Files of which each changes with each are one thing; else it is told of each how often."""
    ids = (*(one.id for _, one in told), *(one.id for one in between))
    names = sorted(name_said(other) for other, _ in told)
    whole = len(told) > 1 and sum(map(speaks, between)) == comb(len(told), 2)
    if whole:
        all_ = f"{name_said(path)}, {', '.join(names[:-1])} and {names[-1]}"
        least = min((one for _, one in told), key=lambda one: (one.observed, one.sessions))
        said = f"these {_COUNTED[len(told) + 1]} are mostly changed together: {all_} "
        said += f"({_times(least)} or more); not the others in this session yet."
    else:
        said = f"{name_said(path)} was mostly changed together with {_counted(told)}; "
        said += "not changed in this session yet."
    return _piece([one for _, one in told], said, "files that change together", ids)


def _renamed(place: str, told: _Partners) -> Piece:
    said = f"what was renamed in {name_said(place)} was mostly renamed in {_counted(told)} as well;"
    why = "what is changed where something is renamed"
    return _piece([one for _, one in told], f"{said} not changed in this session yet.", why)


def _counted(told: _Partners) -> str:
    return ", ".join(f"{name_said(other)} ({_times(one)})" for other, one in told)


# What came of it before


def _put_back(here: Workspace, conn: Connection, path: str, call: ToolCall) -> Sequence[Piece]:
    """That this very change was made before and undone."""
    one = _spoken(here, conn, PatternType.BACKTRACK, change_key(path, call))
    if one is None:
        return ()
    last = [shown for shown in pattern_sightings.of_pattern(conn, one.id) if shown.supports][-1]
    session = name_said(last.session_id[:_SESSION_LETTERS])
    how = " by git" if one.data["how"] == "git" else ""
    said = f"this very change of {name_said(path)} was made before and put back{how}, in session"
    return (_piece([one], f"{said} {session}{_often(one)}.", "a change that was undone before"),)


def _failing(here: Workspace, conn: Connection, path: str) -> Sequence[Piece]:
    """That edits of a file mostly fail."""
    one = _spoken(here, conn, PatternType.FAILED_EDIT, key_of(path))
    if one is None:
        return ()
    said = f"edits of {name_said(path)} mostly did not apply ({_times(one)}): its text was not what"
    return (_piece([one], f"{said} the edit expected.", "edits that did not apply before"),)


def _of_search(here: Workspace, conn: Connection, turn: Turn) -> Sequence[Piece]:
    """Where that which is searched for was found before, where it is not looked for there."""
    assert turn.call is not None
    looked_in = {use.path for use in turn.call.files}
    for query in islice(queries(turn), MAX_QUERIES):
        one = _spoken(here, conn, PatternType.REPEATED_SEARCH, query_key(query))
        file = one.data["found"] if one is not None else None
        if one is None or file is None or file in looked_in:
            continue
        if (here.repository.root / file).is_file():
            said = f"this was searched for before ({_times(one)}); {name_said(file)} was opened"
            return (_piece([one], f"{said} then.", "a search that was made before"),)
    return ()


def _mended(one: Pattern) -> Piece:
    """The fix in the words it was made in; the error stands before the agent's eyes."""
    command, fix, cause = (joined(str(one.data[name])) for name in ("command", "fix", "cause"))
    said = f" The agent said then: “{cause}”" if cause else ""
    text = f"this error was met before{_often(one)}; `{command}` passed after {fix}.{said}"
    return _piece([one], text, "an error that was met before")


def _piece(told: Sequence[Pattern], said: str, why: str, ids: Collection[str] = ()) -> Piece:
    """A line of what is told of these patterns; `ids` are those of all that are told thereby."""
    last = max(one.last_seen for one in told)
    return Piece(
        text=f"- {last:%Y-%m-%d} PATTERN {UNVERIFIED}: {said}",
        memory_id=told[0].memory_id if len(told) == 1 else None,
        register=Register.NOTED.value,
        why=why,
        score=told[0].confidence,
        patterns=tuple(ids or (one.id for one in told)),
    )


def _times(one: Pattern) -> str:
    return f"{one.observed} times in {one.sessions} sessions"


def _often(one: Pattern) -> str:
    """How often, where it was more than once."""
    return f" ({_times(one)})" if one.observed > 1 else ""

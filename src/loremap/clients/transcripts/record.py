"""One thing that a transcript tells, in one form for every client."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path

from loremap.clients.payloads.outcomes import Outcome
from loremap.clients.payloads.payload import Raw, items, parsed, whole
from loremap.clients.payloads.tools import called
from loremap.model.hook import ToolCall

EVER = datetime.min.replace(tzinfo=UTC)
YEARS = range(2000, 2200)
"""A time outside of them is a slip or a trap: near the ends of the calendar no sum holds."""


@dataclass(frozen=True, slots=True)
class Cut:
    """Turns that were taken back: the context holds nothing of what came in between."""

    since: datetime
    """When the last was written that is kept."""
    until: datetime
    """By when all that was taken back had been said, and nothing of what came instead."""
    start_too: bool = False
    """Whether what was said at the session's start is lost as well, however much is kept."""


@dataclass(frozen=True, slots=True)
class Seen:
    """How far a session's transcript was looked at."""

    path: Path
    offset: int = 0
    before: bytes = b""
    """What stands before that place; where something else does, the file was cut off."""
    prompt: int | None = None
    """Where the last prompt begins, of a client that tells by that."""
    until: datetime = EVER
    """When the last turns were taken back that we know of."""


Look = Callable[[Path, Seen], tuple[Seen, list[Cut]]]


TAIL_BYTES = 64 * 1024


class Role(StrEnum):
    """Who speaks in a record."""

    USER = "user"
    AGENT = "agent"
    CALL = "call"
    RESULT = "result"
    SUMMARY = "summary"
    """The client's own summary after a compaction; nobody said it."""
    USAGE = "usage"
    """How full the context is; nobody said anything."""
    REWOUND = "rewound"
    """All that was told since this place was taken back; only of a whole session."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One thing said or done. What hooks put in is left out."""

    role: Role
    at: datetime | None = None
    text: str = ""
    tool: ToolCall | None = None
    """With CALL the call alone; with RESULT its id and what came of it."""
    in_subagent: bool = False
    subagent_kind: str = ""
    """Its role, where the client writes it down."""
    context_tokens: int | None = None
    """How much of the context was used when this was written."""
    window_tokens: int | None = None
    offset: int = 0
    """Where its line begins in the file; of a whole session, its place in what is told."""


Lines = Iterable[tuple[int, bytes]]
"""Lines of a transcript, each with where it begins."""
LineReader = Callable[[Raw], Iterable[Record]]
"""The records of one line, as one client writes it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """How one client writes its sessions down."""

    records: LineReader
    objects: Callable[[Lines], Lines] = lambda lines: lines
    """The objects of a file, each as one line; those that tell nothing may be left out."""
    session: Callable[[Lines], Iterator[Record]] | None = None
    """The records of a whole session, by its lines and their places, where a line alone does not
    tell whether it was said before, or taken back since."""
    tells_tokens: bool = False
    """Whether it writes down how full the context is; else that is not looked for."""
    tail_bytes: int = TAIL_BYTES
    """How much of the end holds what was said last."""
    of_subagent: Callable[[Path, str], Path | None] = lambda path, agent: None
    """The transcript of a subagent, by that of its session and its id."""
    subagents: Callable[[Path], Iterable[tuple[str, Path]]] = lambda path: ()
    """The transcripts of all subagents of a session, each with its id, by that of the session."""
    rewound: Look | None = None
    """How it tells that turns were taken back, where it does."""
    goes_on_from: Callable[[Path], tuple[Path, int] | None] | None = None
    """For one that then goes on in another file: of which, and from which place in it."""
    latest: Callable[[Path], Path] = lambda path: path
    """The file in which a session has gone on last, by any of its files."""
    forked_from: Callable[[Raw], str] = lambda line: ""
    """The session that a line says this one was forked from, where it says so."""


def call(
    at: datetime | None, name: str, given: Raw, use_id: str, *, context_tokens: int | None = None
) -> Record:
    """The call of a tool, before it has run."""
    tool = called(name, given, use_id=use_id)
    return Record(role=Role.CALL, at=at, tool=tool, context_tokens=context_tokens)


def result(
    at: datetime | None, use_id: str, outcome: Outcome, *, duration_ms: int | None = None
) -> Record:
    """What came of a call."""
    tool = ToolCall(
        name="",
        use_id=use_id or None,
        result=outcome.result,
        success=outcome.success,
        error=outcome.error,
        duration_ms=duration_ms,
    )
    return Record(role=Role.RESULT, at=at, tool=tool)


def blocks_of(message: Raw) -> Iterator[Raw]:
    """The blocks of a message that is made of such."""
    return (block for block in items(message, "content") if isinstance(block, dict))


def summed(raw: Raw, *names: str) -> int | None:
    """The sum of the fields that hold numbers; None where none does."""
    counts = [count for name in names if (count := whole(raw, name)) is not None]
    return sum(counts) if counts else None


def objects(lines: Lines) -> Iterator[tuple[int, Raw]]:
    """The JSON objects in lines; a line that is cut off or broken is passed over."""
    for offset, line in lines:
        found = parsed(line)
        if found is not None:
            yield offset, found


def time_of(value: object) -> datetime | None:
    """A time as transcripts write it; None where it is none, or one at which there was no agent."""
    if not isinstance(value, str):
        return None
    try:
        found = datetime.fromisoformat(value)
    except ValueError:
        return None
    if found.year not in YEARS:
        return None
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)

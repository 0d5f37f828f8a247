"""Reads transcripts: the records of a stretch, one call of a tool, or what was said last."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Flag, auto
from pathlib import Path

from loremap.clients.registry import client_named
from loremap.clients.transcripts.lines import MAX_BYTES, last_lines, lines
from loremap.clients.transcripts.past import head
from loremap.clients.transcripts.record import (
    TAIL_BYTES,
    Cut,
    LineReader,
    Lines,
    Record,
    Role,
    Seen,
    Transcript,
    objects,
)
from loremap.model.hook import ToolCall

TOKENS_WITHIN = 16
"""Lines from the end: who writes down how full the context is does so with every answer."""
BEFORE_BYTES = 4 * 1024 * 1024
MAX_FILES = 16
"""Files of one session that are gone back to."""
SESSION_BYTES = 1024 * 1024 * 1024
"""What is read of one session at most, a line at a time."""


def records(path: Path, client: str, *, start: int = 0, end: int | None = None) -> Iterator[Record]:
    """What the transcript tells between two places of the file, in order; nothing where there is
    no such file or no reader for the client."""
    written = _written_by(client)
    if written is not None:
        yield from _read(written.records, written.objects(lines(path, start=start, end=end)))


def session_records(paths: Sequence[Path], client: str) -> Iterator[Record]:
    """What a whole session tells that lies in these files, each thing once; and where what was
    told before was taken back."""
    written = _written_by(client)
    if written is None:
        return
    read = written.session or (lambda of: _read(written.records, written.objects(of)))
    every = dict.fromkeys(one for path in paths for one in files_of(path, client))
    begins = {path: number * SESSION_BYTES for number, path in enumerate(every)}
    if written.goes_on_from is None:
        yield from read(line for path, begin in begins.items() for line in _placed(path, begin))
        return
    for path, begin in begins.items():
        base = written.goes_on_from(path)
        if base is not None and begins.get(base[0], begin) < begin:
            yield Record(role=Role.REWOUND, offset=begins[base[0]] + base[1])
        yield from read(_placed(path, begin))


def _placed(path: Path, begin: int) -> Lines:
    """The lines of a file that begins at a place among several."""
    return ((begin + at, line) for at, line in lines(path, most_bytes=SESSION_BYTES))


def latest(path: Path, client: str) -> Path:
    """The file in which a session has gone on last, by any of its files."""
    written = _written_by(client)
    return path if written is None else written.latest(path)


def files_of(path: Path, client: str) -> tuple[Path, ...]:
    """The files of a session that has come to this one, the first one first."""
    written, found = _written_by(client), [path]
    goes_on_from = None if written is None else written.goes_on_from
    while goes_on_from is not None and len(found) < MAX_FILES:
        base = goes_on_from(found[-1])
        if base is None or base[0] in found:
            break
        found.append(base[0])
    return tuple(reversed(found))


def subagent_records(paths: Sequence[Path], client: str) -> Iterator[tuple[str, Iterator[Record]]]:
    """The id of each subagent whose transcript lies beside these files of a session, with what that
    tells."""
    written = _written_by(client)
    if written is None:
        return
    for path in paths:
        for subagent_id, own in written.subagents(path):
            yield subagent_id, session_records([own], client)


def parent_of(path: Path, client: str) -> str:
    """The session that this one was forked from, as its transcript says at its beginning; empty
    where it says nothing of that or cannot be read."""
    written = _written_by(client)
    if written is None:
        return ""
    try:
        said = (written.forked_from(line) for line in head(path))
        return next(filter(None, said), "")
    except OSError:
        return ""


def _written_by(client: str) -> Transcript | None:
    return client_named(client).transcript


def _read(reader: LineReader, of: Lines) -> Iterator[Record]:
    for offset, line in objects(of):
        for record in reader(line):
            yield replace(record, offset=offset)


def call_of(path: Path, client: str, use_id: str, *, near: int | None = None) -> ToolCall | None:
    """The call of that id with what came of it; `near` is where the file ended at that time."""
    written, mark = _written_by(client), use_id.encode()
    if written is None or not use_id:
        return None
    start = 0 if near is None else max(near - BEFORE_BYTES, 0)
    every = written.objects(lines(path, start=start, end=start + MAX_BYTES))
    wanted = ((at, line) for at, line in every if mark in line)
    found: ToolCall | None = None
    for record in _read(written.records, wanted):
        if record.tool is not None and record.tool.use_id == use_id:
            found = joined(found, record)
    return found


def joined(call: ToolCall | None, record: Record) -> ToolCall | None:
    """A call with what another record tells of it."""
    told = record.tool
    if told is None or record.role is Role.CALL or call is None:
        return told if call is None else call
    return replace(
        call,
        result=call.result or told.result,
        success=told.success if call.success is None else call.success,
        error=call.error or told.error,
        duration_ms=call.duration_ms if told.duration_ms is None else told.duration_ms,
    )


@dataclass(slots=True)
class Tail:
    """What the end of a transcript tells, the last of each."""

    said: str = ""
    """The agent's last words in this turn."""
    call: ToolCall | None = None
    """The call that was looked for, with what came of it."""
    context_tokens: int | None = None
    window_tokens: int | None = None


class Wanted(Flag):
    """What the end of a transcript is asked for."""

    SAID = auto()
    CALL = auto()
    TOKENS = auto()


def tail(
    path: Path, client: str, wanted: Wanted, *, use_id: str | None = None, end: int | None = None
) -> Tail:
    """What the last 64 KB of a transcript tell, or those before `end`; read backwards, and no
    further than what is wanted."""
    found, told = Tail(), list[Record]()
    written = _written_by(client)
    if written is None or not written.tells_tokens:
        wanted &= ~Wanted.TOKENS
    if not wanted:
        return found
    for number, step in enumerate(_backwards(path, client, end)):
        if number == TOKENS_WITHIN:
            wanted &= ~Wanted.TOKENS
        for record in step:
            wanted &= ~_taken(found, record, wanted)
            if Wanted.CALL in wanted and use_id and _is_of(record, use_id):
                told.append(record)
                wanted &= ~(Wanted.CALL if record.role is Role.CALL else Wanted(0))
        if not wanted:
            break
    for record in reversed(told):
        found.call = joined(found.call, record)
    return found


def _taken(tail: Tail, record: Record, wanted: Wanted) -> Wanted:
    """Put what a record tells into the tail; what is thereby settled."""
    settled = Wanted(0)
    if Wanted.TOKENS in wanted and record.context_tokens is not None:
        tail.context_tokens, tail.window_tokens = record.context_tokens, record.window_tokens
        settled |= Wanted.TOKENS
    if Wanted.SAID in wanted and record.role in (Role.AGENT, Role.USER):
        tail.said = record.text if record.role is Role.AGENT else ""
        settled |= Wanted.SAID
    return settled


def _is_of(record: Record, use_id: str) -> bool:
    return record.tool is not None and record.tool.use_id == use_id


def asked_first(path: Path, client: str) -> str:
    """What the user asked for, as long as the agent has taken no more than one step since."""
    steps = 0
    for told in _backwards(path, client, None):
        for record in told:
            if record.role is Role.USER:
                return record.text
        steps += any(record.role in (Role.AGENT, Role.CALL) for record in told)
        if steps > 1:
            break
    return ""


def task_of(path: Path, client: str) -> str:
    """What was asked for first, of a transcript that is a subagent's own."""
    told = records(path, client, end=TAIL_BYTES)
    return next((one.text for one in told if one.role is Role.USER), "")


def open_task(path: Path, client: str, kind: str) -> str:
    """The task given to a subagent of that kind of which nothing came yet, where there is but one:
    which of several it is, nobody can tell."""
    done, found = set[str | None](), list[ToolCall]()
    for told in _backwards(path, client, None):
        for record in told:
            tool = record.tool
            if tool is None:
                continue
            if record.role is Role.RESULT:
                done.add(tool.use_id)
            elif tool.task and tool.use_id not in done and kind_asked(tool) in ("", kind):
                found.append(tool)
        if any(record.role is Role.USER for record in told):
            break
    return found[0].task or "" if len(found) == 1 else ""


def kind_asked(tool: ToolCall) -> str:
    """What kind of subagent a call asks for."""
    given = (tool.input.get(name) for name in ("subagent_type", "agent_type", "agent"))
    return next((kind for kind in given if isinstance(kind, str)), "")


def _backwards(path: Path, client: str, end: int | None) -> Iterator[list[Record]]:
    """What the last lines tell, the last one first, each line's records too."""
    written = _written_by(client)
    if written is None:
        return
    told = written.objects((0, line) for line in last_lines(path, end, written.tail_bytes))
    for line in reversed(list(told)):
        yield list(_read(written.records, [line]))[::-1]


def looked(path: Path, client: str, seen: Seen | None) -> tuple[Seen, list[Cut]]:
    """How far the transcript was looked at now, and what was taken back since the last look."""
    written = client_named(client).transcript
    if seen is None or (seen.path != path and not (written and written.goes_on_from)):
        seen = Seen(path)
    if written is None or written.rewound is None:
        return seen, []
    now, cuts = written.rewound(path, seen)
    cuts = [cut for cut in cuts if cut.until >= seen.until]
    return replace(now, until=max((cut.until for cut in cuts), default=seen.until)), cuts

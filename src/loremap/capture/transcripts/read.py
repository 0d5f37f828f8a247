"""Reads transcripts: the records of a stretch, one call of a tool, or what was said last."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Flag, auto
from os import SEEK_END
from pathlib import Path

from loremap.capture.transcripts import claude, codex, copilot, gemini
from loremap.capture.transcripts.record import LineReader, Lines, Record, Role, objects
from loremap.model.hook import ToolCall

READERS: dict[str, LineReader] = {
    "claude": claude.records,
    "codex": codex.records,
    "gemini": gemini.records,
    "copilot": copilot.records,
    "vscode": copilot.records,
}
TAIL_BYTES = 64 * 1024
BEFORE_BYTES = 4 * 1024 * 1024
MOST_BYTES = 32 * 1024 * 1024
"""What one question reads at most: a transcript may hold days of work."""


def records(path: Path, client: str, *, start: int = 0, end: int | None = None) -> Iterator[Record]:
    """What the transcript tells between two places of the file, in order; nothing where there is
    no such file or no reader for the client."""
    reader = READERS.get(client)
    if reader is not None:
        yield from _read(reader, lines(path, start=start, end=end))


def _read(reader: LineReader, of: Lines) -> Iterator[Record]:
    for offset, line in objects(of):
        for record in reader(line):
            yield replace(record, offset=offset)


def lines(path: Path, *, start: int = 0, end: int | None = None) -> Iterator[tuple[int, bytes]]:
    """The whole lines that begin between two places of a file, each with where it begins."""
    try:
        with path.open("rb") as file:
            at = max(start, 0)
            if at:
                file.seek(at - 1)
                at += len(file.readline()) - 1  # the line we are in the midst of
            for line in file:
                if end is not None and at >= end:
                    return
                if line.strip():
                    yield at, line
                at += len(line)
    except OSError:
        return  # gone, or not ours to read


def call_of(path: Path, client: str, use_id: str, *, near: int | None = None) -> ToolCall | None:
    """The call of that id with what came of it; `near` is where the file ended at that time."""
    reader, mark = READERS.get(client), use_id.encode()
    if reader is None or not use_id:
        return None
    start = 0 if near is None else max(near - BEFORE_BYTES, 0)
    wanted = (
        (at, line) for at, line in lines(path, start=start, end=start + MOST_BYTES) if mark in line
    )
    found: ToolCall | None = None
    for record in _read(reader, wanted):
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
    asked: str = ""
    """What the user asked for last."""
    call: ToolCall | None = None
    """The call that was looked for, with what came of it."""
    context_tokens: int | None = None
    window_tokens: int | None = None


class Wanted(Flag):
    """What the end of a transcript is asked for."""

    SAID = auto()
    ASKED = auto()
    CALL = auto()
    TOKENS = auto()


def tail(
    path: Path, client: str, wanted: Wanted, *, use_id: str | None = None, end: int | None = None
) -> Tail:
    """What the last 64 KB of a transcript tell, or those before `end`; read backwards, and no
    further than what is wanted."""
    reader, found, told = READERS.get(client), Tail(), list[Record]()
    for line in _backwards(path, end) if reader is not None else ():
        for record in reversed(list(_read(reader, [(0, line)]))) if reader is not None else ():
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
    if Wanted.ASKED in wanted and record.role is Role.USER:
        tail.asked = record.text
        settled |= Wanted.ASKED
    return settled


def _is_of(record: Record, use_id: str) -> bool:
    return record.tool is not None and record.tool.use_id == use_id


def _backwards(path: Path, end: int | None) -> list[bytes]:
    """The whole lines of the last 64 KB, the last one first."""
    try:
        with path.open("rb") as file:
            size = file.seek(0, SEEK_END) if end is None else end
            start = max(size - TAIL_BYTES, 0)
            file.seek(start)
            block = file.read(size - start)
    except (OSError, ValueError):
        return []
    found = block.split(b"\n")
    return found[::-1] if start == 0 else found[:0:-1]

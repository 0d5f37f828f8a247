"""Reads transcripts: the records of a stretch, one call of a tool, or what was said last."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Flag, auto
from io import BufferedReader
from pathlib import Path

from loremap.clients.transcripts import claude, cline, codex, copilot, gemini
from loremap.clients.transcripts.record import LineReader, Lines, Record, Role, objects
from loremap.model.hook import ToolCall

READERS: dict[str, LineReader] = {
    "claude": claude.records,
    "codex": codex.records,
    "gemini": gemini.records,
    "copilot": copilot.records,
    "vscode": copilot.records,
    "cline": cline.records,
}
TELL_TOKENS = frozenset({"claude", "codex", "gemini", "cline"})
"""Clients that write down how full the context is; of the others it is not looked for."""
TOKENS_WITHIN = 16
"""Lines from the end: who writes it down does so with every answer of the model."""
TAIL_BYTES = 64 * 1024
_LONGER_TAIL = {"cline": 256 * 1024}
"""Where more than what was said last stands at the end of the file."""
BEFORE_BYTES = 4 * 1024 * 1024
MAX_BYTES = 32 * 1024 * 1024
"""What one question reads at most: a transcript may hold days of work."""
LINE_BYTES = 8 * 1024 * 1024
"""A line longer than this is passed over: nobody said as much."""


def records(path: Path, client: str, *, start: int = 0, end: int | None = None) -> Iterator[Record]:
    """What the transcript tells between two places of the file, in order; nothing where there is
    no such file or no reader for the client."""
    reader = READERS.get(client)
    if reader is not None:
        yield from _read(reader, _told(lines(path, start=start, end=end), client))


def _read(reader: LineReader, of: Lines) -> Iterator[Record]:
    for offset, line in objects(of):
        for record in reader(line):
            yield replace(record, offset=offset)


def _told(of: Lines, client: str) -> Lines:
    """The objects of a transcript, each as one line."""
    return cline.messages(of) if client == "cline" else of


def lines(path: Path, *, start: int = 0, end: int | None = None) -> Iterator[tuple[int, bytes]]:
    """The whole lines that begin between two places of a file, each with where it begins; no more
    of them than one question reads at most."""
    at = max(start, 0)
    most = at + MAX_BYTES
    stop = most if end is None else min(end, most)
    try:
        with opened(path) as file:
            if at:
                file.seek(at - 1)
                at += _passed(file, most - at) - 1  # the line we are in the midst of
            while at < stop and (line := file.readline(LINE_BYTES)):
                begun, at = at, at + len(line)
                if len(line) == LINE_BYTES and not line.endswith(b"\n"):
                    at += _passed(file, most - at)
                elif line.strip():
                    yield begun, line
    except (OSError, ValueError, OverflowError):
        return  # gone, not ours to read, or no such place


def _passed(file: BufferedReader, most: int) -> int:
    """Go past the end of the line; how many bytes that were."""
    passed = 0
    while passed <= most and (part := file.readline(TAIL_BYTES)):
        passed += len(part)
        if part.endswith(b"\n"):
            break
    return passed


def opened(path: Path) -> BufferedReader:
    """A file to read from. A client names it, so it may be anything: what is no regular file never
    ends, or never begins."""
    flags = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
    handle = os.open(path, flags | getattr(os, "O_NOCTTY", 0))
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError("not a regular file")
    return os.fdopen(handle, "rb")


def call_of(path: Path, client: str, use_id: str, *, near: int | None = None) -> ToolCall | None:
    """The call of that id with what came of it; `near` is where the file ended at that time."""
    reader, mark = READERS.get(client), use_id.encode()
    if reader is None or not use_id:
        return None
    start = 0 if near is None else max(near - BEFORE_BYTES, 0)
    every = _told(lines(path, start=start, end=start + MAX_BYTES), client)
    wanted = ((at, line) for at, line in every if mark in line)
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
    found, told = Tail(), list[Record]()
    if client not in TELL_TOKENS:
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
    if Wanted.ASKED in wanted and record.role is Role.USER:
        tail.asked = record.text
        settled |= Wanted.ASKED
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
            elif tool.task and tool.use_id not in done and _kind(tool) in ("", kind):
                found.append(tool)
        if any(record.role is Role.USER for record in told):
            break
    return found[0].task or "" if len(found) == 1 else ""


def _kind(tool: ToolCall) -> str:
    """What kind of subagent a call asks for."""
    given = (tool.input.get(name) for name in ("subagent_type", "agent_type", "agent"))
    return next((kind for kind in given if isinstance(kind, str)), "")


def _backwards(path: Path, client: str, end: int | None) -> Iterator[list[Record]]:
    """What the last lines tell, the last one first, each line's records too."""
    reader = READERS.get(client)
    if reader is None:
        return
    most = _LONGER_TAIL.get(client, TAIL_BYTES)
    told = _told(((0, line) for line in last_lines(path, end, most)), client)
    for line in reversed(list(told)):
        yield list(_read(reader, [line]))[::-1]


def last_lines(path: Path, end: int | None, most: int) -> list[bytes]:
    """The whole lines among the last bytes before `end`."""
    try:
        with opened(path) as file:
            size = file.seek(0, os.SEEK_END) if end is None else max(end, 0)
            start = max(size - most, 0)
            file.seek(start)
            block = file.read(size - start)
    except (OSError, ValueError, OverflowError):
        return []
    return block.split(b"\n")[0 if start == 0 else 1 :]

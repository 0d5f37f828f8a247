"""References to events that hooks could not hand over: each taken once, whoever drains.

A reference is a small JSON file `<ns-time>-<pid>.json` with the fields `client`, `event`,
`session_id`, `cwd`, `transcript_path`, `offset` (where the transcript ended), `tool_use_id`,
`tool_name` and `at` (milliseconds); `prompt_id` or `turn_id`, `agent_id` and `agent_type` where
the client told them. What happened is read from the transcript.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from loremap.capture.agents.payload import text, whole
from loremap.capture.agents.read import CALL, told
from loremap.capture.transcripts.read import Wanted, call_of, records, tail
from loremap.capture.transcripts.record import Role
from loremap.model.clock import from_ms
from loremap.model.hook import HookEvent, Moment

TAKEN = ".taken"
ABANDONED_AFTER_S = 120.0
"""A drainer that took a reference and has not finished by then has died."""
MOST_BYTES = 64 * 1024
_NAMES = (
    *("session_id", "cwd", "transcript_path", "tool_use_id", "tool_name"),
    *("prompt_id", "turn_id", "agent_id", "agent_type"),
)


def taken(spool: Path) -> Iterator[Path]:
    """The references that are ours now, oldest first; whoever renames a file first has it."""
    for path in sorted(_waiting(spool)):
        mine = path.with_name(
            f"{path.name.partition('.')[0]}.{os.getpid()}-{time.time_ns()}{TAKEN}"
        )
        try:
            path.rename(mine)
            os.utime(mine)
        except OSError:
            continue  # another was faster
        yield mine


def _waiting(spool: Path) -> Iterator[Path]:
    long_ago = time.time() - ABANDONED_AFTER_S
    try:
        found = list(spool.iterdir())
    except OSError:
        return
    for path in found:
        if path.suffix == ".json":
            yield path
        elif path.suffix == TAKEN:
            with suppress(OSError):  # its owner has just finished with it
                if path.stat().st_mtime < long_ago:
                    yield path


def referred(path: Path, *, now: datetime) -> HookEvent | None:
    """The event that a reference stands for, as far as the transcript still tells; None where it
    stands for none."""
    try:
        raw = json.loads(path.read_bytes()[:MOST_BYTES])
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(raw, dict) or raw.get("incognito") is True:
        return None
    ms = whole(raw, "at")
    at = now if ms is None or not 0 < ms < 1 << 43 else from_ms(ms)
    kept = {name: raw[name] for name in _NAMES if isinstance(raw.get(name), str)}
    name = text(raw, "event", "event_name", "name")
    event = told(kept, client=text(raw, "client"), name=name, env={}, now=at)
    if event is None:
        return None
    if not event.key.startswith(CALL):
        event = replace(event, key=f"spool:{path.name.partition('.')[0]}")
    return _filled(event, whole(raw, "offset"))


def _filled(event: HookEvent, offset: int | None) -> HookEvent:
    """The event with what the transcript tells of it."""
    path = event.transcript
    if path is None:
        return event
    match event.moment:
        case Moment.AFTER_TOOL | Moment.BEFORE_TOOL:
            return _with_call(event, path, offset)
        case Moment.PROMPT:
            return replace(event, prompt=_prompt(event, path, offset))
        case Moment.STOP | Moment.SUBAGENT_STOP:
            return replace(event, said=tail(path, event.client, Wanted.SAID, end=offset).said)
    return event


def _with_call(event: HookEvent, path: Path, offset: int | None) -> HookEvent:
    tool = event.tool
    if tool is None:
        return event
    end = tail(path, event.client, Wanted.SAID, end=offset)
    found = call_of(path, event.client, tool.use_id, near=offset) if tool.use_id else None
    if found is None:
        return replace(event, tool=replace(tool, why=end.said))
    name = tool.name or found.name
    return replace(event, tool=replace(found, name=name, why=found.why or end.said))


def _prompt(event: HookEvent, path: Path, offset: int | None) -> str:
    """The first thing the user says from there on: a hook runs before its prompt is written down,
    or just after."""
    for record in records(path, event.client, start=offset or 0):
        if record.role is Role.USER:
            return record.text
        if record.role in (Role.AGENT, Role.CALL):
            break
    return tail(path, event.client, Wanted.ASKED, end=offset).asked if offset else ""

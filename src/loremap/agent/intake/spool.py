"""References to events that hooks could not hand over: each taken once, whoever drains.

A reference is a small JSON file `<ns-time>-<pid>.json` with the fields `ticket` (by which that run
of a hook is known), `client`, `event`, `session_id`, `cwd`, `transcript_path`, `offset` (where the
transcript ended), `tool_use_id`, `tool_name` and `at` (milliseconds); `prompt_id` or the like,
`agent_id` and `agent_type` where the client told them. What happened is read from the transcript.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

from loremap.clients.hook_events import CALL, told
from loremap.clients.payloads.payload import text, whole
from loremap.clients.surroundings import own_transcript
from loremap.clients.transcript import Wanted, call_of, records, tail
from loremap.clients.transcripts.record import Record, Role
from loremap.model.clock import from_ms
from loremap.model.hook import HookEvent, Moment

REFERENCE, HALF_WRITTEN, TAKEN = ".json", ".new", ".taken"
SETTLED_AFTER_S = 2.0
"""What a hook gave up waiting for is mostly recorded by then, and stands in the transcript."""
ABANDONED_AFTER_S = 120.0
"""Who took a reference, or began to write one, and has not finished by then has died."""
MAX_REFERENCES = 2_000
OLDEST_S = 30 * 86_400.0
"""Hooks hold to both bounds as well: nobody else may be there to do so."""
SAID_WITHIN = timedelta(seconds=60)
SAID_JUST_BEFORE = timedelta(seconds=5)
"""How much later than its hook, and how much earlier, a prompt may be written down."""
MAX_BYTES = 64 * 1024
HOOK = "hook:"
"""How the key of an event begins that only the run of its hook tells from others."""
_BEFORE_BYTES = 64 * 1024
_TICKET = re.compile(r"[0-9a-f]{16}:[0-9]{1,20}-[0-9]{1,20}")
_NAMES = (
    *("session_id", "cwd", "transcript_path", "tool_use_id", "tool_name"),
    *("prompt_id", "turn_id", "generation_id"),
    *("agent_id", "subagent_id", "agent_type", "subagent_type", "parent_agent_id"),
)


class Overfull(Exception):
    """There were too many references, or one was too old: the oldest are gone."""


def hook_key(ticket: str) -> str:
    """The key of an event by the run of the hook that told it; empty where that is not known."""
    return f"{HOOK}{ticket}" if _TICKET.fullmatch(ticket) else ""


def twins(key: str) -> str:
    """How the keys begin of what other runs of a hook told in the same words."""
    return key.rpartition(":")[0] + ":" if key.startswith(HOOK) else ""


def waiting(spool: Path) -> dict[Path, float]:
    """Every file of the spool and how many seconds ago its hook left it; for whoever counts."""
    now_ns = time.time_ns()
    return {path: (now_ns - _born_ns(path)) / 1e9 for path in _found(spool)}


def make_room(spool: Path) -> int:
    """Drop the oldest references where there are too many, and those that are too old; how many."""
    by_age = sorted(waiting(spool).items(), key=lambda one: one[1])
    dropped = [
        path
        for place, (path, age_s) in enumerate(by_age)
        if place >= MAX_REFERENCES or age_s > OLDEST_S
    ]
    for path in dropped:
        path.unlink(missing_ok=True)
    return len(dropped)


def taken(spool: Path) -> Iterator[Path]:
    """The references that are ours now, oldest first; whoever renames a file first has it."""
    for path in sorted(_free(spool)):
        mine = path.with_name(
            f"{path.name.partition('.')[0]}.{os.getpid()}-{time.time_ns()}{TAKEN}"
        )
        try:
            path.rename(mine)
            os.utime(mine)
        except OSError:
            continue  # another was faster
        yield mine


def put_back(path: Path) -> None:
    """Leave a reference that was taken for later."""
    path.rename(path.with_name(path.name.partition(".")[0] + REFERENCE))


def _free(spool: Path) -> Iterator[Path]:
    """The references that nobody is at."""
    long_ago = time.time() - ABANDONED_AFTER_S
    for path, age_s in waiting(spool).items():
        if path.suffix == REFERENCE:
            if not 0 <= age_s < SETTLED_AFTER_S:
                yield path
        elif path.suffix in (TAKEN, HALF_WRITTEN):
            with suppress(OSError):  # its owner has just finished with it
                if path.stat().st_mtime < long_ago:
                    yield path


def _found(spool: Path) -> list[Path]:
    try:
        return list(spool.iterdir())
    except OSError:
        return []


def _born_ns(path: Path) -> int:
    began = path.name.partition("-")[0]
    return int(began) if began.isdecimal() else time.time_ns()


def referred(path: Path, *, now: datetime) -> HookEvent | None:
    """The event that a reference stands for, as far as the transcript still tells; None where it
    stands for none."""
    try:
        raw = json.loads(path.read_bytes()[:MAX_BYTES])
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
        stem = path.name.partition(".")[0]
        event = replace(event, key=hook_key(text(raw, "ticket")) or f"spool:{stem}")
    return _filled(event, whole(raw, "offset"))


def _filled(event: HookEvent, offset: int | None) -> HookEvent:
    """The event with what the transcript tells of it."""
    path = own_transcript(event) or event.transcript
    if path is None:
        return event
    offset = offset if path == event.transcript else None  # it is a place in that one
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
    """What the user said then: a hook runs before its prompt is written down, or just after.
    Nothing where neither is found, for what stands before or later is another prompt."""
    end = offset or 0
    after = _first_said(records(path, event.client, start=end))
    if after is not None and (after.at is None or _is_about(event.at, after.at)):
        return after.text
    start = max(end - _BEFORE_BYTES, 0)
    before = _unanswered(records(path, event.client, start=start, end=end)) if end else None
    if before is not None and before.at is not None and _is_about(event.at, before.at):
        return before.text
    return ""


def _first_said(told: Iterator[Record]) -> Record | None:
    """What the user says before the agent does."""
    for record in told:
        if record.role is Role.USER and not record.in_subagent:
            return record
        if record.role in (Role.AGENT, Role.CALL) and not record.in_subagent:
            break
    return None


def _unanswered(told: Iterator[Record]) -> Record | None:
    """What the user said last, if the agent has not spoken since."""
    last: Record | None = None
    for record in told:
        if record.role in (Role.USER, Role.AGENT, Role.CALL) and not record.in_subagent:
            last = record
    return last if last is not None and last.role is Role.USER else None


def _is_about(hook_at: datetime, said_at: datetime) -> bool:
    return -SAID_JUST_BEFORE <= said_at - hook_at <= SAID_WITHIN

"""What a hook leaves where its event is not known to be safe: a reference, nothing of its content.

Loaded by the client only then. Of Python's `json` it uses what is compiled, for loading the rest
takes longer than all else here. The folder has a bound, which is looked after now and then.
"""

from __future__ import annotations

import _json
import sys
import time

if sys.platform == "win32":
    import nt as system  # pragma: no cover
else:
    import posix as system

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any
if TYPE_CHECKING or __package__:
    from loremap.interfaces.hooks.client import (
        PARSED_BYTES,
        caught,
        exists,
        make_folders,
        write_file,
    )
    from loremap.interfaces.hooks.known import SESSION_ENV
else:
    from client import PARSED_BYTES, caught, exists, make_folders, write_file
    from known import SESSION_ENV

MAX_REFERENCES = 2_000
OLDEST_S = 30 * 86_400.0
"""Agents themselves keep a transcript about as long. The resident holds to both bounds too."""
LOOKS_OF_256 = 4
"""How often of 256 times a hook looks whether there are too many; an agent waits for it."""
MAX_SEEN = 4_096
MAX_DROPPED = 128
"""How much of an overfull folder one hook reads, and removes."""

TURN = (
    *("prompt_id", "turn_id", "generation_id"),
    *("agent_id", "subagent_id", "agent_type", "subagent_type", "parent_agent_id"),
)
WANTED = (
    *("session_id", "sessionId", "conversation_id", "rootSessionId", "taskId", "cwd"),
    *("hook_event_name", "hookEventName", "hookName", "transcript_path", "transcriptPath"),
    *("tool_use_id", "toolUseId", "tool_name", "toolName", *TURN),
)
"""The fields by which an event is found again; never what was said in it."""


class _Reading:
    """How JSON is read: as `json` does, but with line breaks in a text."""

    strict = False
    object_hook = object_pairs_hook = None
    parse_float, parse_int, parse_constant = float, int, float


BROKEN = (ValueError, RecursionError, StopIteration, SystemError)
"""What the compiled reader raises at what is no JSON; the last, where `json` is not loaded."""


class Overfull(Exception):
    """There were too many references, or one was too old: the oldest are gone."""


def leave(home: str, header: dict[str, str], payload: bytes) -> None:
    """Keep a reference to an event that may not have been taken."""
    told = reference(header, payload)
    folder = f"{home}/spool"
    if not exists(folder):
        make_folders(folder)
    name = f"{folder}/{header['ticket'].rpartition(':')[2]}"
    write_file(f"{name}.new", written(told).encode())
    system.rename(f"{name}.new", f"{name}.json")
    if system.urandom(1)[0] < LOOKS_OF_256 and make_room(folder, now_s=time.time()):
        caught(home, "spool", Overfull())


def make_room(folder: str, *, now_s: float) -> int:
    """Drop the oldest references where there are too many, and those that are too old; how many."""
    names: list[str] = []
    with system.scandir(folder) as entries:
        for entry in entries:
            names.append(entry.name)
            if len(names) == MAX_SEEN:
                break
    names.sort()  # each begins with its time
    too_old = f"{int((now_s - OLDEST_S) * 1e9):019}"
    many = len(names) - MAX_REFERENCES
    dropped = [name for place, name in enumerate(names) if place < many or name < too_old]
    for name in dropped[:MAX_DROPPED]:
        try:
            system.unlink(f"{folder}/{name}")
        except OSError:
            continue  # taken up, or dropped by another
    return len(dropped)


def written(told: object) -> str:
    """Texts, numbers and objects of them as JSON."""
    if isinstance(told, dict):
        return "{" + ", ".join(f'"{name}": {written(value)}' for name, value in told.items()) + "}"
    if isinstance(told, str):
        return _json.encode_basestring_ascii(told)
    if isinstance(told, bool):
        return "true" if told else "false"
    return "null" if told is None else str(told)


def reference(header: dict[str, str], payload: bytes) -> dict[str, str | int | None]:
    """The names by which an event is found again in the client's transcript."""
    told = _names(payload)
    transcript = _first(told, "transcript_path", "transcriptPath")
    offset: int | None = None
    if transcript:
        try:
            offset = system.stat(transcript).st_size
        except (OSError, ValueError):
            offset = None
    env = {name[4:]: value for name, value in header.items() if name.startswith("env.")}
    session = _first(told, "session_id", "sessionId", "conversation_id", "rootSessionId", "taskId")
    began_ns = int(header["ticket"].rpartition(":")[2].partition("-")[0])
    return {
        "ticket": header["ticket"],
        "client": header["client"],
        "event": _first(told, "hook_event_name", "hookEventName", "hookName") or header["name"],
        "session_id": session or _first(env, *SESSION_ENV),
        "cwd": told.get("cwd") or header["cwd"],
        "transcript_path": transcript,
        "offset": offset,
        "tool_use_id": _first(told, "tool_use_id", "toolUseId"),
        "tool_name": _first(told, "tool_name", "toolName"),
        "at": began_ns // 1_000_000,
        **{name: told[name] for name in TURN if name in told},
    }


def _first(told: dict[str, str], *names: str) -> str | None:
    return next((told[name] for name in names if told.get(name)), None)


def _names(payload: bytes) -> dict[str, str]:
    if len(payload) > PARSED_BYTES:
        return _searched(payload[: 1 << 16] + payload[-(1 << 16) :])
    try:
        told = parsed(payload)
    except BROKEN:
        return _searched(payload[: 1 << 16])
    told = {**_inner(told), **told}
    return {name: told[name] for name in WANTED if isinstance(told.get(name), str)}


def parsed(payload: bytes) -> dict[str, Any]:
    """An object in JSON; empty where it is something else. Raises one of BROKEN where it is not
    JSON."""
    scan = _json.make_scanner(_Reading)  # type: ignore[arg-type]  # it asks for these fields
    told, _ = scan(payload.decode().lstrip(), 0)
    return told if isinstance(told, dict) else {}


def _inner(told: dict[str, Any]) -> dict[str, Any]:
    """The names that Cline has one level deeper."""
    session, call = told.get("sessionContext"), told.get("tool_result") or told.get("tool_call")
    session = session if isinstance(session, dict) else {}
    call = call if isinstance(call, dict) else {}
    return {
        "rootSessionId": session.get("rootSessionId"),
        "tool_use_id": call.get("id"),
        "tool_name": call.get("name"),
    }


def _searched(payload: bytes) -> dict[str, str]:
    """The names in a payload that is too long, or too broken, to be parsed."""
    found, text = {}, payload.decode("utf-8", "replace")
    for name in WANTED:
        after = text.partition(f'"{name}"')[2].lstrip()
        after = after[1:].lstrip() if after.startswith(":") else ""
        if after.startswith('"'):
            try:
                value, _ = _json.scanstring(after, 1, False)
            except BROKEN:
                continue
            if len(value) < 4_096:
                found[name] = value
    return found

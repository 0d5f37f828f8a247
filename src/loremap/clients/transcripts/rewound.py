"""What a transcript tells of turns that were taken back: what was said in them the agent has lost.

No client fires a hook for it. Each leaves a sign of its own: Codex goes on in another file that
says how much of the one before it keeps, Gemini and Copilot write a line, and Claude gives the next
prompt a parent from before the turns that were dropped.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from loremap.clients.payloads.payload import mapping, text, whole
from loremap.clients.transcripts.read import last_lines, lines, opened
from loremap.clients.transcripts.record import Raw, time_of

EVER = datetime.min.replace(tzinfo=UTC)
MAX_NEW = 2 * 1024 * 1024
"""What one look reads at most; of more only the end."""
MAX_TURN = 8 * 1024 * 1024
MAX_BRANCHES = 16
_BEFORE = 64
_ID = re.compile(r"[0-9a-zA-Z-]{1,100}")
_NOT_PROMPTS = (b'"type":"tool_result"', b'"isMeta":true', b'"isSidechain":true')


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


def looked(path: Path, client: str, seen: Seen | None) -> tuple[Seen, list[Cut]]:
    """How far the transcript was looked at now, and what was taken back since the last look."""
    look = _LOOKS.get(client)
    if seen is None or (seen.path != path and client != "codex"):
        seen = Seen(path)
    if look is None:
        return seen, []
    now, cuts = look(path, seen)
    cuts = [cut for cut in cuts if cut.until >= seen.until]
    return replace(now, until=max((cut.until for cut in cuts), default=seen.until)), cuts


# Codex


def _in_codex(path: Path, seen: Seen) -> tuple[Seen, list[Cut]]:
    """A file for every branch; it says from which place of which other it goes on."""
    meta, known = _meta(path), _meta(seen.path)
    if path == seen.path or not meta or (known and known.get("id") != meta.get("id")):
        return seen, []
    cuts, at = list[Cut](), path
    while meta and len(cuts) < MAX_BRANCHES:
        base = mapping(meta, "history_base")
        before = _branch(at, text(base, "thread_id"))
        kept = None if before is None else _last_time(before, whole(base, "end_byte_offset") or 0)
        cuts.append(Cut(kept or EVER, time_of(meta.get("timestamp")) or EVER))
        if before is None or before == seen.path:
            break
        meta, at = _meta(before), before
    return Seen(path), cuts[::-1]


def _meta(path: Path) -> Raw:
    """What a file says of itself."""
    first = next(lines(path, end=1), None)
    found = _object(first[1]) if first else {}
    return mapping(found, "payload") if text(found, "type") == "session_meta" else {}


def _branch(beside: Path, named: str) -> Path | None:
    """The file of another branch, of the same day or another."""
    if not _ID.fullmatch(named) or len(beside.parents) < 4:
        return None
    for found in (
        *beside.parent.glob(f"*{named}.jsonl"),
        *beside.parents[3].glob(f"*/*/*/*{named}.jsonl"),
    ):
        if found.stem.endswith((f"-{named}", f"_{named}")):
            return found
    return None


# Gemini


def _in_gemini(path: Path, seen: Seen) -> tuple[Seen, list[Cut]]:
    """A line that says which message was taken back, with all that came after it."""
    cuts = list[Cut]()
    seen, new = _new(path, seen)
    end = seen.offset
    for at, line in new:
        end = at + len(line)
        if line.startswith(b'{"$rewindTo"'):
            mark = f'"id":"{text(_object(line), "$rewindTo")}"'.encode()
            first = (begins for begins, told in lines(path, end=at) if mark in told)
            kept = _last_time(path, next(first, 0))
            cuts.append(Cut(kept or EVER, _last_time(path, at) or EVER))
    return _moved(seen, end), cuts


# Copilot


def _in_copilot(path: Path, seen: Seen) -> tuple[Seen, list[Cut]]:
    """The file is cut off, but for what hooks said, and a line says that it was."""
    cuts = list[Cut]()
    seen, new = _new(path, seen)
    end = seen.offset
    for at, line in new:
        end = at + len(line)
        if b'"infoType":"rewind"' in line:
            kept = _last_time(path, at, without=b'"type":"hook.')
            until = time_of(_object(line).get("timestamp"))
            cuts.append(Cut(kept or EVER, until or EVER, start_too=True))
    return _moved(seen, end), cuts


# Claude


def _in_claude(path: Path, seen: Seen) -> tuple[Seen, list[Cut]]:
    """A tree of records: a prompt whose parent stands before the last prompt drops that one."""
    cuts = list[Cut]()
    seen, new = _new(path, seen)
    end, prompt = seen.offset, seen.prompt
    for at, line in new:
        end = at + len(line)
        if not _is_prompt(line):
            continue
        told = _object(line)
        begun, parent = time_of(told.get("timestamp")), text(told, "parentUuid")
        if prompt is not None and begun is not None:
            cut = _dropped(path, parent, prompt=prompt, end=at, until=begun)
            cuts += [] if cut is None else [cut]
        prompt = at
    return replace(_moved(seen, end), prompt=prompt), cuts


def _is_prompt(line: bytes) -> bool:
    return (
        b'"type":"user"' in line
        and b'"promptId"' in line
        and not any(mark in line for mark in _NOT_PROMPTS)
    )


def _dropped(path: Path, parent: str, *, prompt: int, end: int, until: datetime) -> Cut | None:
    """What a prompt at `end` drops whose parent is this; nothing where that stands behind the
    prompt before."""
    if not parent:
        return Cut(EVER, until)
    if end - prompt > MAX_TURN:
        return None  # nobody looks through as much
    mark = f'"uuid":"{parent}"'.encode()
    if mark in _block(path, prompt, end):
        return None
    before = _block(path, max(prompt - MAX_TURN, 0), prompt)
    at = before.rfind(mark)
    if at < 0:
        return None
    begins, ends = before.rfind(b"\n", 0, at) + 1, before.find(b"\n", at)
    return Cut(_time(_object(before[begins:ends])) or EVER, until)


# Means


def _new(path: Path, seen: Seen) -> tuple[Seen, Iterator[tuple[int, bytes]]]:
    """The whole lines written since, and from where; where the file was cut off, those at its
    end."""
    size = _size(path)
    if size < seen.offset or _moved(seen, seen.offset).before != seen.before:
        seen = replace(seen, offset=0, prompt=None)
    start = max(seen.offset, size - MAX_NEW)
    written = lines(path, start=start, end=size) if size > start else iter(())
    return replace(seen, offset=start), (one for one in written if one[1].endswith(b"\n"))


def _moved(seen: Seen, offset: int) -> Seen:
    """Looked at as far as `offset`."""
    before = _block(seen.path, max(offset - _BEFORE, 0), offset)
    return replace(seen, offset=offset, before=before)


def _block(path: Path, start: int, end: int) -> bytes:
    try:
        with opened(path) as file:
            file.seek(start)
            return file.read(end - start)
    except OSError:
        return b""


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _last_time(path: Path, end: int, *, without: bytes = b"\n") -> datetime | None:
    """When the last of the lines before a place was written, without those that hold this."""
    for line in reversed(last_lines(path, end, MAX_NEW)):
        at = None if without in line else _time(_object(line))
        if at is not None:
            return at
    return None


def _time(told: Raw) -> datetime | None:
    return time_of(told.get("timestamp") or mapping(told, "$set").get("lastUpdated"))


def _object(line: bytes) -> Raw:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


_LOOKS: dict[str, Look] = {
    "codex": _in_codex,
    "gemini": _in_gemini,
    "copilot": _in_copilot,
    "claude": _in_claude,
}

"""What a transcript tells of turns that were taken back: what was said in them the agent has lost.

No client fires a hook for it. Each leaves a sign of its own, for which its file looks by the means
at the end of this one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from loremap.clients.payloads.payload import Raw, mapping
from loremap.clients.registry import client_named
from loremap.clients.transcripts.lines import last_lines, lines, opened
from loremap.clients.transcripts.record import time_of

EVER = datetime.min.replace(tzinfo=UTC)
MAX_NEW = 2 * 1024 * 1024
"""What one look reads at most; of more only the end."""
_BEFORE = 64


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
    written = client_named(client).transcript
    if seen is None or (seen.path != path and not (written and written.branches)):
        seen = Seen(path)
    if written is None or written.rewound is None:
        return seen, []
    now, cuts = written.rewound(path, seen)
    cuts = [cut for cut in cuts if cut.until >= seen.until]
    return replace(now, until=max((cut.until for cut in cuts), default=seen.until)), cuts


# Means for the clients' own files


def by_lines(cut_at: Callable[[Path, int, bytes], Cut | None]) -> Look:
    """The look at a file in which a single line tells of what was taken back."""

    def look(path: Path, seen: Seen) -> tuple[Seen, list[Cut]]:
        cuts = list[Cut]()
        seen, new = new_lines(path, seen)
        end = seen.offset
        for at, line in new:
            end = at + len(line)
            cut = cut_at(path, at, line)
            cuts += [] if cut is None else [cut]
        return moved(seen, end), cuts

    return look


def new_lines(path: Path, seen: Seen) -> tuple[Seen, Iterator[tuple[int, bytes]]]:
    """The whole lines written since, and from where; where the file was cut off, those at its
    end."""
    size = _size(path)
    if size < seen.offset or moved(seen, seen.offset).before != seen.before:
        seen = replace(seen, offset=0, prompt=None)
    start = max(seen.offset, size - MAX_NEW)
    written = lines(path, start=start, end=size) if size > start else iter(())
    return replace(seen, offset=start), (one for one in written if one[1].endswith(b"\n"))


def moved(seen: Seen, offset: int) -> Seen:
    """Looked at as far as `offset`."""
    before = block(seen.path, max(offset - _BEFORE, 0), offset)
    return replace(seen, offset=offset, before=before)


def block(path: Path, start: int, end: int) -> bytes:
    """What stands between two places of a file; nothing where it cannot be read."""
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


def last_time(path: Path, end: int, *, without: bytes = b"\n") -> datetime | None:
    """When the last of the lines before a place was written, without those that hold this."""
    for line in reversed(last_lines(path, end, MAX_NEW)):
        at = None if without in line else written_at(object_in(line))
        if at is not None:
            return at
    return None


def written_at(told: Raw) -> datetime | None:
    """When a line was written, by what it says."""
    return time_of(told.get("timestamp") or mapping(told, "$set").get("lastUpdated"))


def object_in(line: bytes) -> Raw:
    """The object of a line; an empty one where it is broken."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}

"""What a transcript tells of turns that were taken back: what was said in them the agent has lost.

No client fires a hook for it. Each leaves a sign of its own, for which its file looks by the means
at the end of this one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from loremap.clients.payloads.payload import Raw, mapping, parsed
from loremap.clients.transcripts.lines import last_lines, lines, opened
from loremap.clients.transcripts.record import Cut, Look, Seen, time_of

MAX_NEW = 2 * 1024 * 1024
"""What one look reads at most; of more only the end."""
_BEFORE = 64


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
    return parsed(line) or {}

"""The lines of a file that a client writes, which may be anything and may grow meanwhile."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from io import BufferedReader
from pathlib import Path

MAX_BYTES = 32 * 1024 * 1024
"""What one question reads at most: a transcript may hold days of work."""
LINE_BYTES = 8 * 1024 * 1024
"""A line longer than this is passed over: nobody said as much."""
PASSED_BYTES = 64 * 1024


def lines(
    path: Path, *, start: int = 0, end: int | None = None, most_bytes: int = MAX_BYTES
) -> Iterator[tuple[int, bytes]]:
    """The whole lines that begin between two places of a file, each with where it begins; no more
    of them than one question reads at most."""
    at = max(start, 0)
    most = at + most_bytes
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
    while passed <= most and (part := file.readline(PASSED_BYTES)):
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

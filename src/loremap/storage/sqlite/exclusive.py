"""Having a database file alone, whatever state it is in, and putting another in its place."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from loremap.errors import Busy

_LOCKS_AT, _LOCKS_LENGTH = 0x40000000, 512
"""Where SQLite's connections lock a file on POSIX: waiting, writing, and reading, the last held by
every connection while it is open."""
_SPOILT = bytes(100)
"""In place of the header: no database any more."""


@contextmanager
def held(path: Path) -> Iterator[int]:
    """A descriptor of the file, while no connection to it is open and none can be made."""
    descriptor = os.open(path, os.O_RDWR)
    try:
        if sys.platform != "win32":  # which replaces no file that anybody has open
            _lock(descriptor, path)
        yield descriptor
    finally:
        os.close(descriptor)


def take_place(fresh: Path, path: Path, *, old: int) -> None:
    """Put `fresh` in the place of the file at `path`, which `old` is a descriptor of.

    A process that waits for the old file must not go on there: its log would bear the name of
    the new one's. It finds the old one spoilt.
    """
    fresh.replace(path)
    os.lseek(old, 0, os.SEEK_SET)
    os.write(old, _SPOILT)


def head_of(path: Path, length: int) -> bytes:
    """The first bytes of a file, read through a descriptor this process has already, if any:
    closing one of its own drops all locks that the process has on the file, SQLite's too."""
    wanted = path.stat()
    for descriptor in _descriptors():
        try:
            if os.path.samestat(os.fstat(descriptor), wanted):
                return os.pread(descriptor, length, 0)
        except OSError:
            continue  # closed since, or not for reading
    with path.open("rb") as file:
        return file.read(length)


def _descriptors() -> list[int]:
    for folder in (Path("/proc/self/fd"), Path("/dev/fd")):
        if folder.is_dir():
            return [int(each.name) for each in folder.iterdir()]
    return []


if sys.platform != "win32":
    import fcntl

    def _lock(descriptor: int, path: Path) -> None:
        try:
            fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, _LOCKS_LENGTH, _LOCKS_AT)
        except (BlockingIOError, PermissionError) as fault:
            raise in_use(path) from fault


def in_use(path: Path) -> Busy:
    """Says that a file has to be let go first."""
    return Busy(
        f"Another process has {path} open; nothing was changed.",
        hint="Close it (agents, `lore` commands) and try again.",
    )

"""The files a hook stands in with: written whole and for their owner only; of an encrypted store
in memory or not at all."""

from __future__ import annotations

import os
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from loremap.config.folders import ensure_private, is_in_memory
from loremap.model.standby import FILE, FOLDER, ONCE, mark_of, memory_places

MADE = '{"made": "'
"""How a guard begins, so that whoever wants to know what it is made of need not read it."""
KEPT_S = 30 * 86_400.0
"""How long it is kept in mind what a session has met."""


def folder_for(home: Path, *, encrypted: bool) -> Path | None:
    """The folder to write to; None if there is none that would be safe."""
    place = home / FOLDER
    ensure_private(place)  # if there is none, a hook does not look further
    if encrypted:
        return next((place for place in _memory(home) if _is_made(place)), None)
    return place if is_ours(place) else None


def made(home: Path, *, encrypted: bool) -> str:
    """What the guard is made of, as its file begins with; empty if there is none."""
    for place in _memory(home) if encrypted else (home / FOLDER,):
        with suppress(OSError), (place / FILE).open("rb") as opened:
            return opened.read(64).decode("ascii", "replace").partition(MADE)[2][:32]
    return ""


def write(file: Path, data: bytes) -> None:
    """Put a file in place at once, readable by its owner only."""
    descriptor, temporary = tempfile.mkstemp(dir=file.parent, prefix=".new-")
    try:
        with os.fdopen(descriptor, "wb") as out:
            out.write(data)
        Path(temporary).replace(file)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def clear(home: Path, *, but: Path | None = None) -> None:
    """Remove what was written, wherever it lies, `but` in one folder."""
    for place in (home / FOLDER, *_memory(home)):
        if place != but and is_ours(place):
            for file in (*place.glob("*.json"), *place.glob(".new-*")):
                file.unlink(missing_ok=True)


def met(home: Path, session: str, what: str) -> float | None:
    """When a hook noted, by itself, that a session has met something; None where it did not."""
    try:
        return (home / FOLDER / ONCE / mark_of(session, what)).stat().st_mtime
    except OSError:
        return None


def drop_old_marks(home: Path) -> None:
    """Forget what sessions met long ago."""
    for mark in (home / FOLDER / ONCE).glob("*"):
        with suppress(FileNotFoundError):  # another process does the same
            if time.time() - mark.stat().st_mtime > KEPT_S:
                mark.unlink()


def is_ours(place: Path) -> bool:
    """Whether it is a folder of this user that nobody else can look into, and no link."""
    try:
        found = place.lstat()
    except OSError:
        return False
    if sys.platform == "win32":
        return stat.S_ISDIR(found.st_mode)
    private = found.st_uid == os.getuid() and not found.st_mode & 0o077
    return stat.S_ISDIR(found.st_mode) and private


def _memory(home: Path) -> Iterator[Path]:
    if sys.platform != "win32":
        yield from map(Path, memory_places(str(home), os.getuid()))


def _is_made(place: Path) -> bool:
    if not (place.parent.is_dir() and is_in_memory(place.parent)):
        return False
    try:
        place.mkdir(mode=0o700, exist_ok=True)
    except OSError:  # not writable, or a file of somebody else
        return False
    return is_ours(place)

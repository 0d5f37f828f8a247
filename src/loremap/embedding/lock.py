"""One process at a time in a folder; the system frees the lock when its holder dies."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from loremap.errors import ModelFailed

_POLL_S = 0.1


@contextmanager
def exclusive(folder: Path, *, timeout_s: float = 900.0) -> Iterator[None]:
    """Hold the folder's lock, waiting up to `timeout_s` for another process to finish."""
    folder.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT, 0o644)
    try:
        deadline = time.monotonic() + timeout_s
        while not _taken(descriptor):
            if time.monotonic() > deadline:
                raise ModelFailed(
                    f"Another process has been preparing the model for {timeout_s:.0f} s.",
                    hint="Wait for it or end it, then try again.",
                )
            time.sleep(_POLL_S)
        yield
    finally:
        os.close(descriptor)


if sys.platform == "win32":
    import msvcrt

    def _taken(descriptor: int) -> bool:
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _taken(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

"""One resident at a time: a lock that the system frees when its holder dies."""

from __future__ import annotations

import os
import sys
import time
from dataclasses import dataclass

from loremap.interfaces.resident.places import RunFolder

PID_BYTES = 20
_POLL_S = 0.05


@dataclass(frozen=True, slots=True)
class Held:
    """The lock of a run folder, held by this process until it ends."""

    descriptor: int
    run: RunFolder

    def still_there(self) -> bool:
        """Whether the lock lies where others look for it; somebody may have removed the folder."""
        try:
            return os.path.samestat(os.fstat(self.descriptor), self.run.lock.stat())
        except OSError:
            return False

    def release(self) -> None:
        """Let another resident begin."""
        os.close(self.descriptor)


def held(run: RunFolder, *, wait_s: float = 0.0) -> Held | None:
    """The lock, or None where another process still has it after `wait_s`."""
    until = time.monotonic() + wait_s
    while True:
        descriptor = os.open(run.lock, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
        if _taken(descriptor):
            found = Held(descriptor, run)
            if found.still_there():
                os.lseek(descriptor, 0, os.SEEK_SET)
                os.write(descriptor, f"{os.getpid():<{PID_BYTES}}".encode())
                return found
        os.close(descriptor)
        if time.monotonic() >= until:
            return None
        time.sleep(_POLL_S)


def holder(run: RunFolder) -> int | None:
    """The process that holds the lock; None where nobody does."""
    try:
        descriptor = os.open(run.lock, os.O_RDWR)
    except OSError:
        return None
    try:
        if _taken(descriptor):
            return None
        os.lseek(descriptor, 0, os.SEEK_SET)
        return int(os.read(descriptor, PID_BYTES) or b"0") or None
    except (OSError, ValueError):
        return None
    finally:
        os.close(descriptor)


if sys.platform == "win32":
    import msvcrt

    def _taken(descriptor: int) -> bool:
        os.lseek(descriptor, 1 << 20, os.SEEK_SET)
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

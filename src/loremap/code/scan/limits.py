"""The limits a worker of a scan sets itself: it ends when it passes one, or when its parent ends.

The system keeps them where it can, because a parser that hangs lets no other thread run.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

OVER_MEMORY = 3
"""How a worker exits that needs more memory than its share."""
_LOOK_SECONDS = 0.25
_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG
_MIB = 1 << 20
_STATM = Path("/proc/self/statm")
_SLACK_MB = 96
"""What counts as data and is never touched: the stacks of threads, arenas half in use."""


def end_with_parent() -> None:
    """Have the system end this process with the thread that started it, where it can.

    Elsewhere the end of the input tells: whoever reads it must call `os._exit`.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)


def cap_memory(most_mb: int) -> None:
    """End this process when it needs more than `most_mb`."""
    if sys.platform == "linux":
        import resource

        most = (most_mb + _SLACK_MB) * _MIB
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))
    threading.Thread(target=_watch_memory, args=(most_mb,), daemon=True).start()


def _watch_memory(most_mb: int) -> None:
    while resident_mb() <= most_mb:
        time.sleep(_LOOK_SECONDS)
    os._exit(OVER_MEMORY)


@contextmanager
def processor_seconds(most: float) -> Iterator[None]:
    """End this process when the block takes longer than `most` of its processor's time.

    Where the system has no such clock, the parent's patience is the limit.
    """
    if not hasattr(signal, "setitimer"):
        yield
        return
    signal.setitimer(signal.ITIMER_PROF, most)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def resident_mb() -> int:
    """How much memory this process holds, or has held at most where only that is known."""
    if sys.platform == "linux":
        pages = int(_STATM.read_bytes().split()[1])
        return pages * os.sysconf("SC_PAGESIZE") // _MIB
    if sys.platform == "win32":
        return _resident_on_windows() // _MIB
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // _MIB  # macOS counts bytes


def _resident_on_windows() -> int:
    sizes = (ctypes.c_size_t * 10)()  # PROCESS_MEMORY_COUNTERS: two 32-bit numbers, then sizes
    library = ctypes.WinDLL("psapi")  # type: ignore[attr-defined,unused-ignore]
    kernel = ctypes.WinDLL("kernel32")  # type: ignore[attr-defined,unused-ignore]
    kernel.GetCurrentProcess.restype = ctypes.c_void_p
    own = ctypes.c_void_p(kernel.GetCurrentProcess())
    known = library.GetProcessMemoryInfo(own, sizes, ctypes.sizeof(ctypes.c_size_t) * 8 + 8)
    return sizes[2] if known else 0

"""One process at a time in a folder; the system frees the lock when its holder dies."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from loremap.errors import ModelFailed


@contextmanager
def exclusive(folder: Path, *, timeout_s: float = 900.0) -> Iterator[None]:
    """Hold the folder's lock, waiting up to `timeout_s` for another process to finish."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(folder / ".lock", timeout=timeout_s, poll_interval=0.1):
            yield
    except Timeout as fault:
        raise ModelFailed(
            f"Another process has been preparing the model for {timeout_s:.0f} s.",
            hint="Wait for it or end it, then try again.",
        ) from fault

"""Collects what is measured while others wait, and writes it down in batches behind them."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from threading import Lock, Timer
from typing import Protocol

from loremap.errors import StoreError
from loremap.storage import metrics
from loremap.storage.metrics import Noted
from loremap.storage.store import Store

EVERY_S = 10.0
MAX_WAITING = 10_000
"""Where the store cannot be written for long, the oldest values go."""


class Noting(Protocol):
    """Takes note of one measured value."""

    def __call__(
        self,
        name: str,
        value: float,
        *,
        project_id: str | None = None,
        session_id: str | None = None,
    ) -> None:
        """Note it."""


def unnoted(
    name: str, value: float, *, project_id: str | None = None, session_id: str | None = None
) -> None:
    """Nobody measures."""


class Meter:
    """What was measured and is not written yet. Noting a value never touches the disk; a timer
    that runs only while something waits writes it."""

    def __init__(
        self,
        store: Store,
        *,
        now: Callable[[], datetime],
        every_s: float = EVERY_S,
        records: Callable[[], bool] = lambda: True,
    ) -> None:
        self._store = store
        self._now = now
        self._records = records
        self._every_s = every_s
        self._waiting: deque[Noted] = deque(maxlen=MAX_WAITING)
        self._timer: Timer | None = None
        self._closed = False
        self._lock = Lock()

    def note(
        self,
        name: str,
        value: float,
        *,
        project_id: str | None = None,
        session_id: str | None = None,
    ) -> None:
        """Note one value, to be written soon; none where nothing is to be recorded."""
        if not self._records():
            return
        one = Noted(
            at=self._now(), name=name, value=value, project_id=project_id, session_id=session_id
        )
        with self._lock:
            self._waiting.append(one)
            if self._timer is None and not self._closed:
                self._timer = Timer(self._every_s, self.flush)
                self._timer.daemon = True
                self._timer.start()

    @contextmanager
    def timed(
        self, name: str, *, project_id: str | None = None, session_id: str | None = None
    ) -> Iterator[None]:
        """Note how many milliseconds something takes; what fails is not noted."""
        began = time.perf_counter()
        yield
        took_ms = (time.perf_counter() - began) * 1_000
        self.note(name, took_ms, project_id=project_id, session_id=session_id)

    def flush(self) -> int:
        """Write what waits; how many values that were. What cannot be written waits on."""
        with self._lock:
            timer, self._timer = self._timer, None
            batch = list(self._waiting)
            self._waiting.clear()
        if timer is not None:
            timer.cancel()
        if not batch:
            return 0
        with suppress(StoreError):
            with self._store.append() as conn:
                metrics.note_all(conn, batch)
            return len(batch)
        with self._lock:
            self._waiting.extendleft(reversed(batch))
        return 0

    def close(self) -> None:
        """Write what waits, and take nothing more on."""
        with self._lock:
            self._closed = True
        self.flush()

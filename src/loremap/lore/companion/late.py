"""Answers in time: work on threads of its own, and a deadline for whoever waits."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import BoundedSemaphore
from typing import TypeVar

WORKERS = 4
MOST_AT_WORK = 64
"""Questions that may be at work or wait; past that a hook is answered with nothing at once."""

T = TypeVar("T")


class Inline:
    """Work that somebody waits for, but not for long."""

    def __init__(
        self, *, deadline_s: Callable[[], float], failed: Callable[[BaseException], None]
    ) -> None:
        self._deadline_s = deadline_s
        self._failed = failed
        self._pool = ThreadPoolExecutor(WORKERS, thread_name_prefix="memory-agent")
        self._free = BoundedSemaphore(MOST_AT_WORK)
        self.dropped = 0
        """How many questions found everybody busy."""

    def done(
        self,
        work: Callable[[], T],
        *,
        late: Callable[[T], None] = lambda _: None,
        wait_s: float = 0.0,
    ) -> T | None:
        """What `work` gives, if it does so by the deadline or in `wait_s`, whichever is later;
        `late` is given it otherwise."""
        if not self._free.acquire(blocking=False):
            self.dropped += 1
            return None
        future = self._pool.submit(work)
        future.add_done_callback(lambda _: self._free.release())
        try:
            return future.result(max(self._deadline_s(), wait_s))
        except TimeoutError:
            if future.done() and not future.cancelled() and future.exception() is not None:
                raise  # the work itself ran into a limit of its own
            future.add_done_callback(lambda done: self._came_late(done, late))
            return None

    def close(self) -> None:
        """End when what is at work is done; what waits is dropped."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _came_late(self, done: Future[T], late: Callable[[T], None]) -> None:
        if done.cancelled():
            return
        fault = done.exception()
        if fault is None:
            late(done.result())
        else:
            self._failed(fault)

"""Answers in time: work on threads of its own, and a deadline for whoever waits."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from typing import TypeVar

from loremap.agent.background import awaited

WORKERS = 4
MAX_AT_WORK = 64
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
        self._lock = Lock()
        self._at_work = 0
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
        if not self._begin():
            return None
        is_late = False
        try:
            future = self._pool.submit(work)
            return future.result(max(self._deadline_s(), wait_s))
        except TimeoutError:
            if future.done() and not future.cancelled() and future.exception() is not None:
                raise  # the work itself ran into a limit of its own
            is_late = True
            future.add_done_callback(lambda done: self._came_late(done, late))
            return None
        finally:
            if not is_late:
                self._finish()

    def settle(self, timeout_s: float) -> bool:
        """Wait until all that was begun is done, what came late too; False where that took too
        long."""
        return awaited(lambda: not self._at_work, timeout_s)

    def close(self) -> None:
        """End when what is at work is done; what waits is dropped."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _begin(self) -> bool:
        with self._lock:
            if self._at_work >= MAX_AT_WORK:
                self.dropped += 1
                return False
            self._at_work += 1
            return True

    def _finish(self) -> None:
        with self._lock:
            self._at_work -= 1

    def _came_late(self, done: Future[T], late: Callable[[T], None]) -> None:
        try:
            if done.cancelled():
                return
            fault = done.exception()
            if fault is None:
                late(done.result())
            else:
                self._failed(fault)
        finally:
            self._finish()

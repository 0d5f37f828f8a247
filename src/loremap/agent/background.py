"""Work on threads of its own: what nobody waits for, and what somebody waits for until a deadline.

Handing it over never blocks, and what is too much is dropped.
"""

from __future__ import annotations

import queue
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from threading import Lock, Thread
from typing import Generic, TypeVar

T = TypeVar("T")

AT_ONCE = 200
WORKERS = 4
MAX_AT_WORK = 64
"""Questions that may be at work or wait; past that a hook is answered with nothing at once."""
_LOOK_S = 0.005


class Notes(Generic[T]):
    """Small things to write down, those that wait together in one go."""

    def __init__(self, write: Callable[[Sequence[T]], None], *, name: str, most: int) -> None:
        self._write = write
        self._queue: queue.Queue[T | None] = queue.Queue(maxsize=most)
        self.dropped = 0
        """How many found the queue full."""
        self._thread = Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def hand(self, note: T) -> bool:
        """Hand a note over; False where too many wait already, and it is dropped."""
        try:
            self._queue.put_nowait(note)
        except queue.Full:
            self.dropped += 1
            return False
        return True

    def settle(self, timeout_s: float) -> bool:
        """Wait until all that was handed over is written; False where that took too long."""
        return awaited(lambda: not self._queue.unfinished_tasks, timeout_s)

    def close(self, timeout_s: float = 10.0) -> None:
        """Write what waits, for so long at most, and end."""
        self.settle(timeout_s)
        with suppress(queue.Full):
            self._queue.put_nowait(None)
        self._thread.join(timeout_s)

    def _run(self) -> None:
        while True:
            notes = [self._queue.get()]
            while len(notes) < AT_ONCE and None not in notes:
                try:
                    notes.append(self._queue.get_nowait())
                except queue.Empty:
                    break
            try:
                self._write([note for note in notes if note is not None])
            finally:
                for _ in notes:
                    self._queue.task_done()
            if None in notes:
                return


class Later:
    """Longer work, one piece after another. Whatever a piece raises ends that piece alone."""

    def __init__(self, *, name: str, most: int, failed: Callable[[BaseException], None]) -> None:
        self._pool = ThreadPoolExecutor(1, thread_name_prefix=name)
        self._most = most
        self._failed = failed
        self._waiting = 0
        self._lock = Lock()
        self.dropped = 0
        """How much found too much waiting."""

    def hand(self, job: Callable[[], None]) -> bool:
        """Hand work over; False where too much waits already, and it is dropped."""
        with self._lock:
            if self._waiting >= self._most:
                self.dropped += 1
                return False
            self._waiting += 1
        try:
            self._pool.submit(job).add_done_callback(self._done)
        except RuntimeError:  # it is closed already
            self._finish()
            return False
        return True

    def settle(self, timeout_s: float) -> bool:
        """Wait until all that was handed over is done; False where that took too long."""
        return awaited(lambda: not self._waiting, timeout_s)

    def close(self) -> None:
        """End after the piece at work; what waits is dropped."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _done(self, future: Future[None]) -> None:
        self._finish()
        fault = None if future.cancelled() else future.exception()
        if fault is not None:
            self._failed(fault)

    def _finish(self) -> None:
        with self._lock:
            self._waiting -= 1


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


def awaited(is_so: Callable[[], bool], timeout_s: float) -> bool:
    """Whether something became so in time."""
    until = time.monotonic() + timeout_s
    while not is_so():
        if time.monotonic() > until:
            return False
        time.sleep(_LOOK_S)
    return True

"""Appends events to the log: whatever waits is written by one thread in one transaction."""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from threading import Lock, Thread

from loremap.agent.metrics.meter import Noting, unnoted
from loremap.agent.metrics.rules import Measure
from loremap.errors import LoremapError
from loremap.model.event import Event
from loremap.storage import events
from loremap.storage.store import Store

MAX_AT_ONCE = 512

_Waiting = tuple[Sequence[Event], "Future[set[str]]"]


class EventLog:
    """The log as many threads write to it: a commit to disk is shared by all that wait for one."""

    def __init__(self, store: Store, *, measured: Noting = unnoted) -> None:
        self._store = store
        self._measured = measured
        self._queue: SimpleQueue[_Waiting | None] = SimpleQueue()
        self._lock = Lock()
        self._thread: Thread | None = None
        self._closed = False

    def append(self, fresh: Sequence[Event]) -> Future[set[str]]:
        """Hand events over; the future has the ids of the new ones once they are on disk."""
        future: Future[set[str]] = Future()
        with self._lock:
            if self._closed:
                future.set_exception(RuntimeError("the log is closed"))
                return future
            if self._thread is None:
                self._thread = Thread(target=self._run, name="event-log", daemon=True)
                self._thread.start()
            self._queue.put((fresh, future))
        return future

    def close(self) -> None:
        """Write what waits, and end."""
        with self._lock:
            self._closed = True
            thread = self._thread
            self._queue.put(None)
        if thread is not None:
            thread.join()

    def _run(self) -> None:
        while (first := self._queue.get()) is not None:
            waiting, ends = self._taken(first)
            self._write(waiting)
            if ends:
                return

    def _taken(self, first: _Waiting) -> tuple[list[_Waiting], bool]:
        """All that waits by now, and whether the end does."""
        waiting, size = [first], len(first[0])
        while size < MAX_AT_ONCE:
            try:
                more = self._queue.get_nowait()
            except Empty:
                break
            if more is None:
                return waiting, True
            waiting.append(more)
            size += len(more[0])
        return waiting, False

    def _write(self, waiting: Sequence[_Waiting]) -> None:
        began = time.perf_counter()
        try:
            with self._store.append() as conn:
                added = events.append(conn, [event for fresh, _ in waiting for event in fresh])
        except Exception as fault:  # noqa: BLE001  it is raised again where the event came from
            if len(waiting) > 1:  # one of them may be at fault; the others shall not go with it
                for one in waiting:
                    self._write([one])
                return
            for _, future in waiting:
                future.set_exception(fault if isinstance(fault, LoremapError) else _lost(fault))
            return
        self._measured(Measure.WRITE, (time.perf_counter() - began) * 1000)
        for fresh, future in waiting:
            future.set_result({event.id for event in fresh if event.id in added})


def _lost(fault: Exception) -> RuntimeError:
    lost = RuntimeError("events could not be written")
    lost.__cause__ = fault
    return lost

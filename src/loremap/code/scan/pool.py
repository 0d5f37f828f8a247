"""Worker processes for a scan: they read and link, this process writes.

A worker speaks pickles over its pipes, works under limits of memory and time, and ends with this
process, whatever ends it. One that dies, hangs or grows over a file costs that file only.
"""

from __future__ import annotations

import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import IO, Any, Self

from loremap.code.scan.limits import OVER_MEMORY

MAX_WORKERS = 8
OWN_MB = 300
"""What of the memory of a scan is left to the process that writes."""
WORKER_MB = 200
"""The least that a worker needs; where there is less for each, there are fewer."""
FULL_SHARE = 0.6
"""A worker that holds this share of its memory is replaced when it is done with its task."""
ITEM_SECONDS = 30.0
"""Of processor time, for one file; the more files are lost in a scan, the less each may take."""
LEAST_SECONDS = 2.0
SILENT_SECONDS = 180.0
"""A worker that answers nothing for so long is given up, whatever it waits for."""
_LOOK_SECONDS = 1.0

TOO_LONG = "failed: took too long"
TOO_LARGE = "failed: took too much memory"
DIED = "failed: the parser died or ran out of memory"

Task = tuple[str, tuple[Any, ...], Sequence[Any]]
"""The name of a job, its fixed arguments, and the items to do it for."""


@dataclass(frozen=True, slots=True)
class Failed:
    """An item that could not be done."""

    item: Any
    why: str


class Worker:
    """One process that does a batch at a time."""

    def __init__(self, most_mb: int) -> None:
        self._most_mb = most_mb
        self._process = subprocess.Popen(
            # -P: nothing of the folder it is started in is imported
            [sys.executable, "-P", "-m", "loremap.code.scan.worker", str(most_mb)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
        self._given: tuple[Any, ...] | None = None
        self._busy_since: float | None = None
        self._silent = False
        self.fresh = True
        """Whether it has done nothing yet, so that what ends it now is the item's own fault."""
        self.full = False
        """Whether it should make room for another."""

    def done(self, task: Task, *, seconds: float) -> Iterator[Any]:
        """The answers, one for each item; EOFError where the process ends before the last."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        name, fixed, items = task
        try:
            given = None if fixed is self._given else fixed
            self._busy_since = time.monotonic()
            send(self._process.stdin, (name, given, items, seconds))
            self._given = fixed
            for _ in items:
                answer, resident_mb = receive(self._process.stdout)
                self._busy_since = time.monotonic()
                self.fresh = False
                self.full = resident_mb > FULL_SHARE * self._most_mb
                yield answer
        except (OSError, ValueError) as fault:  # closed, at either end
            raise EOFError from fault
        finally:
            self._busy_since = None

    def end_if_silent(self, now: float) -> None:
        """Kill the process if it has said nothing for too long."""
        since = self._busy_since
        if since is not None and now - since > SILENT_SECONDS:
            self._silent = True
            self._process.kill()

    def kill(self) -> None:
        """End the process now."""
        self._process.kill()

    def close(self) -> str:
        """End the process; why it had ended by itself, if it had."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(0.1)
        self._process.kill()
        code = self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            with suppress(OSError):
                pipe.close()
        if code == OVER_MEMORY:
            return TOO_LARGE
        timed_out = self._silent or code == -getattr(signal, "SIGPROF", 0)
        return TOO_LONG if timed_out else DIED


def worker_count(memory_mb: int) -> int:
    """How many processes a large scan uses: the cores it may run on, if they have the memory."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    fitting = max(1, (memory_mb - OWN_MB) // WORKER_MB)
    return min(cores or 1, MAX_WORKERS, fitting)


class _Shares:
    """Tasks in as many shares as there are workers: what lies side by side is done by one of them,
    which then knows what its neighbours rest on. Who has done its own share helps with another."""

    def __init__(self, count: int) -> None:
        self._shares = [deque[Task]() for _ in range(count)]
        self._changed = threading.Condition()
        self._closed = False

    def put(self, tasks: Sequence[Task]) -> None:
        """Share out tasks that belong together where they stand together."""
        count = len(self._shares)
        with self._changed:
            for place, share in enumerate(self._shares):
                share.extend(tasks[place * len(tasks) // count : (place + 1) * len(tasks) // count])
            self._changed.notify_all()

    def take(self, place: int) -> Task | None:
        """The next task for the worker at `place`, waited for; None when there are no more."""
        with self._changed:
            while not self._closed:
                if self._shares[place]:
                    return self._shares[place].popleft()
                if largest := max(self._shares, key=len):
                    return largest.pop()
                self._changed.wait()
        return None

    def close(self) -> None:
        """Give no more tasks to anybody."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()


class Crew:
    """As many workers as there are cores, started at once and kept for all tasks of a scan.

    Each belongs to a thread that lives as long as the crew: the system ends a worker with the
    thread that started it.
    """

    def __init__(self, memory_mb: int) -> None:
        count = worker_count(memory_mb)
        self._worker_mb = max(WORKER_MB, (memory_mb - OWN_MB) // count)
        self._tasks = _Shares(count)
        self._done: queue.Queue[list[Any] | BaseException] = queue.Queue(maxsize=2 * count)
        self._closing = threading.Event()
        self._lost = 0
        self._workers: dict[int, Worker] = {}
        self._threads = [
            threading.Thread(target=self._serve, args=(place,), daemon=True)
            for place in range(count)
        ]
        for thread in (*self._threads, threading.Thread(target=self._watch, daemon=True)):
            thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *fault: object) -> None:
        self._closing.set()
        for worker in list(self._workers.values()):
            worker.kill()
        self._tasks.close()
        for thread in self._threads:
            while thread.is_alive():
                with suppress(queue.Empty):  # what nobody waits for any more
                    self._done.get_nowait()
                thread.join(0.01)

    def answers(self, tasks: Sequence[Task]) -> Iterator[list[Any]]:
        """The answers of the tasks, in the order they are done; `Failed` stands for a lost item."""
        self._tasks.put(tasks)
        for _ in tasks:
            answer = self._done.get()
            if isinstance(answer, BaseException):
                raise answer
            yield answer

    def _watch(self) -> None:
        while not self._closing.wait(_LOOK_SECONDS):
            for worker in list(self._workers.values()):
                worker.end_if_silent(time.monotonic())

    def _serve(self, place: int) -> None:
        try:
            self._workers[place] = Worker(self._worker_mb)
            while (task := self._tasks.take(place)) is not None:
                answers = self._answered(place, task)
                self._done.put(answers)
        except BaseException as fault:  # noqa: BLE001  raised again by the thread that waits for us
            self._done.put(fault)
        finally:
            if place in self._workers:
                self._workers[place].close()

    def _answered(self, place: int, task: Task) -> list[Any]:
        """The answers to one task; the item that ends two workers is given up."""
        name, fixed, items = task
        left = deque(items)
        answers: list[Any] = []
        while left and not self._closing.is_set():
            worker = self._workers[place]
            try:
                for answer in worker.done((name, fixed, tuple(left)), seconds=self._seconds()):
                    answers.append(answer)
                    left.popleft()
            except EOFError:
                why = self._replace(place)
                if worker.fresh:
                    answers.append(Failed(left.popleft(), why))
                    self._lost += 1
        if self._workers[place].full:
            self._replace(place)
        return answers

    def _seconds(self) -> float:
        return max(LEAST_SECONDS, ITEM_SECONDS / (1 + self._lost))

    def _replace(self, place: int) -> str:
        why = self._workers[place].close()
        if not self._closing.is_set():
            self._workers[place] = Worker(self._worker_mb)
        return why


def send(pipe: IO[bytes], value: object) -> None:
    """Write one value to a pipe."""
    data = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
    pipe.write(len(data).to_bytes(8, "little") + data)
    pipe.flush()


def receive(pipe: IO[bytes]) -> Any:
    """Read one value from a pipe; EOFError where it was closed."""
    head = pipe.read(8)
    if len(head) < 8:
        raise EOFError
    data = pipe.read(size := int.from_bytes(head, "little"))
    if len(data) < size:
        raise EOFError
    return pickle.loads(data)

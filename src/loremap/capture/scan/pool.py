"""Worker processes for a scan: they read and link, this process writes.

A worker speaks pickles over its pipes and ends when they close, so none is ever left behind; one
that dies or hangs over a file costs that file only.
"""

from __future__ import annotations

import os
import pickle
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import IO, Any, Self

MOST_WORKERS = 8
TASK_SECONDS = 60.0
"""A batch that takes longer is given up and its files are tried one by one."""
ITEM_SECONDS = 20.0
"""A file that takes longer alone is given up for good, until it changes."""

Task = tuple[str, tuple[Any, ...], Sequence[Any]]
"""The name of a job, its fixed arguments, and the items to do it for."""


@dataclass(frozen=True, slots=True)
class Failed:
    """An item over which a worker died or hung."""

    item: Any
    why: str


class Worker:
    """One process that does a batch at a time."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "loremap.capture.scan.worker"],  # no code of the project
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )

    def done(self, task: Task) -> list[Any]:
        """What the worker answers; EOFError if it died or was stopped for taking too long."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        seconds = ITEM_SECONDS if len(task[2]) == 1 else TASK_SECONDS
        alarm = threading.Timer(seconds, self._process.kill)
        alarm.daemon = True
        alarm.start()
        try:
            send(self._process.stdin, task)
            answer: list[Any] = receive(self._process.stdout)
            return answer
        except OSError as fault:
            raise EOFError from fault
        finally:
            alarm.cancel()

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            pipe.close()


def worker_count() -> int:
    """How many processes a large scan uses: the cores this process may run on."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return min(cores or 1, MOST_WORKERS)


class Crew:
    """As many workers as there are cores, started at once and kept for all tasks of a scan."""

    def __init__(self) -> None:
        self._workers = [Worker() for _ in range(worker_count())]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *fault: object) -> None:
        for worker in self._workers:
            worker.close()

    def answers(self, tasks: Sequence[Task]) -> Iterator[list[Any]]:
        """The answers of the tasks, in the order they are done; `Failed` stands for a lost item."""
        waiting: queue.SimpleQueue[Task] = queue.SimpleQueue()
        for task in tasks:
            waiting.put(task)
        done: queue.SimpleQueue[list[Any] | BaseException | None] = queue.SimpleQueue()
        stop = threading.Event()
        threads = [
            threading.Thread(target=self._serve, args=(place, waiting, done, stop), daemon=True)
            for place in range(len(self._workers))
        ]
        for thread in threads:
            thread.start()
        try:
            running = len(threads)
            while running:
                answer = done.get()
                if answer is None:
                    running -= 1
                elif isinstance(answer, BaseException):
                    raise answer
                else:
                    yield answer
        finally:
            stop.set()
            for thread in threads:
                thread.join()

    def _serve(
        self,
        place: int,
        waiting: queue.SimpleQueue[Task],
        done: queue.SimpleQueue[list[Any] | BaseException | None],
        stop: threading.Event,
    ) -> None:
        try:
            while not stop.is_set():
                try:
                    task = waiting.get_nowait()
                except queue.Empty:
                    break
                done.put(self._done(place, task, stop))
        except BaseException as fault:  # noqa: BLE001  raised again by the thread that waits for us
            done.put(fault)
        finally:
            done.put(None)

    def _done(self, place: int, task: Task, stop: threading.Event) -> list[Any]:
        """The answer of one worker; the items of a batch that killed it are tried one by one."""
        try:
            return self._workers[place].done(task)
        except EOFError:
            self._replace(place)
        name, fixed, items = task
        if len(items) == 1:
            return [Failed(items[0], "failed: the parser died")]
        answer: list[Any] = []
        for item in items:
            if not stop.is_set():
                answer += self._done(place, (name, fixed, [item]), stop)
        return answer

    def _replace(self, place: int) -> None:
        self._workers[place].close()
        self._workers[place] = Worker()


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

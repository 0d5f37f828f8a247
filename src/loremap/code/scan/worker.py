"""The process that `pool` starts: reads tasks from its input, writes answers to its output."""

from __future__ import annotations

import gc
import os
import queue
import sys
import threading
from contextlib import suppress
from typing import Any

from loremap.code.scan import limits
from loremap.code.scan.jobs import done
from loremap.code.scan.pool import receive, send


def main(most_mb: int) -> None:
    """Work until the input ends."""
    limits.end_with_parent()
    limits.cap_memory(most_mb)
    gc.disable()  # we end before garbage in cycles matters, and looking for it costs a third
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    # Whatever else is printed here must not come between the answers.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    tasks: queue.SimpleQueue[Any] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(tasks,), daemon=True).start()
    fixed: tuple[Any, ...] = ()
    while True:
        name, given, items, seconds = tasks.get()
        fixed = fixed if given is None else given
        for item in items:
            with limits.processor_seconds(seconds):
                try:
                    answer = done(name, fixed, item)
                except MemoryError:
                    os._exit(limits.OVER_MEMORY)
            send(answers, (answer, limits.resident_mb()))


def _listen(tasks: queue.SimpleQueue[Any]) -> None:
    """Take tasks until the other end is closed; whoever sent them is gone then, and so are we."""
    try:
        while True:
            tasks.put(receive(sys.stdin.buffer))
    finally:
        os._exit(0)


if __name__ == "__main__":
    # The user interrupted us and our parent, or our parent ended: nothing is lost.
    with suppress(KeyboardInterrupt, BrokenPipeError):
        main(int(sys.argv[1]))

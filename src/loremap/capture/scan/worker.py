"""The process that `pool` starts: reads tasks from its input, writes answers to its output."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from loremap.capture.scan.jobs import JOBS
from loremap.capture.scan.pool import Failed, receive, send


def main() -> None:
    """Work until the input ends."""
    gc.disable()  # we end before garbage in cycles matters, and looking for it costs a third
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    # Whatever else is printed here must not come between the answers.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    while True:
        name, fixed, items = receive(sys.stdin.buffer)
        send(answers, _done(name, fixed, items))


def _done(name: str, fixed: Sequence[Any], items: Sequence[Any]) -> list[Any]:
    try:
        return JOBS[name](*fixed, items)
    except Exception as fault:  # noqa: BLE001  an error of ours costs one file and is counted
        if len(items) == 1:
            return [Failed(items[0], f"failed: {type(fault).__name__}")]
    return [answer for item in items for answer in _done(name, fixed, [item])]


if __name__ == "__main__":
    # The other end closed, or the user interrupted both of us: nothing is lost.
    with suppress(EOFError, KeyboardInterrupt, BrokenPipeError):
        main()

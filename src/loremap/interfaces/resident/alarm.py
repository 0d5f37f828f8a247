"""Ends a resident that no longer moves: the next event of an agent starts another."""

from __future__ import annotations

import logging
import os
import threading
import time

log = logging.getLogger("loremap.resident")

STUCK_S = 60.0
LOOK_S = 5.0
END_S = 20.0
"""How long letting go of everything may take."""


class Alarm:
    """One thread that looks whether the others still move."""

    def __init__(self) -> None:
        self._beat = time.monotonic()
        self._late = 0
        self._thread = threading.Thread(target=self._look, name="alarm", daemon=True)

    def start(self) -> None:
        """Begin to look."""
        self._thread.start()

    def beat(self) -> None:
        """All moves."""
        self._beat = time.monotonic()

    def ending(self) -> None:
        """From now on there is little time left."""
        timer = threading.Timer(END_S, _end, ("letting go took too long",))
        timer.daemon = True
        timer.start()

    def _look(self) -> None:
        while True:
            time.sleep(LOOK_S)
            # Twice, because a process that was stopped for a while is late without being stuck.
            late = time.monotonic() - self._beat > STUCK_S
            self._late = self._late + 1 if late else 0
            if self._late > 1:
                _end("it was stuck")


def _end(why: str) -> None:
    log.error("ended by force: %s", why)
    logging.shutdown()
    os._exit(1)

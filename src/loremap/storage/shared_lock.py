"""A lock that many threads may hold together, or one alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition


class SharedLock:
    """Who wants to be alone comes before those who come later, so that a stream of readers keeps
    no writer waiting. Not to be taken twice by one thread."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._sharing = 0
        self._waiting = 0
        self._is_alone = False

    @contextmanager
    def shared(self) -> Iterator[None]:
        """Held together with others."""
        with self._changed:
            self._changed.wait_for(lambda: not self._is_alone and not self._waiting)
            self._sharing += 1
        try:
            yield
        finally:
            with self._changed:
                self._sharing -= 1
                self._changed.notify_all()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Held by nobody else."""
        with self._changed:
            self._waiting += 1
            try:
                self._changed.wait_for(lambda: not self._is_alone and not self._sharing)
                self._is_alone = True
            finally:
                self._waiting -= 1
                self._changed.notify_all()
        try:
            yield
        finally:
            with self._changed:
                self._is_alone = False
                self._changed.notify_all()

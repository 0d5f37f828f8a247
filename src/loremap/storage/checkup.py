"""Which rows of the store are not what was written, as of the last look at all of them.

Looking at every row takes longer than a command may. A process that stays looks at a few rows at a
time and remembers; one that is asked once looks at all of them at once. Whatever is read is checked
whenever it is read, so that what is remembered here decides nothing but what a person is told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from threading import Lock

from loremap.storage import memories, relations
from loremap.storage.store import Store

EVERY = timedelta(minutes=15)
ROWS_AT_ONCE = 250


@dataclass(frozen=True, slots=True)
class Checked:
    """What a look at every row has shown."""

    at: datetime
    """When it began."""
    damaged: tuple[str, ...]
    """Ids of memories that are withheld."""
    links: int
    """How many links are."""


class Checkup:
    """The last look at all rows, and the one that is under way."""

    def __init__(self, store: Store, now: Callable[[], datetime]) -> None:
        self._store, self._now = store, now
        self._lock = Lock()
        self._last: Checked | None = None
        self._is_kept = False
        self._began: datetime | None = None
        self._row = 0
        self._found: list[str] = []

    def last(self) -> Checked:
        """The last look, without what was mended since; one of now where nothing is remembered."""
        last = self._last
        if last is None:
            return self._looked()
        if last.damaged or last.links:
            with self._store.read() as conn:
                hurt = memories.damaged(conn, last.damaged) if last.damaged else []
                links = relations.damaged_links(conn) if last.links else 0
            return replace(last, damaged=tuple(hurt), links=links)
        return last

    def note(self, ids: Iterable[str]) -> None:
        """Remember rows that somebody came upon."""
        with self._lock:
            if self._last is not None:
                known = self._last.damaged
                more = [id_ for id_ in ids if id_ not in known]
                self._last = replace(self._last, damaged=(*known, *more))

    def go_on(self) -> bool:
        """Look at the next few rows where it is time to; whether more are to be looked at now. From
        then on looks are remembered."""
        self._is_kept = True
        now = self._now()
        if self._began is None:
            if self._last is not None and timedelta() <= now - self._last.at < EVERY:
                return False
            self._began, self._row, self._found = now, 0, []
        with self._store.read() as conn:
            hurt, self._row = memories.damaged_after(conn, self._row, limit=ROWS_AT_ONCE)
            self._found += hurt
            if self._row:
                return True
            self._keep(Checked(self._began, tuple(self._found), relations.damaged_links(conn)))
        self._began = None
        return False

    def _looked(self) -> Checked:
        """A look at every row now."""
        at = self._now()
        with self._store.read() as conn:
            made = Checked(at, tuple(memories.damaged(conn)), relations.damaged_links(conn))
        if self._is_kept:
            self._keep(made)
        return made

    def _keep(self, made: Checked) -> None:
        with self._lock:
            self._last = made

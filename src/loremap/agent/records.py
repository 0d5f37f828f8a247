"""What was given to whom, written down behind the answer and never before it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from loremap.agent.background import Notes
from loremap.agent.events import (
    Effects,
    MarkUsed,
    StrikeInjections,
    Write,
    WriteInjections,
    WriteSession,
)
from loremap.errors import LoremapError
from loremap.storage import injections, sessions
from loremap.storage.store import Connection, DatabaseError, Store

MAX_NOTES = 4_096


class SessionRecords:
    """Writes the rows of sessions and injections; none is left where nothing `records` sessions."""

    def __init__(
        self,
        store: Store,
        *,
        caught: Callable[[str, BaseException], None],
        records: Callable[[], bool],
    ) -> None:
        self._store = store
        self._caught = caught
        self._records = records
        self._notes: Notes[Write] = Notes(self._write, name="memory-agent-notes", most=MAX_NOTES)

    @property
    def dropped(self) -> int:
        """How many notes found the queue full."""
        return self._notes.dropped

    def carry_out(self, effects: Effects) -> None:
        """Hand over what is to be written; nobody waits for it."""
        for one in effects:
            if isinstance(one, Write) and self._records():
                self._notes.hand(one)

    def settle(self, timeout_s: float) -> bool:
        """Wait until all is written."""
        return self._notes.settle(timeout_s)

    def close(self) -> None:
        """Write what waits, and end."""
        self._notes.close()

    def _write(self, writes: Sequence[Write]) -> None:
        try:
            with self._store.append() as conn:
                for write in writes:
                    _write(conn, write)
        except (LoremapError, DatabaseError) as fault:
            if len(writes) > 1 and not isinstance(fault, LoremapError):
                for write in writes:  # one of them does not fit; the others shall not go with it
                    self._write([write])
            else:
                self._caught("notes", fault)


def _write(conn: Connection, write: Write) -> None:
    match write:
        case WriteSession(session, told):
            sessions.upsert(conn, session, told=told)
        case WriteInjections(rows):
            injections.put(conn, rows)
        case StrikeInjections(ids):
            injections.strike(conn, ids)
        case MarkUsed(session_id, ids, at):
            injections.refer(conn, session_id, ids, at)

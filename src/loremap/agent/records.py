"""What was given to whom, written down behind the answer and never before it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path

from loremap.agent.background import Notes
from loremap.agent.state import Part, State
from loremap.errors import LoremapError
from loremap.memory.brief.render import Piece
from loremap.memory.standby import files as standby_files
from loremap.model.clock import new_id
from loremap.model.session import Injection
from loremap.model.tokens import tokens
from loremap.storage import injections, sessions
from loremap.storage.store import Connection, DatabaseError, Store

MAX_NOTES = 4_096

Caught = Callable[[str, BaseException], None]


class SessionRecords:
    """The rows of sessions and injections; an incognito session leaves none, and none is left
    where nothing `records` sessions."""

    def __init__(
        self,
        store: Store,
        home: Path,
        *,
        now: Callable[[], datetime],
        caught: Caught,
        records: Callable[[], bool],
    ) -> None:
        self._store = store
        self._home = home
        self._now = now
        self._caught = caught
        self._records = records
        self._notes: Notes[Callable[[Connection], object]] = Notes(
            self._write, name="memory-agent-notes", most=MAX_NOTES
        )

    @property
    def dropped(self) -> int:
        """How many notes found the queue full."""
        return self._notes.dropped

    def note_session(self, state: State) -> None:
        """Write the session down as it is now."""
        session, told = state.session, state.block_tells
        self._note(state, lambda conn: sessions.upsert(conn, session, told=told))

    def note_given(self, state: State, part: Part, *, client: str, moment: str) -> tuple[str, ...]:
        """Write down what was given; the ids under which it is written."""
        rows = rows_of(state, part, client=client, moment=moment, now=self._now())
        self._note(state, lambda conn: injections.put(conn, rows))
        return tuple(row.id for row in rows)

    def take_back(self, state: State, rows: Sequence[str]) -> None:
        """Strike what was written down and not heard."""
        self._note(state, lambda conn: injections.strike(conn, rows))

    def met(self, session_id: str, state: State, what: str) -> bool:
        """Whether a hook that stood in has shown the session this, in the stretch it is in."""
        at = standby_files.met(self._home, session_id, what)
        began = state.session.reset_at
        if at is None or began in (None, state.session.created_at):
            return at is not None  # one that began before anybody was here has no earlier stretch
        return at >= began.timestamp()

    def note_used(self, state: State, ids: Sequence[str]) -> None:
        """Write down that later output used these memories."""
        now = self._now()
        self._note(state, lambda conn: injections.refer(conn, state.session.id, ids, now))

    def settle(self, timeout_s: float) -> bool:
        """Wait until all is written."""
        return self._notes.settle(timeout_s)

    def close(self) -> None:
        """Write what waits, and end."""
        self._notes.close()

    def _note(self, state: State, write: Callable[[Connection], object]) -> None:
        if not state.incognito and self._records():
            self._notes.hand(write)

    def _write(self, writes: Sequence[Callable[[Connection], object]]) -> None:
        try:
            with self._store.append() as conn:
                for write in writes:
                    write(conn)
        except (LoremapError, DatabaseError) as fault:
            if len(writes) > 1 and not isinstance(fault, LoremapError):
                for write in writes:  # one of them does not fit; the others shall not go with it
                    self._write([write])
            else:
                self._caught("agent, notes", fault)


def rows_of(
    state: State, part: Part, *, client: str, moment: str, now: datetime
) -> list[Injection]:
    """A row for each piece of what was given; the frame counts with the first."""
    # Of a block that another process made only the text is known.
    pieces = part.pieces or (Piece(text="", why="the block"),)
    sizes = [tokens(piece.text) for piece in pieces]
    sizes[0] += max(tokens(part.text) - sum(sizes), 0)
    return [
        Injection(
            id=new_id(),
            at=now,
            session_id=state.session.id,
            project_id=state.session.project_id,
            client=client,
            moment=moment,
            tier=part.tier,
            memory_id=piece.memory_id,
            tokens=size,
            why=piece.why,
            score=piece.score,
        )
        for piece, size in zip(pieces, sizes, strict=True)
    ]

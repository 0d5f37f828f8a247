"""What is done behind an answer: what was used is marked, the books of a session are closed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path

from loremap.injection.referenced import referenced
from loremap.lore.companion.errands import Later
from loremap.lore.companion.guide import Guide
from loremap.lore.companion.ledger import Ledger
from loremap.lore.companion.prompting import Work
from loremap.lore.companion.recall import seen_by
from loremap.lore.companion.sessions import Sessions
from loremap.lore.companion.state import State
from loremap.lore.figures.measures import session_figures
from loremap.lore.residence import Residence
from loremap.model.hook import HookEvent
from loremap.model.recall import Hit, Trace
from loremap.ops.metrics import notice, notice_before
from loremap.storage import memories, metrics


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieved:
    """One retrieval that is over, for those who tend the memory afterwards."""

    folder: Path
    session_id: str
    client: str
    at: datetime
    prompt: str
    hits: tuple[Hit, ...]
    trace: Trace | None
    given: tuple[str, ...]
    """Ids of the memories that were injected."""


Chore = Callable[[Retrieved], None]
"""Work after a retrieval (seed-000 §7), done in the background."""


class Afterwards:
    """Work that nobody waits for, and the last word of a session."""

    def __init__(
        self,
        residence: Residence,
        sessions: Sessions,
        ledger: Ledger,
        guide: Guide,
        *,
        later: Later,
        chores: Sequence[Chore],
    ) -> None:
        self._residence = residence
        self._sessions = sessions
        self._ledger = ledger
        self._guide = guide
        self._later = later
        self._chores = tuple(chores)

    def hand_to_chores(self, event: HookEvent, work: Work) -> None:
        """Let those who tend the memory know what was retrieved."""
        state = self._sessions.get(event)
        if not self._chores or state is None or state.incognito:
            return
        assert event.folder is not None
        retrieved = Retrieved(
            folder=event.folder,
            session_id=state.session.id,
            client=event.client,
            at=work.at,
            prompt=work.task,
            hits=work.found.hits,
            trace=work.found.trace,
            given=tuple(hit.memory.id for hit in work.brief.hits),
        )
        for chore in self._chores:
            self._later.hand(partial(chore, retrieved))

    def mark_used(self, event: HookEvent, state: State) -> None:
        """Note which memories the agent's words have used."""
        with state.lock:
            ids = sorted({*state.told.memories, *state.told.lines, *state.standing})
            spoken_of = frozenset(state.spoken_of)
        if not ids or state.incognito:
            return
        with self._residence.house.store.read() as conn:
            given = memories.by_ids(conn, ids)
        used = referenced(event.said, given, spoken_of=spoken_of)
        if used:
            self._ledger.note_used(state, used)
            with seen_by(self._residence, event) as lore:
                lore.used(used)

    def make_ready(self, event: HookEvent) -> None:
        """Read the words of what the turn has changed, before the next prompt asks."""
        with seen_by(self._residence, event) as lore:
            if not lore.code.scanned or self._guide.is_ready(lore):
                return
            read = self._guide.make_ready(lore)
        read()

    def end(self, event: HookEvent) -> str:
        """Close the session's books, and say what memory was worth in it."""
        with seen_by(self._residence, event) as lore:
            state = self._sessions.end(event, lore)
        if state is None or state.incognito or state.session.held_out:
            return ""
        with self._residence.house.store.read() as conn:
            figures = session_figures(conn, state.session.id)
        return "" if figures is None else notice(figures)

    def said_of_the_last(self, event: HookEvent) -> str:
        """What memory was worth in the session before this one: most clients show nothing of what
        is said when a session ends."""
        state = self._sessions.get(event)
        if state is None or state.incognito or state.session.project_id is None:
            return ""
        with self._residence.house.store.read() as conn:
            before = metrics.session_before(conn, state.session)
            figures = None if before is None else session_figures(conn, before)
        return "" if figures is None else notice_before(figures)

"""What an agent asks by itself: a question, or a brief for a task."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from loremap.agent import events
from loremap.agent.events import Stored
from loremap.agent.metrics.meter import Noting
from loremap.agent.metrics.rules import Measure
from loremap.agent.pending import LOOKED_AT
from loremap.agent.retriever import Asking, Retriever, as_question, seen_from
from loremap.agent.sessions import Sessions
from loremap.agent.state import State
from loremap.memory.brief.brief import Dress
from loremap.memory.brief.said import Remarks, memory_piece
from loremap.memory.workspace import Workspace
from loremap.memory.workspaces import Workspaces
from loremap.model.client import client_named
from loremap.model.clock import new_id
from loremap.model.recall import Hit, Trace


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The answer to an agent's own question."""

    hits: tuple[Hit, ...]
    remarks: Remarks = field(default_factory=dict)
    known: int = 0
    """How many more fit that this session has already."""
    gated: bool = False
    trace: Trace | None = None


class Questions:
    """Answers them, and notes what the session has now."""

    def __init__(
        self,
        workspaces: Workspaces[Workspace],
        sessions: Sessions,
        retriever: Retriever,
        *,
        measured: Noting,
    ) -> None:
        self._workspaces = workspaces
        self._sessions = sessions
        self._retriever = retriever
        self._measured = measured

    def asked(self, asking: Asking, *, limit: int, again: bool) -> Asked:
        """The answer to a question; what its session has already is not repeated."""
        state = self._called(asking.folder, asking.session_id, asking.client)
        told = frozenset() if state is None or again else state.told.memories | state.standing
        every = self._retriever.found(asking, self._retriever.thinking(asking.task))
        found = every.without(told)
        hits = found.hits[:limit]
        self._note_asked(state, asking.client, hits)
        if state is not None and not state.incognito:
            session = state.session
            self._measured(Measure.ASKED, 1.0, project_id=session.project_id, session_id=session.id)
        return Asked(
            hits=hits,
            remarks=found.remarks,
            known=found.known,
            gated=found.gated,
            trace=found.trace,
        )

    def brief(self, asking: Asking, *, budget_tokens: int) -> str:
        """What is known for a task: its modules, and what is remembered of them."""
        state = self._called(asking.folder, asking.session_id, asking.client)
        found = self._retriever.found(asking, self._retriever.thinking(asking.task))
        if not found.is_any:
            return ""
        known = client_named(asking.client)
        told = frozenset() if state is None else state.standing
        made = found.without(told).briefed(
            Dress(form=known.form, budget_tokens=budget_tokens, most_bytes=known.most_bytes)
        )
        self._note_asked(state, asking.client, made.hits)
        return made.text

    def stored(self, session_id: str, ids: Sequence[str]) -> None:
        """A session has stored these itself: it need not be told them."""
        self._sessions.apply(session_id, Stored(frozenset(ids)))

    def is_incognito(self, session_id: str) -> bool:
        """Whether the hooks of a session have said that nothing of it is kept."""
        state = self._sessions.named(session_id)
        return state is not None and state.incognito

    def _called(self, folder: Path, session_id: str | None, client: str) -> State | None:
        if session_id is None:
            return None
        with seen_from(self._workspaces, folder, session_id=session_id, client=client) as lore:
            return self._sessions.called(lore, session_id, client)

    def _note_asked(self, state: State | None, client: str, hits: Sequence[Hit]) -> None:
        if state is None or not hits:
            return
        pieces = tuple(memory_piece(hit, why="asked") for hit in hits)
        told = events.Asked(pieces=pieces, client=client, now=self._workspaces.now(), seed=new_id())
        self._sessions.apply(state.session.id, told)


def question_of(
    folder: Path,
    text: str,
    *,
    session_id: str | None,
    client: str,
    limit: int,
    files: Sequence[str] = (),
    kinds: Sequence[str] = (),
    again: bool = False,
) -> Asking:
    """An agent's question, looked for among memories alone."""
    return Asking(
        folder=folder,
        session_id=session_id,
        client=client,
        task=as_question(text),
        looked_at=max(limit, LOOKED_AT),
        kinds=tuple(kinds),
        files=tuple(files),
        with_code=False,
        says_loaded=again,
    )

"""What an agent asks by itself: a question, or a brief for a task."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from loremap.agent.events import Asked
from loremap.agent.metrics.meter import Noting
from loremap.agent.metrics.rules import Measure
from loremap.agent.retriever import Asking, Retriever, seen_from
from loremap.agent.sessions import Sessions
from loremap.agent.state import State
from loremap.clients.registry import client_named
from loremap.memory.brief.recaps import untold
from loremap.memory.brief.render import Piece
from loremap.memory.brief.said import memory_piece
from loremap.memory.briefing import dress_of
from loremap.memory.found import Found
from loremap.memory.workspace import Workspace
from loremap.memory.workspaces import Workspaces
from loremap.model.clock import new_id
from loremap.model.recall import Hit


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

    def asked(self, asking: Asking, *, limit: int, again: bool) -> Found:
        """The answer to a question; what its session has already is not repeated."""
        state = self._called(asking.folder, asking.session_id, asking.client)
        told = frozenset() if state is None or again else state.told.memories | state.standing
        found = self._retriever.found(asking, self._retriever.thinking(asking.task)).without(told)
        found = replace(found, hits=found.hits[:limit])
        self._note_asked(state, asking.client, found.hits)
        if state is not None and not state.incognito:
            session = state.session
            self._measured(Measure.ASKED, 1.0, project_id=session.project_id, session_id=session.id)
        return found

    def brief(self, asking: Asking, *, budget_tokens: int) -> str:
        """What is known for a task: its modules, and what is remembered of them."""
        state = self._called(asking.folder, asking.session_id, asking.client)
        found = self._retriever.found(asking, self._retriever.thinking(asking.task))
        if not found.is_any:
            return ""
        known = client_named(asking.client)
        told = frozenset() if state is None else state.standing
        found = found.without(told)
        if state is not None:
            found = replace(found, earlier=untold(found.earlier, state.told.others))
        made = found.briefed(dress_of(budget_tokens, most_bytes=known.most_bytes, form=known.form))
        self._note_asked(state, asking.client, made.hits, made.beside)
        return made.text

    def _called(self, folder: Path, session_id: str | None, client: str) -> State | None:
        if session_id is None:
            return None
        with seen_from(self._workspaces, folder, session_id=session_id, client=client) as lore:
            return self._sessions.called(lore, session_id, client)

    def _note_asked(
        self, state: State | None, client: str, hits: Sequence[Hit], beside: Sequence[Piece] = ()
    ) -> None:
        if state is None or not (hits or beside):
            return
        pieces = (*(memory_piece(hit, why="asked") for hit in hits), *beside)
        told = Asked(pieces=pieces, client=client, now=self._workspaces.now(), seed=new_id())
        self._sessions.apply(state.session.id, told)

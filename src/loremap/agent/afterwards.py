"""What is done behind an answer: what was used is marked, the books of a session are closed."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial

from loremap.agent.background import Later
from loremap.agent.events import Used
from loremap.agent.metrics.measures import session_figures
from loremap.agent.metrics.rules import notice, notice_before
from loremap.agent.prompting import Retrieved
from loremap.agent.retriever import seen_by
from loremap.agent.sessions import Sessions
from loremap.agent.state import State
from loremap.agent.task_modules import TaskModules
from loremap.memory import writing
from loremap.memory.workspace import Workspace
from loremap.memory.workspaces import Workspaces
from loremap.model.hook import HookEvent
from loremap.model.memory import Memory
from loremap.model.words import words
from loremap.storage import memories, metrics

LEAST_WORDS = 3
LEAST_SHARE = 0.5
MAX_SAID = 40_000
_ID = re.compile(r"\b[0-9a-f]{8,32}\b")

Chore = Callable[[Retrieved], None]
"""Work after a retrieval, done in the background."""


class Afterwards:
    """Work that nobody waits for, and the last word of a session."""

    def __init__(
        self,
        workspaces: Workspaces[Workspace],
        sessions: Sessions,
        task_modules: TaskModules,
        *,
        later: Later,
        chores: Sequence[Chore],
    ) -> None:
        self._workspaces = workspaces
        self._sessions = sessions
        self._task_modules = task_modules
        self._later = later
        self._chores = tuple(chores)

    def hand_to_chores(self, retrieved: Retrieved) -> None:
        """Let those who tend the memory know what was retrieved."""
        state = self._sessions.get(retrieved.event)
        if state is None or state.incognito:
            return
        for chore in self._chores:
            self._later.hand(partial(chore, retrieved))

    def mark_used(self, event: HookEvent, state: State) -> None:
        """Note which memories the agent's words have used."""
        if not state.in_context or state.incognito:
            return
        with self._workspaces.engine.store.read() as conn:
            given = memories.by_ids(conn, sorted(state.in_context))
        used = referenced(event.said, given, spoken_of=state.spoken_of)
        if used:
            self._sessions.apply(event, Used(used, self._workspaces.now()))
            with seen_by(self._workspaces, event) as lore:
                writing.use(lore, used)

    def make_ready(self, event: HookEvent) -> None:
        """Read the words of what the turn has changed, before the next prompt asks."""
        with seen_by(self._workspaces, event) as lore:
            if not lore.code.scanned or self._task_modules.is_ready(lore):
                return
            read = self._task_modules.make_ready(lore)
        read()

    def end(self, event: HookEvent) -> str:
        """Close the session's books, and say what memory was worth in it."""
        with seen_by(self._workspaces, event) as lore:
            state = self._sessions.end(event, lore)
        if state is None or state.incognito or state.session.held_out:
            return ""
        with self._workspaces.engine.store.read() as conn:
            figures = session_figures(conn, state.session.id)
        return "" if figures is None else notice(figures)

    def said_of_the_last(self, event: HookEvent) -> str:
        """What memory was worth in the session before this one: most clients show nothing of what
        is said when a session ends."""
        state = self._sessions.get(event)
        if state is None or state.incognito or state.session.project_id is None:
            return ""
        with self._workspaces.engine.store.read() as conn:
            before = metrics.session_before(conn, state.session)
            figures = None if before is None else session_figures(conn, before)
        return "" if figures is None else notice_before(figures)


def referenced(
    said: str, given: Iterable[Memory], *, spoken_of: Collection[str] = ()
) -> tuple[str, ...]:
    """Ids of the memories that `said` names, or half of whose telling words it uses.

    `spoken_of` are words the person used themselves: that the agent says them too tells nothing.
    """
    said = said[:MAX_SAID]
    ids = set(_ID.findall(said))
    used = set(words(said)) - set(spoken_of)
    return tuple(
        memory.id
        for memory in given
        if any(memory.id.endswith(one) for one in ids) or _uses(used, memory, spoken_of)
    )


def _uses(used: Collection[str], memory: Memory, spoken_of: Collection[str]) -> bool:
    telling = set(words(memory.summary)) - set(spoken_of)
    shared = len(telling & set(used))
    return shared >= LEAST_WORDS and shared >= LEAST_SHARE * len(telling)

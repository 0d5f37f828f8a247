"""What is done behind an answer: what was used is marked, the books of a session are closed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
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
from loremap.agent.usage import CHANGES, disowned, referenced, worked_with
from loremap.memory import changing, writing
from loremap.memory.workspace import Workspace
from loremap.memory.workspaces import Workspaces
from loremap.model.hook import HookEvent, Moment
from loremap.model.memory import Memory
from loremap.model.signal import Sign, Voice
from loremap.sessions.telling import note_told, note_unheard, told_of, untold
from loremap.storage import anchors, memories, metrics

Chore = Callable[[Retrieved], None]
"""Work after a retrieval, done in the background."""


@dataclass(frozen=True, slots=True)
class Opening:
    """What a person is told as a session begins."""

    worth: str = ""
    """What memory was worth in the session before: most clients show nothing of what is said when
    a session ends."""
    learned: Sequence[Memory] = ()
    """What sessions have taught, and no person was told of so far."""

    @property
    def text(self) -> str:
        """The lines of it."""
        return "\n".join(filter(None, (self.worth, told_of(self.learned))))


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
        """Note which memories the agent's words have used, and which it says do not hold."""
        given = self._given(state.in_context, state)
        wrong = disowned(event.said, given)
        used = referenced(event.said, given, spoken_of=state.spoken_of)
        self._note_used(event, [id_ for id_ in used if id_ not in wrong])
        if wrong:
            with seen_by(self._workspaces, event) as lore:
                for id_ in wrong:
                    changing.vote(lore, id_, Sign.WRONG, voice=Voice.INFERRED)

    def mark_worked(self, event: HookEvent, state: State) -> None:
        """Note which memories a tool's call has worked with, of those that were told before it. A
        line that was said because of a call does not count: the call was decided by then."""
        tool = event.tool
        told = state.told_in(event.subagent_id).memories | state.standing
        given = self._given(told, state) if tool is not None else []
        if tool is None or not given:
            return
        with seen_by(self._workspaces, event) as lore, lore.store.read() as conn:
            edited = {
                lore.path_as_named(one.path) for one in tool.files if one.operation in CHANGES
            }
            held = anchors.of(conn, [memory.id for memory in given])
        anchored = {id_: {anchor.path for anchor in taken} for id_, taken in held.items()}
        self._note_used(event, worked_with(tool, given, edited=edited, anchored=anchored))

    def _given(self, ids: Collection[str], state: State) -> list[Memory]:
        if not ids or state.incognito:
            return []
        with self._workspaces.engine.store.read() as conn:
            return memories.by_ids(conn, sorted(ids))

    def _note_used(self, event: HookEvent, ids: Sequence[str]) -> None:
        if not ids:
            return
        self._sessions.apply(event, Used(tuple(ids), self._workspaces.now()))
        with seen_by(self._workspaces, event) as lore:
            writing.use(lore, ids)

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

    def opening(self, event: HookEvent) -> Opening:
        """What a person is told as a session begins."""
        state = self._sessions.get(event)
        if state is None or state.incognito or state.session.project_id is None:
            return Opening()
        with self._workspaces.engine.store.read() as conn:
            before = metrics.session_before(conn, state.session)
            figures = None if before is None else session_figures(conn, before)
        with seen_by(self._workspaces, event) as lore:
            return Opening("" if figures is None else notice_before(figures), untold(lore))

    def note_told(self, event: HookEvent, told: Sequence[Memory]) -> None:
        """A person was told of these with an event."""
        if told:
            self._later.hand(partial(self._note_told, event, told))

    def _note_told(self, event: HookEvent, told: Sequence[Memory]) -> None:
        with seen_by(self._workspaces, event) as lore:
            note_told(lore, told, at=event.at)

    def note_unheard(self, event: HookEvent) -> None:
        """What a person was told with an event reached nobody."""
        if event.moment is Moment.SESSION_START and not event.incognito:
            self._later.hand(partial(self._note_unheard, event))

    def _note_unheard(self, event: HookEvent) -> None:
        with seen_by(self._workspaces, event) as lore:
            note_unheard(lore, event.at)

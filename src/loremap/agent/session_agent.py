"""The memory agent: one per resident, it knows every session and answers each in time.

Whoever asks waits for the deadline at most. What is not found by then comes with the next event
that can carry it; at a prompt it is gated anew against that. What was given is written down behind
the answer, by a queue that never blocks; what must outlive this process is in the store.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from loremap.agent import delivery, warning
from loremap.agent.afterwards import Afterwards, Chore, Opening
from loremap.agent.background import Inline, Later
from loremap.agent.events import (
    Answered,
    Compacted,
    Compacting,
    Hold,
    Say,
    Stored,
    SubagentStopped,
    Undelivered,
    Warned,
)
from loremap.agent.lately import Roles, Spoken, Whereabouts
from loremap.agent.metrics.meter import Noting, unnoted
from loremap.agent.metrics.rules import Measure
from loremap.agent.prompting import MAX_TASK, Prompting, Retrieved
from loremap.agent.questions import Questions
from loremap.agent.records import SessionRecords
from loremap.agent.retriever import LOOKED_AT, Asking, Retriever, Verifier, as_question, seen_by
from loremap.agent.service_level import Monitor
from loremap.agent.sessions import Sessions
from loremap.agent.state import Part
from loremap.agent.states import States, found
from loremap.agent.task_modules import TaskModules
from loremap.agent.usage import CHANGES
from loremap.clients.registry import client_named
from loremap.errors import LoremapError
from loremap.memory.brief.brief import Brief
from loremap.memory.brief.ours import without_ours
from loremap.memory.brief.said import Fired
from loremap.memory.found import Found
from loremap.memory.workspace import Workspace
from loremap.memory.workspaces import Workspaces
from loremap.model.clock import new_id
from loremap.model.hook import Beginning, HookEvent, Moment, Reply, ToolCall
from loremap.storage.caught import caught

__all__ = ["MAX_TASK", "Retrieved", "SessionAgent"]

MAX_LATER = 64
BEGINNING_S = 0.8
"""What a session's or subagent's start may take: nobody has asked anything yet."""
NOT_A_PROMPT = "[SYSTEM NOTIFICATION - NOT USER INPUT]"


class SessionAgent:
    """The memory agent."""

    def __init__(
        self,
        workspaces: Workspaces[Workspace],
        *,
        verifier: Verifier | None = None,
        chores: Sequence[Chore] = (),
        measured: Noting = unnoted,
    ) -> None:
        self._workspaces = workspaces
        self._measured = measured
        self.monitor = Monitor()
        self.caught: Callable[[str, BaseException], None] = partial(caught, workspaces.places.home)
        """Told what went wrong where nobody could be told."""
        self._whereabouts = Whereabouts()
        self.roles = Roles()
        """Which subagents called tools lately."""
        self.spoken = Spoken(workspaces.now)
        """What people typed lately."""
        self._untold = partial(self._caught, "telling")
        self._inline = Inline(deadline_s=self._deadline_s, failed=partial(self._caught, "late"))
        self._later = Later(
            name="memory-agent-later", most=MAX_LATER, failed=partial(self._caught, "later")
        )
        engine = workspaces.engine
        self._records = SessionRecords(
            engine.store, caught=self._caught, records=lambda: engine.records
        )
        self._task_modules = TaskModules(workspaces.places.graphs, lambda: engine.slot.taken)
        self._sessions = Sessions(
            States(self._records.carry_out),
            self._task_modules,
            self._later,
            home=workspaces.places.home,
        )
        self._retriever = Retriever(
            workspaces,
            self._task_modules,
            self.monitor,
            verifier=verifier,
            measured=measured,
        )
        self._prompting = Prompting(
            workspaces, self._sessions, self._retriever, later=self._later, monitor=self.monitor
        )
        self._questions = Questions(workspaces, self._sessions, self._retriever, measured=measured)
        self._afterwards = Afterwards(
            workspaces,
            self._sessions,
            self._task_modules,
            later=self._later,
            chores=chores,
        )
        self._acts: dict[Moment, Callable[[HookEvent], Reply]] = {
            Moment.SESSION_START: self._session_start,
            Moment.PROMPT: self._prompt,
            Moment.BEFORE_TOOL: self._before_tool,
            Moment.AFTER_TOOL: self._tool_done,
            Moment.STOP: self._stop,
            Moment.BEFORE_COMPACT: self._before_compact,
            Moment.AFTER_COMPACT: self._after_compact,
            Moment.SUBAGENT_START: self._subagent_start,
            Moment.SUBAGENT_STOP: self._subagent_stop,
            Moment.SESSION_END: self._session_end,
        }

    @property
    def dropped(self) -> int:
        """How much found everybody busy: questions, notes and work for later."""
        return self._inline.dropped + self._records.dropped + self._later.dropped

    def handle(self, event: HookEvent) -> Reply:
        """What is answered to an event, within the deadline; nothing where anything fails."""
        act = self._acts.get(event.moment)
        if act is None or event.folder is None or not event.session_id:
            return Reply()
        self._whereabouts.note(event.session_id, event.folder)
        try:
            return act(self._sessions.heard(event))
        except (LoremapError, OSError) as fault:
            self._caught(event.moment.value, fault)
            return Reply()

    def undelivered(self, event: HookEvent) -> None:
        """What this event was answered with reached nobody: it is owed again."""
        self._sessions.apply(event, Undelivered(event))
        self._afterwards.note_unheard(event)
        self._note_late(event)

    def expect(self, event: HookEvent) -> None:
        """A session began when nobody was here to answer: its first prompt shall not wait for what
        can be opened before."""
        if event.folder is not None and event.session_id and not event.incognito:
            self._later.hand(partial(self._prompting.get_ready, event))

    def settle(self, timeout_s: float = 10.0) -> bool:
        """Wait until what was handed over is done; for tests and for a clean end."""
        return (
            self._inline.settle(timeout_s)
            and self._later.settle(timeout_s)
            and self._records.settle(timeout_s)
        )

    def close(self) -> None:
        """Finish what is at work, write what waits, and let go."""
        self._inline.close()
        self._later.close()
        self._retriever.close()
        self._records.close()
        self._task_modules.close()

    # Asked by the agent itself

    def asked(
        self,
        folder: Path,
        text: str,
        *,
        session_id: str | None,
        client: str,
        limit: int = 5,
        again: bool = False,
        files: Sequence[str] = (),
        kinds: Sequence[str] = (),
    ) -> Found:
        """The answer to an agent's question; what its session has already is not repeated."""
        asking = Asking(
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
        return self._questions.asked(asking, limit=limit, again=again)

    def brief(
        self,
        folder: Path,
        task: str,
        *,
        session_id: str | None,
        client: str,
        budget_tokens: int,
    ) -> str:
        """What is known for a task: its modules, and what is remembered of them."""
        asking = Asking(
            folder=folder,
            session_id=session_id,
            client=client,
            task=as_question(task),
            with_standing=True,
        )
        return self._questions.brief(asking, budget_tokens=budget_tokens)

    def stored(self, session_id: str, ids: Sequence[str]) -> None:
        """A session has stored these itself: it need not be told them."""
        self._sessions.apply(session_id, Stored(frozenset(ids)))

    def is_incognito(self, session_id: str) -> bool:
        """Whether the hooks of a session have said that nothing of it is kept."""
        state = self._sessions.named(session_id)
        return state is not None and state.incognito

    def parts_of(self, event: HookEvent) -> tuple[Part, ...]:
        """What the answer to an event was made of."""
        state = self._sessions.get(event)
        return () if state is None else delivery.parts_of(event, state)

    def folder_of(self, session_id: str) -> Path | None:
        """Where a session works, as its hooks tell it."""
        return self._whereabouts.of(session_id)

    # The moments

    def _session_start(self, event: HookEvent) -> Reply:
        opening = self._inline.done(lambda: self._begin(event), wait_s=BEGINNING_S) or Opening()
        reply = self._given(event, notice=opening.text)
        self._afterwards.note_told(event, opening.learned)
        return reply

    def _begin(self, event: HookEvent) -> Opening:
        with seen_by(self._workspaces, event) as lore:
            is_new = self._sessions.begin(event, lore)
        anew = is_new and event.beginning in (Beginning.STARTUP, Beginning.CLEAR)
        shown = client_named(event.client).shows_notices
        return self._afterwards.opening(event) if anew and shown else Opening()

    def _prompt(self, event: HookEvent) -> Reply:
        if NOT_A_PROMPT in event.prompt[:200]:
            return Reply()
        if event.subagent_id is None:
            typed = without_ours(event.prompt)
            self.spoken.note(typed, client=event.client, session_id=event.session_id)
        started = time.perf_counter()
        retrieved = self._inline.done(
            lambda: self._prompting.for_prompt(event, started), late=partial(self._keep, event)
        )
        if retrieved is None:
            return self._given(event)
        reply = self._given(event, retrieved.brief)
        self._afterwards.hand_to_chores(retrieved)
        return reply

    def _keep(self, event: HookEvent, late: Retrieved) -> None:
        self._prompting.keep(event, late)
        if late.found.hits:
            self._note_late(event)

    def _before_tool(self, event: HookEvent) -> Reply:
        if event.tool is None:
            return Reply()
        if event.subagent_kind and event.tool.use_id:
            self.roles.note(event.tool.use_id, event.subagent_kind)
        fired = self._inline.done(
            lambda: warning.fired(self._workspaces, self._sessions, event, self._untold),
            late=partial(self._owe, event),
        )
        held = None if fired is None else self._warned(event, fired)
        return self._after_tool(event) if held is None else Reply(hold=held.why)

    def _after_tool(self, event: HookEvent) -> Reply:
        # Some clients tell of a prompt, or that others were taken back, only with its first tool.
        return self._prompt(event) if event.prompt else self._given(event, self._overdue(event))

    def _tool_done(self, event: HookEvent) -> Reply:
        state = self._sessions.get(event)
        if state is not None and _is_work(event.tool):
            self._later.hand(partial(self._afterwards.mark_worked, event, state))
        if event.tool is not None and event.tool.command and event.tool.success is False:
            noticed = self._inline.done(
                lambda: warning.met_before(self._workspaces, self._sessions, event, self._untold),
                late=partial(self._owe, event),
            )
            if noticed is not None:
                self._warned(event, noticed, is_late=True)
        return self._after_tool(event)

    def _overdue(self, event: HookEvent) -> Brief | None:
        """What came too late for the last prompt, where this event can carry it."""
        state = self._sessions.get(event)
        if state is None or state.pending is None or event.subagent_id is not None:
            return None
        if event.moment not in client_named(event.client).takes:
            return None
        late = self._inline.done(
            lambda: self._prompting.overdue(event),
            late=partial(self._prompting.keep, event),
        )
        return None if late is None else late.brief

    def _owe(self, event: HookEvent, fired: Fired) -> None:
        self._warned(event, fired, is_late=True)

    def _warned(self, event: HookEvent, fired: Fired, *, is_late: bool = False) -> Hold | None:
        """Why the call is held, where it is; else the warnings are owed."""
        state = self._sessions.get(event)
        if state is None or not (fired.alerts or fired.others):
            return None
        may_hold = not is_late and self._workspaces.engine.settings.flag("inject.hold")
        waiting = delivery.holding(fired.alerts) if may_hold else frozenset()
        warned = Warned(
            hook=event,
            fired=fired,
            now=self._workspaces.now(),
            seed=new_id(),
            read=frozenset(id_ for id_ in waiting if self._sessions.has_met(event, state, id_)),
            may_hold=may_hold,
        )
        return found(self._sessions.apply(event, warned), Hold)

    def _stop(self, event: HookEvent) -> Reply:
        state = self._sessions.get(event)
        if state is not None and event.subagent_id is None:
            if event.said:
                self._later.hand(partial(self._afterwards.mark_used, event, state))
            self._later.hand(partial(self._afterwards.make_ready, event))
        return Reply()

    def _before_compact(self, event: HookEvent) -> Reply:
        is_told_after = client_named(event.client).says_compacted
        self._sessions.apply(event, Compacting(self._workspaces.now(), is_told_after))
        return Reply()

    def _after_compact(self, event: HookEvent) -> Reply:
        self._sessions.apply(event, Compacted(self._workspaces.now()))
        return Reply()

    def _subagent_start(self, event: HookEvent) -> Reply:
        brief = self._inline.done(lambda: self._prompting.for_subagent(event), wait_s=BEGINNING_S)
        return self._given(event, brief)

    def _subagent_stop(self, event: HookEvent) -> Reply:
        if event.subagent_id is not None:
            self._sessions.apply(event, SubagentStopped(event.subagent_id))
        return Reply()

    def _session_end(self, event: HookEvent) -> Reply:
        return Reply(notice=self._inline.done(lambda: self._afterwards.end(event)) or "")

    def _given(self, event: HookEvent, brief: Brief | None = None, *, notice: str = "") -> Reply:
        """All that is due at this moment; `notice` is for the person."""
        answer = Answered(hook=event, now=self._workspaces.now(), seed=new_id(), brief=brief)
        said = found(self._sessions.apply(event, answer), Say)
        return Reply(context="" if said is None else said.text, notice=notice)

    # Means

    def _note_late(self, event: HookEvent) -> None:
        """An answer came when nobody waited for it any more: `lore last` says so."""
        state = self._sessions.get(event)
        if state is not None and not state.incognito:
            session = state.session
            self._measured(Measure.LATE, 1.0, project_id=session.project_id, session_id=session.id)

    def _deadline_s(self) -> float:
        return self._workspaces.engine.settings.whole("inject.deadline_ms") / 1000

    def _caught(self, where: str, fault: BaseException) -> None:
        self.caught(f"agent, {where}", fault)


def _is_work(tool: ToolCall | None) -> bool:
    """Whether a call ran a command or changed a file, and did not fail."""
    if tool is None or tool.success is False:
        return False
    return bool(tool.command) or any(one.operation in CHANGES for one in tool.files)

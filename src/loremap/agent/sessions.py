"""The sessions the memory agent knows: begun, gone on, come back, compacted, ended."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from loremap.agent import delivery as giving
from loremap.agent import rewinding
from loremap.agent.background import Later
from loremap.agent.records import SessionRecords
from loremap.agent.state import State, States, is_held_out
from loremap.agent.task_modules import TaskModules
from loremap.clients.client import Client
from loremap.clients.registry import client_named
from loremap.memory.brief import budget
from loremap.memory.brief.always import AlwaysOn
from loremap.memory.standing import block_of
from loremap.model.hook import Beginning, HookEvent, Moment
from loremap.model.session import Session
from loremap.safety.redaction import redacted_name
from loremap.storage import injections, sessions

if TYPE_CHECKING:
    from loremap.memory.workspace import Workspace

COMPACTED_LATELY_S = 60.0
SHARE_BESIDE_TASK = 0.6
"""What of an answer the block may take where it is given together with what a prompt needs."""


class Sessions:
    """Every session at work, and the block each starts with."""

    def __init__(self, records: SessionRecords, task_modules: TaskModules, later: Later) -> None:
        self._records = records
        self._task_modules = task_modules
        self._later = later
        self._states = States()

    def get(self, event: HookEvent) -> State | None:
        """The session's state, where it is known here."""
        return self._states.get(stored_id(event.session_id))

    def named(self, session_id: str) -> State | None:
        """The state of the session of that id, where it is known here."""
        return self._states.get(stored_id(session_id))

    def begin(self, event: HookEvent, lore: Workspace) -> bool:
        """A session, or a new stretch of one, begins; whether it is a new session."""
        state, is_new = self._opened(event, lore)
        if not is_new and _goes_on(event, state):
            self.known(event, lore)
            with state.lock:
                state.settled = False
                self._resume(state)
            return False
        resumes = event.beginning in (Beginning.RESUME, Beginning.FORK)
        keeps = resumes and state.session.always_on and _holds(state, lore)
        block = None if keeps or state.session.held_out else self._block(event, lore, state)
        with state.lock:
            if not is_new:
                resumed = event.beginning is Beginning.RESUME
                state.reset(lore.now(), keeps_history=resumed)
            if block is not None:
                state.take_block(block)
            self._records.note_session(state)
        if block is not None:
            self._keep(event, lore, state, block)
        return is_new

    def known(self, event: HookEvent, lore: Workspace) -> State:
        """The session's state; where its start was missed, the block is made and owed."""
        state, _ = self._opened(event, lore)
        if not state.session.held_out and _wants_block(event, state, lore):
            block = self._block(event, lore, state)
            with state.lock:
                state.take_block(block)
                self._records.note_session(state)
            self._keep(event, lore, state, block)
        elif state.session.ended_at is not None:  # some clients end it after every prompt
            self._resume(state)
        giving.recognise(event, state, self._records)
        return state

    def caught_up(self, event: HookEvent) -> HookEvent:
        """The event, once what the person has taken back since is forgotten. Where that is known
        only after the prompt was answered, it is answered anew with the next call."""
        state = self.get(event)
        if state is None or event.subagent_id is not None:
            return event
        return rewinding.caught_up(event, state, self._records)

    def called(self, lore: Workspace, session_id: str, client: str) -> State:
        """The state of a session that asks by itself; it is owed nothing for that."""
        return self._found(lore, stored_id(session_id), client=client, incognito=False)[0]

    def compacting(self, event: HookEvent, now: datetime) -> None:
        """The context is about to be compacted. Some clients say afterwards that it was; of the
        others nothing more is heard."""
        state = self.get(event)
        if state is None:
            return
        with state.lock:
            if client_named(event.client).says_compacted:
                state.compacting = True
            else:
                state.reset(now)
                self._records.note_session(state)

    def compacted(self, event: HookEvent, now: datetime) -> None:
        """The context was compacted. Some clients began the session anew by then, some do later."""
        state = self.get(event)
        if state is None:
            return
        with state.lock:
            reset = state.session.reset_at or state.session.created_at
            lately = (now - reset).total_seconds() < COMPACTED_LATELY_S
            if state.compacting or not lately:
                state.reset(now)
                state.settled = True
                self._records.note_session(state)

    def end(self, event: HookEvent, lore: Workspace) -> State | None:
        """The session ends, or says so: its state is kept, for it may go on."""
        state, is_new = self._opened(event, lore)
        if is_new:
            return None
        with state.lock:
            now = lore.now()
            state.session = replace(state.session, ended_at=now, last_at=now)
            self._records.note_session(state)
        return state

    def _resume(self, state: State) -> None:
        state.session = replace(state.session, ended_at=None)
        self._records.note_session(state)

    def _opened(self, event: HookEvent, lore: Workspace) -> tuple[State, bool]:
        """The session's state, and whether the session is new."""
        state, is_new = self._found(
            lore,
            stored_id(event.session_id),
            client=event.client,
            incognito=event.incognito,
            transcript=event.transcript if event.subagent_id is None else None,
        )
        if event.transcript is not None and state.session.transcript is None:
            state.session = replace(state.session, transcript=str(event.transcript))
        if event.moment in rewinding.TURNS and event.subagent_id is None:
            with state.lock:
                state.begin_turn(event.at, event.turn)
        return state, is_new

    def _found(
        self,
        lore: Workspace,
        session_id: str,
        *,
        client: str,
        incognito: bool,
        transcript: Path | None = None,
    ) -> tuple[State, bool]:
        state = self._states.get(session_id)
        if state is not None:
            return state, False
        if not incognito:
            with lore.store.read() as conn:
                row = sessions.find(conn, session_id)
                if row is not None:
                    given = injections.since(conn, session_id, row.reset_at)
                    return self._states.put(rewinding.come_back(row, given, transcript)), False
        now = lore.now()
        drawn = is_held_out(session_id, lore.settings.number("metrics.hold_out"))
        session = Session(
            id=session_id,
            client=client,
            created_at=now,
            project_id=lore.project_id,
            branch=lore.repository.branch,
            last_at=now,
            reset_at=now,
            held_out=drawn,
        )
        made = State(session, incognito=incognito)
        kept = self._states.put(made)
        if kept is made:
            self._records.note_session(made)
        return kept, kept is made

    def _block(self, event: HookEvent, lore: Workspace, state: State) -> AlwaysOn:
        client = client_named(event.client)
        module_map = None
        if lore.code.scanned:
            module_map = self._task_modules.map_of(lore)
            if not self._task_modules.is_ready(lore):
                self._later.hand(self._task_modules.make_ready(lore))
        ceiling = self._ceiling(lore, client)
        if Moment.SESSION_START not in client.takes:  # it comes with the first prompt's own
            ceiling = int(ceiling * SHARE_BESIDE_TASK)
        with lore.store.read() as conn:
            state.held_at = lore.store.change_seq(conn)
            unwanted = injections.rejected_in(conn, state.session.id)
        return block_of(
            lore,
            client,
            module_map=module_map,
            remaining=remaining_of(event),
            ceiling=ceiling,
            without=unwanted,
        )

    def _keep(self, event: HookEvent, lore: Workspace, state: State, block: AlwaysOn) -> None:
        """Keep the block for a session that begins when nobody is here; an incognito session
        leaves none."""
        if state.incognito or event.folder is None or event.subagent_id is not None:
            return
        keep = lore.engine.standby.keep_block
        self._later.hand(
            partial(keep, event.client, event.folder, project_id=lore.project_id, block=block)
        )

    def _ceiling(self, lore: Workspace, client: Client) -> int:
        return budget.ceiling_for(lore.settings.whole("inject.tokens"), client.most_bytes)


def _wants_block(event: HookEvent, state: State, lore: Workspace) -> bool:
    """Whether a block has to be made: there is none, or it is about to be given and tells what no
    longer holds."""
    asks = client_named(event.client).asks_for_block and event.moment is Moment.SESSION_START
    about_to_be_given = bool(state.session.always_on) and (asks or not state.has_block)
    return not state.is_made or (about_to_be_given and not _holds(state, lore))


def _holds(state: State, lore: Workspace) -> bool:
    """Whether all that the block tells still holds; looked at once while no memory changes."""
    with lore.store.read() as conn:
        seq = lore.store.change_seq(conn)
        if state.held_at != seq and sessions.block_holds(conn, state.session, state.block_tells):
            state.held_at = seq
    return state.held_at == seq


def _goes_on(event: HookEvent, state: State) -> bool:
    """Whether the context still holds what was given: a client that keeps it resumes, or begins
    anew after a compaction that was seen to before."""
    if event.beginning is Beginning.COMPACT:
        return state.settled and state.has_block
    client = client_named(event.client)
    holds = state.has_block or client.asks_for_block
    return event.beginning is Beginning.RESUME and client.keeps_on_resume and holds


def stored_id(session_id: str) -> str:
    """A session's id as it is stored: what a client calls it may hold anything."""
    return redacted_name(session_id)


def remaining_of(event: HookEvent) -> int:
    """About how many tokens of the context are left."""
    if event.remaining_tokens is not None:
        return event.remaining_tokens
    if event.context_tokens is not None:
        return budget.remaining_beside(event.context_tokens)
    try:
        size = 0 if event.transcript is None else event.transcript.stat().st_size
    except OSError:
        size = 0
    return budget.remaining_for(size)

"""The sessions the memory agent knows: begun, gone on, come back, ended; and the block of each."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from loremap.agent.background import Later
from loremap.agent.events import (
    AnswerAnew,
    Began,
    BlockHeld,
    BlockMade,
    Effects,
    Ended,
    Event,
    Heard,
    Restored,
    Started,
    StoodIn,
    WentOn,
)
from loremap.agent.state import State, is_held_out
from loremap.agent.states import States, found
from loremap.agent.task_modules import TaskModules
from loremap.agent.turns import looks_back
from loremap.clients.registry import client_named
from loremap.clients.transcript import looked
from loremap.clients.transcripts.record import Seen
from loremap.memory.brief import budget
from loremap.memory.standby import files as standby_files
from loremap.memory.standing import block_of
from loremap.model.clock import new_id
from loremap.model.hook import Beginning, HookEvent, Moment
from loremap.model.session import Injection, Session
from loremap.model.standby import block_mark
from loremap.safety.redaction import redacted_name
from loremap.storage import injections, sessions

if TYPE_CHECKING:
    from loremap.memory.workspace import Workspace

SHARE_BESIDE_TASK = 0.6
"""What of an answer the block may take where it is given together with what a prompt needs."""


class Sessions:
    """Every session at work, and the block each starts with."""

    def __init__(
        self, states: States, task_modules: TaskModules, later: Later, *, home: Path
    ) -> None:
        self._states = states
        self._task_modules = task_modules
        self._later = later
        self._home = home

    def get(self, hook: HookEvent) -> State | None:
        """The session's state, where it is known here."""
        return self.named(hook.session_id)

    def named(self, session_id: str) -> State | None:
        """The state of the session of that id, where it is known here."""
        return self._states.get(stored_id(session_id))

    def apply(self, of: HookEvent | str, event: Event) -> Effects:
        """Let this happen to the session of a hook's event, or of that id."""
        session_id = of if isinstance(of, str) else of.session_id
        return self._states.apply(stored_id(session_id), event)

    def begin(self, hook: HookEvent, lore: Workspace) -> bool:
        """A session, or a new stretch of one, begins; whether it is a new session."""
        state, is_new = self._opened(hook, lore)
        if not is_new and _goes_on(hook, state):
            self.known(hook, lore)
            self.apply(hook, WentOn(is_beginning=True))
            return False
        resumes = hook.beginning in (Beginning.RESUME, Beginning.FORK)
        keeps = resumes and state.session.always_on and self._holds(state, lore)
        made = None if keeps or state.session.held_out else self._block(hook, lore, state)
        resumed = hook.beginning is Beginning.RESUME
        self.apply(hook, Began(lore.now(), is_new, keeps_history=resumed, block=made))
        return is_new

    def known(self, hook: HookEvent, lore: Workspace) -> State:
        """The session's state; where its start was missed, the block is made and owed."""
        state, _ = self._opened(hook, lore)
        if not state.session.held_out and self._wants_block(hook, state, lore):
            self.apply(hook, self._block(hook, lore, state))
        elif state.session.ended_at is not None:  # some clients end it after every prompt
            self.apply(hook, WentOn())
        state = self.get(hook) or state
        if self._was_given(hook, state):
            self.apply(hook, StoodIn(hook.client, lore.now(), new_id()))
        return self.get(hook) or state

    def heard(self, hook: HookEvent) -> HookEvent:
        """The event, once what the person has taken back since is forgotten; with the prompt that
        is to be answered anew, where that was taken back after it was answered."""
        with self._states.alone(stored_id(hook.session_id)) as state:
            if state is None:
                return hook
            event, known = Heard(hook), state.session.transcript or hook.transcript
            if known is not None and looks_back(hook):
                seen = state.seen or Seen(Path(known))
                seen, cuts = looked(hook.transcript or seen.path, hook.client, seen)
                event = Heard(hook, tuple(cuts), seen)
            again = found(self.apply(hook, event), AnswerAnew)
        return hook if again is None else replace(hook, prompt=again.prompt)

    def called(self, lore: Workspace, session_id: str, client: str) -> State:
        """The state of a session that asks by itself; it is owed nothing for that."""
        return self._found(lore, stored_id(session_id), client=client, incognito=False)[0]

    def end(self, hook: HookEvent, lore: Workspace) -> State | None:
        """The session ends, or says so: its state is kept, for it may go on."""
        state, is_new = self._opened(hook, lore)
        if is_new:
            return None
        self.apply(hook, Ended(lore.now()))
        return state

    def has_met(self, hook: HookEvent, state: State, what: str) -> bool:
        """Whether a hook that stood in has shown the session this, in the stretch it is in."""
        at = standby_files.met(self._home, hook.session_id, what)
        began = state.session.reset_at
        if at is None or began is None or began == state.session.created_at:
            return at is not None  # one that began before anybody was here has no earlier stretch
        return at >= began.timestamp()

    def _was_given(self, hook: HookEvent, state: State) -> bool:
        """Whether a hook has given the block when nobody was here."""
        block = state.session.always_on
        if state.has_block or not block or client_named(hook.client).asks_for_block:
            return False
        return self.has_met(hook, state, block_mark(block))

    def _opened(self, hook: HookEvent, lore: Workspace) -> tuple[State, bool]:
        """The session's state, and whether the session is new."""
        state = self.get(hook)
        if state is not None:
            return state, False
        state, is_new = self._found(
            lore,
            stored_id(hook.session_id),
            client=hook.client,
            incognito=hook.incognito,
            transcript=hook.transcript if hook.subagent_id is None else None,
        )
        self.apply(hook, Heard(hook))
        return self.get(hook) or state, is_new

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
                given = () if row is None else injections.since(conn, session_id, row.reset_at)
            if row is not None:
                return self._states.open(_come_back(row, tuple(given), transcript))[0], False
        now = lore.now()
        drawn = is_held_out(session_id, lore.settings.number("metrics.hold_out"))
        session = Session(
            id=session_id,
            client=client,
            created_at=now,
            project_id=lore.project_id,
            branch=lore.repository.branch and redacted_name(lore.repository.branch),
            folder=str(lore.folder),
            last_at=now,
            reset_at=now,
            held_out=drawn,
        )
        return self._states.open(Started(session, incognito))

    # The block

    def _block(self, hook: HookEvent, lore: Workspace, state: State) -> BlockMade:
        """The block of a session that starts here now, kept for one that begins when nobody is
        here; an incognito session leaves none."""
        client = client_named(hook.client)
        module_map = None
        if lore.code.scanned:
            module_map = self._task_modules.map_of(lore)
            if not self._task_modules.is_ready(lore):
                self._later.hand(self._task_modules.make_ready(lore))
        ceiling = budget.ceiling_for(lore.settings.whole("inject.tokens"), client.most_bytes)
        if Moment.SESSION_START not in client.takes:  # it comes with the first prompt's own
            ceiling = int(ceiling * SHARE_BESIDE_TASK)
        with lore.store.read() as conn:
            seq = lore.store.change_seq(conn)
            unwanted = injections.rejected_in(conn, state.session.id)
        block = block_of(
            lore,
            client,
            module_map=module_map,
            remaining=remaining_of(hook),
            ceiling=ceiling,
            without=unwanted,
        )
        if not state.incognito and hook.folder is not None and hook.subagent_id is None:
            keep = lore.engine.standby.keep_block
            self._later.hand(
                partial(keep, hook.client, hook.folder, project_id=lore.project_id, block=block)
            )
        return BlockMade(block, seq)

    def _wants_block(self, hook: HookEvent, state: State, lore: Workspace) -> bool:
        """Whether a block has to be made: there is none, or it is about to be given and tells what
        no longer holds."""
        asks = client_named(hook.client).asks_for_block and hook.moment is Moment.SESSION_START
        about_to_be_given = bool(state.session.always_on) and (asks or not state.has_block)
        return not state.is_made or (about_to_be_given and not self._holds(state, lore))

    def _holds(self, state: State, lore: Workspace) -> bool:
        """Whether all that the block tells still holds; looked at once while no memory changes."""
        with lore.store.read() as conn:
            seq = lore.store.change_seq(conn)
            if state.held_at == seq:
                return True
            holds = sessions.block_holds(conn, state.session, state.block_tells)
        if holds:
            self._states.apply(state.session.id, BlockHeld(seq))
        return holds


def _come_back(session: Session, given: tuple[Injection, ...], transcript: Path | None) -> Restored:
    """A session that another process began, with what its transcript tells was taken back."""
    known = Path(session.transcript) if session.transcript else transcript
    if known is None:
        return Restored(session, given)
    seen, cuts = looked(transcript or known, session.client, Seen(known))
    return Restored(session, given, tuple(cuts), seen)


def _goes_on(hook: HookEvent, state: State) -> bool:
    """Whether the context still holds what was given: a client that keeps it resumes, or begins
    anew after a compaction that was seen to before."""
    if hook.beginning is Beginning.COMPACT:
        return state.settled and state.has_block
    client = client_named(hook.client)
    holds = state.has_block or client.asks_for_block
    return hook.beginning is Beginning.RESUME and client.keeps_on_resume and holds


def stored_id(session_id: str) -> str:
    """A session's id as it is stored: what a client calls it may hold anything."""
    return redacted_name(session_id)


def remaining_of(hook: HookEvent) -> int:
    """About how many tokens of the context are left."""
    if hook.remaining_tokens is not None:
        return hook.remaining_tokens
    if hook.context_tokens is not None:
        return budget.remaining_beside(hook.context_tokens)
    try:
        size = 0 if hook.transcript is None else hook.transcript.stat().st_size
    except OSError:
        size = 0
    return budget.remaining_for(size)

"""Follows the turns of a session, so that what was told in those taken back may be told again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from loremap.agent.pending import Pending
from loremap.agent.records import SessionRecords
from loremap.agent.state import State, Told, all_of, restored
from loremap.clients.registry import client_named
from loremap.clients.transcript import looked
from loremap.clients.transcripts.record import Seen
from loremap.model.hook import HookEvent, Moment
from loremap.model.session import Injection, Session

TURNS = frozenset({Moment.SESSION_START, Moment.PROMPT})
"""The moments that begin one."""
MAX_ASKED = 4_000
_LOOKS = TURNS | {Moment.BEFORE_TOOL, Moment.AFTER_TOOL, Moment.STOP}


def caught_up(event: HookEvent, state: State, records: SessionRecords) -> HookEvent:
    """The event, once what the person has taken back since is forgotten. Where that is known only
    after the prompt was answered, it is answered anew with the next call."""
    if event.moment not in _LOOKS:
        return event
    with state.lock:
        lost = _taken_back(event, state, records)
        if event.moment in TURNS:
            state.begin_turn(event.at, event.turn)
            state.asked = event.prompt[:MAX_ASKED] or state.asked
        elif lost.memories or lost.modules:
            waits = Pending(prompt=state.asked, at=event.at, ids=tuple(lost.memories))
            state.pending = state.pending or waits
            if event.moment is not Moment.STOP and _takes(event):
                return replace(event, prompt=event.prompt or state.asked)
    return event


def come_back(session: Session, given: Sequence[Injection], transcript: Path | None) -> State:
    """The state of a session that another process began."""
    known = Path(session.transcript) if session.transcript else transcript
    if known is None:
        return restored(session, given)
    seen, cuts = looked(transcript or known, session.client, Seen(known))
    state = restored(session, given, cuts)
    state.seen = seen
    return state


def _taken_back(event: HookEvent, state: State, records: SessionRecords) -> Told:
    """What the context has lost since the last look at the transcript."""
    if event.transcript is not None and state.session.transcript is None:
        # Some clients say only at the end of a turn where it lies.
        state.session = replace(state.session, transcript=str(event.transcript))
        records.note_session(state)
    cuts = state.cuts_of(event.taken_back, event.at)
    known = state.session.transcript
    if known is not None:
        seen = state.seen or Seen(Path(known))
        state.seen, more = looked(event.transcript or seen.path, event.client, seen)
        cuts += more
    return all_of(state.forget(cut) for cut in cuts)


def _takes(event: HookEvent) -> bool:
    return event.moment in client_named(event.client).takes

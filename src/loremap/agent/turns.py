"""The turns of a session: what was told in those taken back may be told again. Pure."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable
from dataclasses import replace
from datetime import datetime, timedelta

from loremap.agent.events import AnswerAnew, Effects, Heard, Restored
from loremap.agent.state import Pending, State, Told, Turn
from loremap.clients.registry import client_named
from loremap.clients.transcripts.record import Cut
from loremap.memory.brief.render import Piece, key_of
from loremap.model.hook import HookEvent, Moment
from loremap.model.session import Injection, Tier

MAX_TURNS = 64
MAX_ASKED = 4_000
MODULE_WHY = "module "
BESIDE = frozenset({Tier.BRIDGE, Tier.SUMMARY})
"""The tiers whose pieces are known again by their reason."""
TURNS = frozenset({Moment.SESSION_START, Moment.PROMPT})
"""The moments that begin one."""
LOOKS = TURNS | {Moment.BEFORE_TOOL, Moment.AFTER_TOOL, Moment.STOP}
"""The moments at which it is asked what was taken back."""


def looks_back(hook: HookEvent) -> bool:
    """Whether it is asked at this event what was taken back since the last."""
    return hook.subagent_id is None and hook.moment in LOOKS


def heard(state: State, event: Heard) -> tuple[State, Effects]:
    """The state once what the person has taken back is forgotten. Where that is known only after
    the prompt was answered, it is answered anew with the next call."""
    hook = event.hook
    if hook.transcript is not None and state.session.transcript is None:
        # Some clients say only at the end of a turn where it lies.
        session = replace(state.session, transcript=str(hook.transcript))
        state = replace(state, session=session)
    if not looks_back(hook):
        return state, ()
    lost = Told()
    if event.seen is not None and event.seen != state.seen:
        state = replace(state, seen=event.seen)
    for cut in (*_cuts_of(state, hook.taken_back, hook.at), *event.cuts):
        state, gone = forgotten(state, cut)
        lost += gone
    if hook.moment in TURNS:
        asked = hook.prompt[:MAX_ASKED] or state.asked
        return replace(in_turn(state, hook.at, hook.turn), asked=asked), ()
    if not lost.memories and not lost.modules:
        return state, ()
    waits = Pending(prompt=state.asked, at=hook.at, ids=tuple(sorted(lost.memories)))
    state = replace(state, pending=state.pending or waits)
    takes = hook.moment is not Moment.STOP and hook.moment in client_named(hook.client).takes
    return state, (AnswerAnew(hook.prompt or state.asked),) if takes else ()


def in_turn(state: State, at: datetime, name: str = "") -> State:
    """The state in a turn that begins now: what is told from here on may be taken back."""
    if at <= state.turns[-1].at:
        return state
    first, *later = (*state.turns, Turn(at, state.told, state.has_block, name))
    return replace(state, turns=(first, *later[-MAX_TURNS:]))


def forgotten(state: State, cut: Cut) -> tuple[State, Told]:
    """The state without what was told in turns that were taken back, and what that was."""
    dropped = [turn for turn in state.turns if cut.since < turn.at < cut.until]
    if not dropped:
        return state, Told()
    later = [turn for turn in state.turns if turn.at >= cut.until]
    kept = dropped[0]
    after = later[0] if later else Turn(cut.until, state.told, state.has_block)
    lost = after.told - kept.told
    block_stays = kept.has_block and (state.with_a_prompt or not cut.start_too)
    lost_block = after.has_block and not block_stays
    before = [turn for turn in state.turns[1:] if turn.at <= cut.since]
    after_it = [
        replace(turn, told=turn.told - lost, has_block=turn.has_block and not lost_block)
        for turn in later
    ]
    left = replace(
        state,
        told=state.told - lost,
        has_block=state.has_block and not lost_block,
        turns=(state.turns[0], *before, *after_it),
        briefed=state.briefed and not (lost.memories or lost.modules),
        owed={},
    )
    return left, lost


def restored(event: Restored) -> State:
    """The state of a session that another process began."""
    session = event.session
    state = State(
        session=session,
        is_made=bool(session.always_on),
        turns=(Turn(session.created_at),),
        seen=event.seen,
    )
    waiting = deque(event.cuts)
    for one in event.given:
        if one.moment == Moment.SUBAGENT_START:
            continue
        while waiting and waiting[0].until <= one.at:
            state, _ = forgotten(state, waiting.popleft())
        state = _given_again(in_turn(state, one.at), one)
    return _without(state, waiting)


def _given_again(state: State, one: Injection) -> State:
    """The state as a row of the store tells that it went on."""
    if one.tier is Tier.ALWAYS:
        piece = Piece(text="", memory_id=one.memory_id, why=one.why, score=one.score)
        state = replace(
            state,
            pieces=(*state.pieces, piece) if state.has_block else (piece,),
            has_block=True,
            with_a_prompt=one.moment == Moment.PROMPT,
        )
    if one.tier in BESIDE:
        given = frozenset({one.memory_id}) if one.memory_id else frozenset[str]()
        told = Told(memories=given, others=frozenset({key_of(one.why)}))
    elif one.tier is Tier.TOOL:
        lines = frozenset({one.memory_id}) if one.memory_id else frozenset[str]()
        told = Told(lines=lines, others=frozenset(one.patterns))
    elif one.memory_id is None:
        told = Told(modules=frozenset({one.why.removeprefix(MODULE_WHY)}))
    else:
        told = Told(memories=frozenset({one.memory_id}))
    return replace(state, told=state.told + told, briefed=state.briefed or one.tier is Tier.TASK)


def _without(state: State, cuts: Iterable[Cut]) -> State:
    for cut in cuts:
        state, _ = forgotten(state, cut)
    return state


def _cuts_of(state: State, names: Collection[str], until: datetime) -> list[Cut]:
    """What is taken back with the turns of these names."""
    begun = [turn.at for turn in state.turns if turn.name and turn.name in names]
    return [Cut(min(begun) - timedelta.resolution, until)] if begun else []

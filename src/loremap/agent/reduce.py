"""A session's next state, and what is to be done, of its state and an event: the one way by which
a session changes. It reads no clock, no settings and no database."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, TypeAlias

from loremap.agent.delivery import answered, asked, stood_in, undelivered, warned
from loremap.agent.events import (
    Answered,
    Asked,
    Began,
    BlockHeld,
    BlockMade,
    Compacted,
    Compacting,
    Effects,
    Ended,
    Event,
    Followed,
    FoundLate,
    Heard,
    MarkUsed,
    OpenTopic,
    Restored,
    Started,
    StartTask,
    StoodIn,
    Stored,
    SubagentStarted,
    SubagentStopped,
    TakenUp,
    TakeUp,
    Tasked,
    Undelivered,
    Used,
    Warned,
    WentOn,
    Write,
    WriteSession,
)
from loremap.agent.state import NO_TOPIC, State, Told, Turn, continued, is_new_topic, without
from loremap.agent.turns import heard, restored

COMPACTED_LATELY_S = 60.0
MAX_TASKS = 16

Next: TypeAlias = tuple[State, Effects]


def reduce(state: State | None, event: Event) -> Next:
    """The state after an event, and the effects. None is the state of a session that is not known:
    only `Started` and `Restored` come then. An incognito session leaves nothing behind."""
    if isinstance(event, Restored):
        return restored(event), ()
    if isinstance(event, Started):
        after, effects = _started(event)
    else:
        assert state is not None, "an event of a session that is not known"
        after, effects = RULES[type(event)](state, event)
        if after is not state and _row_of(after) != _row_of(state):
            effects = (_row_of(after), *effects)
    if after.incognito:
        effects = tuple(one for one in effects if not isinstance(one, Write))
    return after, effects


def _row_of(state: State) -> WriteSession:
    return WriteSession(state.session, state.block_tells)


# A session's life


def _started(event: Started) -> Next:
    turns = (Turn(event.session.created_at),)
    state = State(session=event.session, incognito=event.incognito, turns=turns)
    return state, (_row_of(state),)


def _began(state: State, event: Began) -> Next:
    if not event.is_new:
        state = _emptied(state, event.now, keeps_history=event.keeps_history)
    return state if event.block is None else _with_block(state, event.block), ()


def _went_on(state: State, event: WentOn) -> Next:
    session = replace(state.session, ended_at=None)
    return replace(state, session=session, settled=state.settled and not event.is_beginning), ()


def _compacting(state: State, event: Compacting) -> Next:
    if event.is_told_after:
        return replace(state, compacting=True), ()
    return _emptied(state, event.now), ()


def _compacted(state: State, event: Compacted) -> Next:
    """Some clients began the session anew by then, some do later."""
    reset = state.session.reset_at or state.session.created_at
    lately = (event.now - reset).total_seconds() < COMPACTED_LATELY_S
    if lately and not state.compacting:
        return state, ()
    return replace(_emptied(state, event.now), settled=True), ()


def _ended(state: State, event: Ended) -> Next:
    """It is kept, for it may go on."""
    session = replace(state.session, ended_at=event.now, last_at=event.now)
    return replace(state, session=session), ()


def _emptied(state: State, now: datetime, *, keeps_history: bool = False) -> State:
    """The context was emptied or begun again: nothing lies in it any more, or only what came with
    prompts."""
    kept = keeps_history and state.with_a_prompt
    since = state.session.reset_at if kept else now
    return replace(
        state,
        session=replace(state.session, reset_at=since, last_at=now),
        with_a_prompt=kept,
        has_block=kept,
        told=Told(),
        compacting=False,
        settled=False,
        topic=NO_TOPIC,
        briefed=False,
        pending=None,
        owed={},
        subagents={},
        turns=(Turn(now),),
    )


# The block


def _with_block(state: State, made: BlockMade) -> State:
    return replace(
        state,
        session=replace(state.session, always_on=made.block.text),
        pieces=made.block.pieces,
        is_made=True,
        held_at=made.seq,
    )


def _block_made(state: State, event: BlockMade) -> Next:
    return _with_block(state, event), ()


def _block_held(state: State, event: BlockHeld) -> Next:
    return replace(state, held_at=event.seq), ()


# What is heard


def _taken_up(state: State, event: TakenUp) -> Next:
    waiting = state.pending
    state = replace(state, pending=None, spoken_of=state.spoken_of | event.words)
    if waiting is None or waiting.is_stale(event.now):
        return state, ()
    return state, (TakeUp(waiting),)


def _followed(state: State, event: Followed) -> Next:
    """Another topic clears what was told, unless what was told answers this prompt too."""
    anew = not event.is_known and is_new_topic(
        state.topic, vector=event.vector, words=event.words, scale=event.scale
    )
    said = tuple(sorted(event.words))
    topic = continued(state.topic, vector=event.vector, words=said, anew=anew)
    state = replace(state, topic=topic)
    if anew:
        kept = Told(lines=state.told.lines, others=state.told.others)
        state = replace(state, told=kept, briefed=False)
    if state.briefed or not event.is_worth:
        return state, ()
    return replace(state, briefed=event.is_whole), (OpenTopic(state.told.modules),)


def _found_late(state: State, event: FoundLate) -> Next:
    """It waits for the next prompt, unless something does already."""
    pending = state.pending or event.pending
    return replace(state, pending=pending, briefed=state.briefed and not event.unread), ()


def _tasked(state: State, event: Tasked) -> Next:
    return replace(state, tasks=(*state.tasks, (event.kind, event.task))[-MAX_TASKS:]), ()


def _subagent_started(state: State, event: SubagentStarted) -> Next:
    """Its task is, of those that wait, the oldest of its kind, else the oldest."""
    if not state.tasks:
        return state, ()
    kinds = [kind for kind, _ in state.tasks]
    at = kinds.index(event.kind) if event.kind in kinds else 0
    left = (*state.tasks[:at], *state.tasks[at + 1 :])
    return replace(state, tasks=left), (StartTask(state.tasks[at][1]),)


def _subagent_stopped(state: State, event: SubagentStopped) -> Next:
    return replace(state, subagents=without(state.subagents, event.id)), ()


def _stored(state: State, event: Stored) -> Next:
    return replace(state, told=state.told + Told(memories=event.ids)), ()


def _used(state: State, event: Used) -> Next:
    return state, (MarkUsed(state.session.id, event.ids, event.now),)


RULES: Mapping[type, Callable[[State, Any], Next]] = {
    Began: _began,
    WentOn: _went_on,
    Compacting: _compacting,
    Compacted: _compacted,
    Ended: _ended,
    BlockMade: _block_made,
    BlockHeld: _block_held,
    StoodIn: stood_in,
    Heard: heard,
    TakenUp: _taken_up,
    Followed: _followed,
    FoundLate: _found_late,
    Tasked: _tasked,
    SubagentStarted: _subagent_started,
    SubagentStopped: _subagent_stopped,
    Warned: warned,
    Answered: answered,
    Undelivered: undelivered,
    Asked: asked,
    Stored: _stored,
    Used: _used,
}
"""What each event does to a session that is known."""

"""What subagents did in a session, at its place in time among the turns of that session."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import islice
from operator import itemgetter

from loremap.clients.hook_events import CALL, mark_of_call
from loremap.clients.payloads.cleaned import name_kept
from loremap.clients.transcript import kind_asked
from loremap.clients.transcripts.record import EVER, Record
from loremap.model.event import Event
from loremap.model.hook import Moment
from loremap.model.text import one_line
from loremap.model.turn import Turn
from loremap.sessions.turns import MAX_TURNS, turns_of, turns_of_events

_KNOWN_BY = 200
"""Letters by which a subagent's task is known again in its own transcript."""


def with_subagents(
    own: Sequence[Turn],
    written: Iterable[tuple[str, Iterable[Record]]],
    *,
    logged: Sequence[Event] = (),
) -> list[Turn]:
    """A session's own turns and those of its subagents, in the order of time: as is written of each
    by its id, and of calls that nothing written tells of, as the log tells. Those of subagents are
    no more than its own leave of MAX_TURNS, and taken back where their task was."""
    inner = list(_turns(written, most=MAX_TURNS - len(own)))
    told = [own, *inner]
    roles = _asked(told) | {one.subagent_id or "": one.subagent_kind for one in logged}
    left = MAX_TURNS - sum(map(len, told))
    missing = turns_of_events(islice(_untold(logged, told), left))
    merged = _in_time([own, *(_in_role(turns, roles) for turns in inner), missing])
    every = enumerate(_as_handed_on(merged))
    return [replace(turn, number=number) for number, turn in every]


def _turns(written: Iterable[tuple[str, Iterable[Record]]], *, most: int) -> Iterator[list[Turn]]:
    """The turns of each subagent, no more than `most` in all; nobody typed them."""
    left = most
    for subagent_id, records in written:
        told = turns_of(replace(one, in_subagent=True) for one in records)
        turns = [replace(turn, subagent_id=subagent_id) for turn in told]
        left -= len(turns)
        if left < 0:
            return
        if turns:
            yield turns


def _asked(told: Iterable[Sequence[Turn]]) -> dict[str, str]:
    """The role that was asked for with each task that was handed on, by the task."""
    calls = (turn.call for turns in told for turn in turns if turn.call is not None)
    return {_known_by(call.task): kind_asked(call) for call in calls if call.task}


def _in_role(turns: Sequence[Turn], roles: Mapping[str, str]) -> list[Turn]:
    """The turns of one subagent with its role: as it is written there, as hooks told it, or as its
    task was handed on."""
    written = (turn.subagent_kind for turn in turns)
    known = (roles.get(key, "") for key in (turns[0].subagent_id, _known_by(turns[0].text)))
    role = name_kept(next(filter(None, (*written, *known)), ""))
    return [replace(turn, subagent_kind=role) for turn in turns]


def _known_by(task: str) -> str:
    return one_line(task)[:_KNOWN_BY]


def _untold(logged: Sequence[Event], told: Iterable[Sequence[Turn]]) -> Iterator[Event]:
    """The calls in the log of which no transcript tells; one without an id cannot be told apart."""
    calls = [turn.call for turns in told for turn in turns if turn.call is not None]
    known = {
        mark_of_call(session_id, Moment.AFTER_TOOL, call.use_id)
        for session_id in {one.session_id for one in logged}
        for call in calls
        if call.use_id
    }
    for one in logged:
        if one.key.startswith(CALL) and one.key.rpartition(":")[0] not in known:
            yield one


def _in_time(told: Iterable[Sequence[Turn]]) -> Iterator[Turn]:
    """The turns of several agents as one, each agent's in its own order."""
    return (turn for _, turn in heapq.merge(*map(_timed, told), key=itemgetter(0)))


def _timed(turns: Iterable[Turn]) -> Iterator[tuple[datetime, Turn]]:
    """The turns with their times, of which none lies before the one before it."""
    latest = EVER
    for turn in turns:
        latest = max(latest, turn.at or latest)
        yield latest, turn


def _as_handed_on(turns: Iterable[Turn]) -> Iterator[Turn]:
    """The turns in the order of time, those of subagents taken back where the call was that last
    handed on their task; where nothing tells that, where the session's own turn before them was.
    What was said in turns that were taken back is left out."""
    own_gone, tasks, subagents = False, dict[str, bool](), dict[str, bool]()
    for turn in turns:
        gone = turn.taken_back
        if turn.subagent_id:
            handed_on = tasks.get(_known_by(turn.text), own_gone)
            gone = subagents.setdefault(turn.subagent_id, handed_on) or gone
        else:
            own_gone = gone
        if turn.call is not None and turn.call.task:
            tasks[_known_by(turn.call.task)] = gone
        if turn.call is not None or not gone:
            yield replace(turn, taken_back=gone)

"""The events that a session of the past would have left in the log, where it has none of them."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from loremap.clients.hook_events import CALL, call_key
from loremap.clients.payloads.record import Place, recorded
from loremap.model.event import Event
from loremap.model.hook import HookEvent, Moment
from loremap.model.session import Session
from loremap.model.turn import Speaker, Turn

AROUND = timedelta(seconds=5)
"""A hook tells of a prompt at about the time at which the client writes it down."""
_IN_SUBAGENT = "past"


def missing_events(
    turns: Sequence[Turn],
    session: Session,
    place: Place,
    *,
    keys: Collection[str],
    logged: tuple[datetime, datetime] | None,
    since: datetime,
) -> list[Event]:
    """What was typed and done in these turns since a time and is not in the log, by the keys and
    the times of what is; with keys under which it is known again, by a hook too."""
    calls = {_of_call(key) for key in keys if key.startswith(CALL)}
    found = []
    for turn in turns:
        event = _told(turn, session)
        if event is None or event.at < since:
            continue
        is_call = event.key.startswith(CALL)
        if _of_call(event.key) in calls if is_call else _is_within(event.at, logged):
            continue
        found.append(replace(recorded(event, place), key=event.key))
    return found


def _told(turn: Turn, session: Session) -> HookEvent | None:
    """A turn as a hook would have told it; None for what the agent said."""
    if turn.speaker is Speaker.AGENT:
        return None
    event = HookEvent(
        client=session.client,
        name="",
        moment=Moment.AFTER_TOOL if turn.call is not None else Moment.PROMPT,
        session_id=session.id,
        at=turn.at or session.created_at,
        prompt=turn.text if turn.call is None else "",
        tool=turn.call,
        subagent_id=(turn.subagent_id or _IN_SUBAGENT) if turn.in_subagent else None,
        subagent_kind=turn.subagent_kind,
    )
    use_id = None if turn.call is None else turn.call.use_id
    if use_id:
        return replace(event, key=call_key(event, use_id, ""))
    said = f"{session.id}\0{turn.number}\0{turn.text}"
    digest = hashlib.blake2b(said.encode("utf-8", "replace"), digest_size=16)
    return replace(event, key=f"past:{digest.hexdigest()}")


def _of_call(key: str) -> str:
    """What is the same in all keys of one call, whatever turn and agent a hook told with it."""
    return key.removeprefix(CALL).partition(":")[0]


def _is_within(at: datetime, logged: tuple[datetime, datetime] | None) -> bool:
    return logged is not None and logged[0] - AROUND <= at <= logged[1] + AROUND

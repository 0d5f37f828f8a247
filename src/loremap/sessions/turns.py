"""The turns of a session from what its transcript tells: each call with what came of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from loremap.clients.transcript import joined
from loremap.clients.transcripts.record import Record, Role
from loremap.memory.brief.ours import without_ours
from loremap.model.turn import Speaker, Turn

_SPEAKERS = {Role.USER: Speaker.PERSON, Role.AGENT: Speaker.AGENT, Role.CALL: Speaker.TOOL}


def turns_of(records: Iterable[Record]) -> list[Turn]:
    """The turns that records tell of, in order. What a client sums up by itself is nobody's word
    and is left out; of what a person sent, so is what we put in."""
    turns: list[Turn] = []
    open_calls: dict[str, int] = {}
    for record in records:
        if record.role is Role.RESULT:
            _close(turns, open_calls, record)
            continue
        speaker = _SPEAKERS.get(record.role)
        text = without_ours(record.text) if speaker is Speaker.PERSON else record.text
        if speaker is None or not (text.strip() or record.tool):
            continue
        number = len(turns)
        if record.tool is not None and record.tool.use_id:
            open_calls[record.tool.use_id] = number
        turns.append(
            Turn(
                number=number,
                speaker=speaker,
                text=text,
                call=record.tool,
                at=record.at,
                in_subagent=record.in_subagent,
            )
        )
    return turns


def _close(turns: list[Turn], open_calls: dict[str, int], record: Record) -> None:
    """Put what came of a call to the call; a result whose call is not told is passed over."""
    use_id = None if record.tool is None else record.tool.use_id
    number = open_calls.pop(use_id, None) if use_id else None
    if number is not None:
        turns[number] = replace(turns[number], call=joined(turns[number].call, record))

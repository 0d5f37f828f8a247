"""Adds to an event what only the end of the transcript tells: why, what was said, what is left."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from loremap.clients.registry import client_named
from loremap.clients.transcript import Tail, Wanted, asked_first, open_task, tail, task_of
from loremap.model.hook import Beginning, HookEvent, Moment, ToolCall

_ROOM_MATTERS = frozenset({Moment.SESSION_START, Moment.PROMPT, Moment.AFTER_TOOL})
USUAL_WINDOW_TOKENS = 200_000
"""Where a client says how much is used and not of how much."""
_ID = re.compile(r"[\w-]{1,200}")


def surrounded(event: HookEvent) -> HookEvent:
    """The event with what the last lines of its transcript tell; as it is if there is none."""
    event = _asked(event)
    wanted, own = _wanted(event), own_transcript(event)
    if own is None:
        wanted &= Wanted.CALL  # a call has an id; whose words the others are cannot be told
    path = own or event.transcript
    if path is None or not wanted:
        return event
    use_id = None if event.tool is None else event.tool.use_id
    end = tail(path, event.client, wanted, use_id=use_id)
    return replace(
        event,
        beginning=_beginning(event, end),
        tool=None if event.tool is None else _explained(event.tool, end),
        said=event.said or (end.said if event.moment is Moment.STOP else ""),
        remaining_tokens=_remaining(end),
        context_tokens=end.context_tokens,
    )


def own_transcript(event: HookEvent) -> Path | None:
    """The transcript of the agent in which this happens; None where it is not known."""
    path, agent = event.transcript, event.subagent_id
    if agent is None or path is None:
        return path
    if event.inner_transcript is not None:
        return event.inner_transcript
    if agent in path.name:
        return path
    written = client_named(event.client).transcript
    if written is None or not _ID.fullmatch(agent):
        return None
    return written.of_subagent(path, agent)


def _asked(event: HookEvent) -> HookEvent:
    """The event with what was asked for, where the client tells that only in writing: the task of a
    subagent, and what a turn is about where a prompt has no event."""
    path = event.transcript
    if event.prompt or path is None:
        return event
    match event.moment:
        case Moment.SUBAGENT_START | Moment.SUBAGENT_STOP:
            own = own_transcript(event)
            task = task_of(own, event.client) if own is not None else ""
            starts = event.moment is Moment.SUBAGENT_START
            if starts and not task and own != path:
                task = open_task(path, event.client, event.subagent_kind)
            return replace(event, prompt=task)
        case Moment.BEFORE_TOOL if not _takes_prompts(event) and event.subagent_id is None:
            return replace(event, prompt=asked_first(path, event.client))
    return event


def _takes_prompts(event: HookEvent) -> bool:
    return Moment.PROMPT in client_named(event.client).takes


def _beginning(event: HookEvent, end: Tail) -> Beginning | None:
    """How the session began; it goes on where something was said before."""
    told = client_named(event.client).payloads
    goes_on = told is not None and told.begins_every_turn and end.context_tokens is not None
    return Beginning.RESUME if goes_on and event.beginning is not None else event.beginning


def _wanted(event: HookEvent) -> Wanted:
    """What the event does not tell by itself."""
    wanted = Wanted.TOKENS if event.moment in _ROOM_MATTERS else Wanted(0)
    if event.moment is Moment.STOP and not event.said:
        wanted |= Wanted.SAID
    if event.moment is Moment.AFTER_TOOL and event.tool is not None:
        wanted |= Wanted(0) if event.tool.why else Wanted.SAID
        unknown = event.tool.success is None and event.tool.use_id is not None
        wanted |= Wanted.CALL if unknown else Wanted(0)
    return wanted


def _explained(tool: ToolCall, end: Tail) -> ToolCall:
    """A call with the agent's words before it as its reason, and with how it ended where the hook
    did not tell."""
    tool = replace(tool, why=tool.why or end.said)
    if tool.success is not None or end.call is None:
        return tool
    return replace(
        tool,
        success=end.call.success,
        error=tool.error or end.call.error,
        result=tool.result or end.call.result,
        duration_ms=tool.duration_ms or end.call.duration_ms,
    )


def _remaining(end: Tail) -> int | None:
    if end.context_tokens is None:
        return None
    window = end.window_tokens or USUAL_WINDOW_TOKENS
    return window - end.context_tokens if end.context_tokens < window else None

"""Adds to an event what only the end of the transcript tells: why, what was said, what is left."""

from __future__ import annotations

from dataclasses import replace

from loremap.capture.transcripts.read import Tail, Wanted, tail
from loremap.model.hook import HookEvent, Moment, ToolCall

_ROOM_MATTERS = frozenset({Moment.SESSION_START, Moment.PROMPT})
USUAL_WINDOW_TOKENS = 200_000
"""Where a client says how much is used and not of how much."""


def surrounded(event: HookEvent) -> HookEvent:
    """The event with what the last lines of its transcript tell; as it is where there is none."""
    wanted = _wanted(event)
    if event.transcript is None or not wanted:
        return event
    use_id = None if event.tool is None else event.tool.use_id
    end = tail(event.transcript, event.client, wanted, use_id=use_id)
    return replace(
        event,
        tool=None if event.tool is None else _explained(event.tool, end),
        said=event.said or (end.said if event.moment is Moment.STOP else ""),
        remaining_tokens=_remaining(end),
        context_tokens=end.context_tokens,
    )


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

"""Claude Code's transcript: one JSON object per line, one record for each block of a message."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from loremap.clients.payloads.payload import items, mapping, said, text, whole
from loremap.clients.payloads.tools import called
from loremap.clients.transcripts.record import Raw, Record, Role, time_of
from loremap.model.hook import ToolCall

_CONTINUED = "This session is being continued from a previous conversation"
_NOT_SAID = ("<system-reminder>", "<local-command-")
_USED = (
    *("input_tokens", "cache_creation_input_tokens"),
    *("cache_read_input_tokens", "output_tokens"),
)


def records(line: Raw) -> Iterator[Record]:
    """What one line tells; attachments hold what hooks and the client put in, and are left out."""
    kind = text(line, "type")
    message = mapping(line, "message")
    at, inner = time_of(line.get("timestamp")), line.get("isSidechain") is True
    if kind == "user" and line.get("isMeta") is not True:
        yield from _of_user(message, at=at, inner=inner)
    elif kind == "assistant":
        used = _used(mapping(message, "usage"))
        for block in items(message, "content"):
            if isinstance(block, dict):
                yield from _of_agent(block, at=at, inner=inner, used=used)


def _of_user(message: Raw, *, at: datetime | None, inner: bool) -> Iterator[Record]:
    content = message.get("content")
    blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
    for block in blocks:
        if not isinstance(block, dict):
            continue
        if text(block, "type") == "tool_result":
            yield Record(role=Role.RESULT, at=at, tool=_result(block), in_subagent=inner)
        elif (words := text(block, "text")) and not words.startswith(_NOT_SAID):
            role = Role.SUMMARY if words.startswith(_CONTINUED) else Role.USER
            yield Record(role=role, at=at, text=words, in_subagent=inner)


def _of_agent(
    block: Raw, *, at: datetime | None, inner: bool, used: int | None
) -> Iterator[Record]:
    if text(block, "type") == "text" and text(block, "text"):
        yield Record(
            role=Role.AGENT,
            at=at,
            text=text(block, "text"),
            in_subagent=inner,
            context_tokens=used,
        )
    elif text(block, "type") == "tool_use":
        call = called(text(block, "name"), mapping(block, "input"), use_id=text(block, "id"))
        yield Record(role=Role.CALL, at=at, tool=call, in_subagent=inner, context_tokens=used)


def _result(block: Raw) -> ToolCall:
    words, is_error = said(block.get("content")), block.get("is_error") is True
    return ToolCall(
        name="",
        use_id=text(block, "tool_use_id") or None,
        result=words,
        success=not is_error,
        error=words[:500] if is_error else "",
    )


def _used(usage: Raw) -> int | None:
    counts = [count for name in _USED if (count := whole(usage, name)) is not None]
    return sum(counts) if counts else None

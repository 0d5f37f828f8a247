"""Codex's rollout: items of the conversation, and events that tell how commands ended."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from loremap.clients.payloads.outcomes import told_by_text
from loremap.clients.payloads.payload import Raw, items, mapping, said, text, whole
from loremap.clients.payloads.tools import called, given_input
from loremap.clients.transcripts.record import Record, Role, time_of
from loremap.model.hook import ToolCall

_USER_KINDS = frozenset({"user.text"})
_CALLS = frozenset({"function_call", "custom_tool_call", "local_shell_call"})
_OUTPUTS = frozenset({"function_call_output", "custom_tool_call_output"})


def records(line: Raw) -> Iterator[Record]:
    """What one line tells; what hooks and the client put in is marked as theirs and left out."""
    payload, at = mapping(line, "payload"), time_of(line.get("timestamp"))
    match text(line, "type"):
        case "response_item":
            yield from _of_item(payload, at)
        case "event_msg":
            yield from _of_event(payload, at)
        case "compacted":
            if words := text(payload, "message", "summary"):
                yield Record(role=Role.SUMMARY, at=at, text=words)


def _of_item(item: Raw, at: datetime | None) -> Iterator[Record]:
    kind = text(item, "type")
    if kind == "message":
        yield from _of_message(item, at)
    elif kind in _CALLS:
        given = given_input(item, "arguments", "input", "action")
        call = called(text(item, "name") or "shell", given, use_id=text(item, "call_id"))
        yield Record(role=Role.CALL, at=at, tool=call)
    elif kind in _OUTPUTS:
        outcome = told_by_text(_output(item), otherwise=None)
        yield Record(
            role=Role.RESULT,
            at=at,
            tool=ToolCall(
                name="",
                use_id=text(item, "call_id") or None,
                result=outcome.result,
                success=outcome.success,
                error=outcome.error,
            ),
        )


def _output(item: Raw) -> str:
    return said(item.get("output"))


def _of_message(item: Raw, at: datetime | None) -> Iterator[Record]:
    words = said(item.get("content"))
    marks = mapping(item, "internal_chat_message_metadata_passthrough", "metadata")
    kinds = {kind for kind in items(marks, "content_item_kinds") if isinstance(kind, str)}
    if not words:
        return
    if text(item, "role") == "assistant":
        yield Record(role=Role.AGENT, at=at, text=words)
    elif text(item, "role") == "user" and kinds & _USER_KINDS:
        yield Record(role=Role.USER, at=at, text=words)


def _of_event(payload: Raw, at: datetime | None) -> Iterator[Record]:
    kind = text(payload, "type")
    if kind == "token_count":
        info = mapping(payload, "info")
        yield Record(
            role=Role.USAGE,
            at=at,
            context_tokens=whole(mapping(info, "last_token_usage"), "total_tokens"),
            window_tokens=whole(info, "model_context_window"),
        )
    elif kind == "item_completed":
        item = mapping(payload, "item")
        code = whole(item, "exit_code")
        if text(item, "type") == "CommandExecution" and code is not None:
            yield Record(role=Role.RESULT, at=at, tool=_ended(item, code))


def _ended(item: Raw, code: int) -> ToolCall:
    lasted = mapping(item, "duration")
    seconds, nanos = whole(lasted, "secs") or 0, whole(lasted, "nanos") or 0
    return ToolCall(
        name="",
        use_id=text(item, "id") or None,
        result=text(item, "aggregated_output"),
        success=code == 0,
        error="" if code == 0 else f"exit code {code}",
        duration_ms=seconds * 1000 + nanos // 1_000_000,
    )

"""Gemini's chat log: messages that are written again with the same id as they grow."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from loremap.clients.framed import without_framed
from loremap.clients.payloads.outcomes import told_by_text
from loremap.clients.payloads.payload import Raw, items, mapping, said, text, whole
from loremap.clients.payloads.tools import called
from loremap.clients.transcripts.record import Record, Role, time_of
from loremap.model.hook import ToolCall

_UNTRUSTED = ("<untrusted_context>", "</untrusted_context>")
_SET_UP = "<session_context>"


def records(line: Raw) -> Iterator[Record]:
    """What one line tells, without what hooks put in; a patch of the whole may hold messages."""
    for message in items(mapping(line, "$set"), "messages"):
        if isinstance(message, dict):
            yield from _of_message(message)
    yield from _of_message(line)


def _plain(words: str) -> str:
    """Words without what hooks put in, and without the frame round what tools gave."""
    words = without_framed(words, "hook_context")
    for tag in _UNTRUSTED:
        words = words.replace(tag, "")
    return words.strip()


def _of_message(message: Raw) -> Iterator[Record]:
    at, kind = time_of(message.get("timestamp")), text(message, "type")
    words = _plain(said(message.get("content")))
    if kind == "user":
        if words and not words.startswith(_SET_UP):
            yield Record(role=Role.USER, at=at, text=words)
    elif kind == "gemini":
        used = whole(mapping(message, "tokens"), "total")
        if words:
            yield Record(role=Role.AGENT, at=at, text=words, context_tokens=used)
        elif used is not None:
            yield Record(role=Role.USAGE, at=at, context_tokens=used)
        for call in items(message, "toolCalls"):
            if isinstance(call, dict):
                yield from _of_call(call, at)


def _of_call(call: Raw, at: datetime | None) -> Iterator[Record]:
    use_id = text(call, "id")
    yield Record(
        role=Role.CALL, at=at, tool=called(text(call, "name"), mapping(call, "args"), use_id=use_id)
    )
    if status := text(call, "status"):
        yield Record(
            role=Role.RESULT,
            at=time_of(call.get("timestamp")) or at,
            tool=_result(call, use_id=use_id, status=status),
        )


def _result(call: Raw, *, use_id: str, status: str) -> ToolCall:
    replies = [
        mapping(mapping(part, "functionResponse"), "response")
        for part in items(call, "result")
        if isinstance(part, dict)
    ]
    words = _plain("\n".join(text(reply, "output", "error") for reply in replies))
    outcome = told_by_text(words, otherwise=status == "success")
    return ToolCall(
        name="",
        use_id=use_id or None,
        result=outcome.result,
        success=outcome.success,
        error=outcome.error or ("" if outcome.success else words[:500]),
    )

"""Cline's file of a session: one JSON object, written out with a line for each of its parts."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from loremap.clients.framed import without_framed
from loremap.clients.payloads.outcomes import of_cline
from loremap.clients.payloads.payload import Raw, items, mapping, said, text, whole
from loremap.clients.payloads.tools import called
from loremap.clients.transcripts.record import Lines, Record, Role
from loremap.model.hook import ToolCall

_BEGINS, _ENDS = b"    {", (b"    }", b"    },")
"""How a message begins and ends: no text in it holds a line break, so no other line is like it."""
_ASKED, _ASKED_END = "<user_input", "</user_input>"
_USED = ("inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens")


def messages(lines: Lines) -> Iterator[tuple[int, bytes]]:
    """The messages among the lines, each as one line; one that is cut off is left out."""
    begun, parts = 0, list[bytes]()
    for at, line in lines:
        bare = line.rstrip()
        if bare == _BEGINS:
            begun, parts = at, [line]
        elif parts and bare in _ENDS:
            yield begun, b"".join((*parts, b"}"))
            parts = []
        elif parts:
            parts.append(line)


def records(message: Raw) -> Iterator[Record]:
    """What one message tells, without what hooks put in."""
    at, used = _time(message), _used(mapping(message, "metrics"))
    is_agent = text(message, "role") == "assistant"
    for block in items(message, "content"):
        if not isinstance(block, dict):
            continue
        kind = text(block, "type")
        if kind == "text" and (words := _plain(text(block, "text"))):
            role = Role.AGENT if is_agent else Role.USER
            yield Record(role=role, at=at, text=words, context_tokens=used)
        elif kind == "tool_use":
            call = called(text(block, "name"), mapping(block, "input"), use_id=text(block, "id"))
            yield Record(role=Role.CALL, at=at, tool=call, context_tokens=used)
        elif kind == "tool_result":
            yield Record(role=Role.RESULT, at=at, tool=_result(block))


def _plain(words: str) -> str:
    words = without_framed(words, "hook_context").strip()
    if words.startswith(_ASKED) and words.endswith(_ASKED_END):
        words = words.partition(">")[2].removesuffix(_ASKED_END)
    return words.strip()


def _result(block: Raw) -> ToolCall:
    content = mapping(block, "content") or block.get("content")
    outcome = of_cline({"tool_result": {"output": content}})
    return ToolCall(
        name="",
        use_id=text(block, "tool_use_id") or None,
        result=outcome.result or said(content),
        success=outcome.success,
        error=outcome.error,
    )


def _used(metrics: Raw) -> int | None:
    counts = [count for name in _USED if (count := whole(metrics, name)) is not None]
    return sum(counts) if counts else None


def _time(message: Raw) -> datetime | None:
    ms = whole(message, "ts")
    return datetime.fromtimestamp(ms / 1000, tz=UTC) if ms and 0 < ms < 1 << 43 else None

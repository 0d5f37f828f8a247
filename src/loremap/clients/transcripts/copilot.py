"""Copilot's event log: messages, and the beginning and end of each call of a tool."""

from __future__ import annotations

from collections.abc import Iterator

from loremap.clients.payloads.payload import Raw, mapping, said, text, whole
from loremap.clients.payloads.tools import called, given_input
from loremap.clients.transcripts.record import Record, Role, time_of
from loremap.model.hook import ToolCall


def records(line: Raw) -> Iterator[Record]:
    """What one line tells; hooks have lines of their own, which are left out."""
    data, at = mapping(line, "data"), time_of(line.get("timestamp"))
    match text(line, "type"):
        case "user.message":
            if words := text(data, "content"):
                yield Record(role=Role.USER, at=at, text=words)
        case "assistant.message":
            if words := text(data, "content"):
                yield Record(role=Role.AGENT, at=at, text=words)
        case "tool.execution_start":
            given = given_input(data, "arguments")
            call = called(text(data, "toolName"), given, use_id=text(data, "toolCallId"))
            yield Record(role=Role.CALL, at=at, tool=call)
        case "tool.execution_complete":
            yield Record(role=Role.RESULT, at=at, tool=_result(data))


def _result(data: Raw) -> ToolCall:
    result = mapping(data, "result")
    code = whole(mapping(data, "shellExecution"), "exitCode")
    # What the model was given holds what hooks added; the detailed form does not.
    words = text(result, "detailedContent") or said(data.get("error"))
    worked = data.get("success") is True and code in (None, 0)
    wrong = f"exit code {code}" if code else words[:500] or "failed"
    return ToolCall(
        name="",
        use_id=text(data, "toolCallId") or None,
        result=words,
        success=worked,
        error="" if worked else wrong,
    )

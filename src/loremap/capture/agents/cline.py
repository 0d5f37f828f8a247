"""Cline: one object per event, named for it, beside the task's id."""

from __future__ import annotations

from collections.abc import Callable

from loremap.capture.agents.adapter import Adapter, finished
from loremap.capture.agents.outcomes import Outcome, of_cline
from loremap.capture.agents.payload import Raw, mapping, text, whole
from loremap.capture.agents.tools import called, given_input
from loremap.model.hook import Moment, ToolCall


def _tool(raw: Raw, moment: Moment, tell: Callable[[Raw], Outcome]) -> ToolCall | None:
    part = mapping(raw, "preToolUse", "postToolUse", "pre_tool_use", "post_tool_use")
    name = text(part, "toolName", "tool", "tool_name")
    if not name:
        return None
    given = given_input(part, "parameters", "input")
    call = called(name, given, use_id=text(part, "toolCallId", "id"))
    lasted = whole(part, "executionTimeMs", "durationMs")
    return finished(call, {**raw, "duration_ms": lasted}, moment, tell)


def _flattened(raw: Raw) -> Raw:
    """The prompt lies in an object named for the event."""
    part = mapping(raw, "userPromptSubmit", "taskStart", "taskResume", "taskComplete")
    inner = mapping(part, "taskMetadata")
    return {
        "prompt": text(part, "prompt", "task") or text(inner, "initialTask", "task"),
        "said": text(inner, "result") or text(part, "result"),
    }


CLINE = Adapter(
    client="cline",
    session=("taskId", "task_id", "session_id"),
    prompt=("prompt",),
    said=("said",),
    outcome=of_cline,
    tool=_tool,
    flattened=_flattened,
)

"""Cline: one object per event, named for it, beside the task's id.

Its command line names events otherwise than its documentation and its extension do, gives every
agent an id, the first one too, and passes the input of a tool on as it is; the extension only as
texts. It tells no prompt: that stands in the session's file by the time of the first tool.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from loremap.clients.payloads.adapter import Adapter, Env, finished
from loremap.clients.payloads.outcomes import Outcome, of_cline
from loremap.clients.payloads.payload import Raw, mapping, text, whole
from loremap.clients.payloads.tools import called
from loremap.model.hook import Moment, ToolCall

_PARTS = ("tool_result", "tool_call", "postToolUse", "preToolUse")
_LISTS = frozenset({"commands", "files", "queries", "paths", "edits"})
"""Parameters that are lists, which come as JSON text."""
_INNER = {
    Moment.SESSION_START: Moment.SUBAGENT_START,
    Moment.STOP: Moment.SUBAGENT_STOP,
    Moment.SESSION_END: Moment.OTHER,
}
_ID = re.compile(r"[\w-][\w.-]{0,199}")


def _tool(raw: Raw, moment: Moment, tell: Callable[[Raw], Outcome]) -> ToolCall | None:
    part = mapping(raw, *_PARTS)
    name = text(part, "name", "toolName", "tool") or text(raw, "tool_name")
    if not name:
        return None
    given = mapping(part, "input") or _spelled_out(mapping(part, "parameters"))
    use_id = text(part, "id", "toolCallId") or text(raw, "tool_use_id")  # as a spool has it
    call = called(name, given, use_id=use_id)
    lasted = whole(part, "durationMs", "executionTimeMs")
    return finished(call, {**raw, "duration_ms": lasted}, moment, tell)


def _spelled_out(parameters: Raw) -> Raw:
    """Parameters with the lists among them as lists."""
    return {name: _listed(value) if name in _LISTS else value for name, value in parameters.items()}


def _listed(value: Any) -> Any:
    if not isinstance(value, str) or not value.lstrip().startswith("["):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def _flattened(raw: Raw) -> Raw:
    """The session's id, the prompt and the last words lie deeper."""
    part = mapping(raw, "userPromptSubmit", "taskStart", "taskResume", "taskComplete")
    inner = mapping(part, "taskMetadata")
    return {
        "root": text(mapping(raw, "sessionContext"), "rootSessionId"),
        "prompt": text(part, "prompt", "task") or text(inner, "initialTask", "task"),
        "said": text(mapping(raw, "turn"), "outputText")
        or text(inner, "result")
        or text(part, "result"),
    }


def _inner_agent(raw: Raw) -> str:
    """The agent's id where another agent has started it."""
    return text(raw, "agent_id") if text(raw, "parent_agent_id") else ""


def _moment(raw: Raw, moment: Moment) -> Moment:
    return _INNER.get(moment, moment) if _inner_agent(raw) else moment


def _session_file(raw: Raw, env: Env) -> str:
    """Where the session is written down; inside a subagent nowhere that we know of."""
    session = text(mapping(raw, "sessionContext"), "rootSessionId") or text(raw, "session_id")
    if not _ID.fullmatch(session) or _inner_agent(raw):
        return ""
    own = Path(env.get("CLINE_DIR") or Path("~/.cline").expanduser())
    data = Path(env.get("CLINE_DATA_DIR") or own / "data")
    sessions = Path(env.get("CLINE_SESSION_DATA_DIR") or data / "sessions")
    return str(sessions / session / f"{session}.messages.json")


CLINE = Adapter(
    client="cline",
    session=("root", "session_id", "taskId", "task_id"),
    prompt=("prompt",),
    said=("said",),
    outcome=of_cline,
    tool=_tool,
    flattened=_flattened,
    agent=_inner_agent,
    moment=_moment,
    written=_session_file,
)

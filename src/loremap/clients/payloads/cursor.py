"""Cursor: a conversation's id, and besides the tool events some that tell of one kind of tool."""

from __future__ import annotations

from collections.abc import Callable

from loremap.clients.payloads.adapter import Adapter, finished, usual_tool
from loremap.clients.payloads.outcomes import Outcome, of_cursor
from loremap.clients.payloads.payload import Raw, text
from loremap.clients.payloads.tools import called
from loremap.model.hook import Moment, ToolCall

_OF_ONE_KIND = {
    "beforeShellExecution": "Shell",
    "afterShellExecution": "Shell",
    "beforeReadFile": "Read",
    "afterFileEdit": "Edit",
}
_INPUT = ("command", "cwd", "file_path", "edits")


def _tool(raw: Raw, moment: Moment, tell: Callable[[Raw], Outcome]) -> ToolCall | None:
    name = _OF_ONE_KIND.get(text(raw, "hook_event_name"))
    if name is None:
        return usual_tool(raw, moment, tell)
    given = {field: raw[field] for field in _INPUT if field in raw}
    return finished(called(name, given), raw, moment, tell)


CURSOR = Adapter(
    client="cursor",
    session=("conversation_id", "session_id"),
    folder_env=("CURSOR_PROJECT_DIR",),
    said=("last_assistant_message", "text"),
    outcome=of_cursor,
    tool=_tool,
)

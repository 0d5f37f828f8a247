"""Cursor: a conversation's id, and besides the tool events some that tell of one kind of tool.

Connected by hooks and our server, each in a file of its own, and command files.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from loremap.clients.client import Client, Loaded, Settings
from loremap.clients.payloads.adapter import Adapter, Env, Example, Sign, finished, usual_tool
from loremap.clients.payloads.outcomes import Outcome, failed, told_by_code, told_by_text
from loremap.clients.payloads.payload import Raw, mapping, said, text, whole
from loremap.clients.payloads.tools import called
from loremap.clients.replies import CONTEXT
from loremap.clients.settings import slash
from loremap.clients.settings.edits import Edit
from loremap.clients.settings.json_values import flat_hooks
from loremap.clients.settings.servers import JsonServer
from loremap.clients.settings.site import SERVER, Site
from loremap.model.hook import Moment, ToolCall

NAME, TITLE = "cursor", "Cursor"
EVENTS = {
    "sessionStart": 10,
    "beforeSubmitPrompt": 5,
    "preToolUse": 5,
    "postToolUse": 5,
    "postToolUseFailure": 5,
    "preCompact": 5,
    "afterAgentResponse": 5,
    "stop": 5,
    "sessionEnd": 3,
}
_TYPED = "(what I typed behind the command)"


def _edits(site: Site) -> tuple[Edit, ...]:
    folder = (site.project or site.user) / ".cursor"
    handlers = site.hooks(NAME, EVENTS)
    hooks = flat_hooks(folder / "hooks.json", handlers, needs=(("version", 1),))
    server = JsonServer(folder / "mcp.json", ("mcpServers", SERVER), site.server(NAME))
    if site.project is not None:
        return (hooks, server)
    commands = slash.plain(folder / "commands", (*slash.MAIN, slash.MEMORY), typed=_TYPED)
    return (hooks, server, *commands)


_OF_ONE_KIND = {
    "beforeShellExecution": "Shell",
    "afterShellExecution": "Shell",
    "beforeReadFile": "Read",
    "afterFileEdit": "Edit",
}
_INPUT = ("command", "cwd", "file_path", "edits")


def _marks(raw: Raw, _env: Env) -> Sign:
    return Sign.OWN if "cursor_version" in raw or "conversation_id" in raw else Sign.NONE


def _tool(raw: Raw, moment: Moment, tell: Callable[[Raw], Outcome]) -> ToolCall | None:
    name = _OF_ONE_KIND.get(text(raw, "hook_event_name"))
    if name is None:
        return usual_tool(raw, moment, tell)
    given = {field: raw[field] for field in _INPUT if field in raw}
    return finished(called(name, given), raw, moment, tell)


def _outcome(raw: Raw) -> Outcome:
    """A failure has an event of its own; a command's result holds its exit code."""
    if error := text(raw, "error_message", "error"):
        return failed(error)
    parts = mapping(raw, "tool_output", "result_json", "tool_response")
    words = said(parts) or text(raw, "tool_output", "output", "result_json", "tool_response")
    code = whole(parts, "exitCode", "exit_code")
    return told_by_text(words, otherwise=True) if code is None else told_by_code(code, words)


def _example(example: Example) -> dict[str, Any]:
    head = {"conversation_id": example.session_id, "hook_event_name": example.name}
    return {**head, "workspace_roots": [example.folder], **example.told}


CLIENT = Client(
    name=NAME,
    title=TITLE,
    experimental=True,
    settings=Settings(
        programs=("cursor", "cursor-agent"),
        folders=lambda site: (site.user / ".cursor", site.application("Cursor")),
        edits=_edits,
    ),
    events=EVENTS,
    payloads=Adapter(
        marks=_marks,
        env="CURSOR_",
        session=("conversation_id", "session_id"),
        folder_env=("CURSOR_PROJECT_DIR",),
        said=("last_assistant_message", "text"),
        outcome=_outcome,
        tool=_tool,
        example=_example,
    ),
    reply={CONTEXT: {"additional_context": CONTEXT}},
    silence=b"{}",
    takes=frozenset({Moment.SESSION_START}),
    reads=(Loaded("AGENTS.md"), Loaded(".cursorrules"), Loaded(".cursor/rules/")),
)

"""A hook as each client would send it, at a moment when the client passes our text on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from loremap.model.client import client_named
from loremap.model.hook import Moment

_MOMENTS = (Moment.BEFORE_TOOL, Moment.SESSION_START, Moment.PROMPT, Moment.AFTER_TOOL)
"""The first of these that a client takes is the one that is tried."""
_USUAL = ("PreToolUse", "SessionStart", "UserPromptSubmit", "PostToolUse")
_NAMES = {
    "gemini": ("BeforeTool", "SessionStart", "BeforeAgent", "AfterTool"),
    "copilot": ("preToolUse", "sessionStart", "userPromptSubmitted", "postToolUse"),
    "cursor": ("preToolUse", "sessionStart", "beforeSubmitPrompt", "postToolUse"),
}


def hook_of(
    client: str, *, session_id: str, folder: Path, line: str
) -> tuple[str, dict[str, Any]] | None:
    """The name and the payload of a hook in which `line` is run or said; None for a client that
    takes nothing."""
    takes = client_named(client).takes
    moment = next((each for each in _MOMENTS if each in takes), None)
    if moment is None:
        return None
    name = _NAMES.get(client, _USUAL)[_MOMENTS.index(moment)]
    told = _told(moment, line=line, use_id=f"call-{session_id}")
    return name, _dressed(client, name, told, session_id=session_id, folder=str(folder))


def _told(moment: Moment, *, line: str, use_id: str) -> dict[str, Any]:
    if moment is Moment.SESSION_START:
        return {"source": "startup"}
    if moment is Moment.PROMPT:
        return {"prompt": line}
    call = {"tool_name": "Bash", "tool_input": {"command": line}, "tool_use_id": use_id}
    return call if moment is Moment.BEFORE_TOOL else {**call, "tool_response": {"stdout": ""}}


def _dressed(
    client: str, name: str, told: dict[str, Any], *, session_id: str, folder: str
) -> dict[str, Any]:
    match client:
        case "copilot":
            renamed = {
                "tool_name": "toolName",
                "tool_input": "toolArgs",
                "tool_use_id": "toolUseId",
            }
            own = {renamed.get(field, field): value for field, value in told.items()}
            return {"sessionId": session_id, "cwd": folder, **own}
        case "cursor":
            head = {"conversation_id": session_id, "hook_event_name": name}
            return {**head, "workspace_roots": [folder], **told}
        case "cline":
            return _of_cline(told, session_id=session_id, folder=folder)
        case "vscode":
            return {"sessionId": session_id, "hookEventName": name, "cwd": folder, **told}
        case "opencode":
            return {"session_id": session_id, "event": name, "cwd": folder, **told}
    return {"session_id": session_id, "hook_event_name": name, "cwd": folder, **told}


def _of_cline(told: dict[str, Any], *, session_id: str, folder: str) -> dict[str, Any]:
    """A tool about to be used, as Cline's command line tells of it: under a name that is not the
    hook's, from an agent with an id, the input both as it is and as texts."""
    given = {"commands": [told["tool_input"]["command"]]}
    return {
        "taskId": session_id,
        "sessionContext": {"rootSessionId": session_id},
        "workspaceRoots": [folder],
        "agent_id": f"agent_{session_id}",
        "parent_agent_id": None,
        "hookName": "tool_call",
        "iteration": 1,
        "tool_call": {"id": told["tool_use_id"], "name": "run_commands", "input": given},
        "preToolUse": {
            "toolName": "run_commands",
            "parameters": {name: json.dumps(value) for name, value in given.items()},
        },
    }

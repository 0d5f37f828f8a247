"""What Cline's command line (3.0.65) sends and writes, as a run of it showed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

ROOT, TASK, AGENT = "1794809424481_ok5u3", "conv_1794809425097_b7tqg4o", "agent_1794809424948_jyp6"
ASKED = "Fix the cart total please"


def sent(hook_name: str, folder: Path | None = None, **fields: Any) -> dict[str, Any]:
    """The object that a hook is given."""
    return {
        "clineVersion": "",
        "timestamp": "2026-11-16T06:10:26.551Z",
        "taskId": TASK,
        "sessionContext": {"rootSessionId": ROOT},
        "workspaceRoots": [] if folder is None else [str(folder)],
        "userId": "unknown",
        "agent_id": AGENT,
        "parent_agent_id": None,
        "hookName": hook_name,
    } | fields


def call(name: str, given: dict[str, Any], use_id: str = "call_0", **fields: Any) -> dict[str, Any]:
    """The object that PreToolUse is given."""
    return sent(
        "tool_call",
        iteration=1,
        tool_call={"id": use_id, "name": name, "input": given},
        preToolUse={"toolName": name, "parameters": _as_texts(given)},
        **fields,
    )


def result(name: str, given: dict[str, Any], output: Any, **fields: Any) -> dict[str, Any]:
    """The object that PostToolUse is given: what failed is called a success there."""
    told = {"id": "call_0", "name": name, "input": given, "output": output, "durationMs": 99}
    texts = {"toolName": name, "parameters": _as_texts(given), "result": json.dumps(output)}
    after = texts | {"success": True, "executionTimeMs": 99}
    return sent("tool_result", iteration=1, tool_result=told, postToolUse=after, **fields)


def _as_texts(given: dict[str, Any]) -> dict[str, str]:
    return {
        name: value if isinstance(value, str) else json.dumps(value)
        for name, value in given.items()
    }


def message(role: str, *content: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """One message of a session's file."""
    return {"id": "m", "role": role, "content": list(content), "ts": 1794809425142} | fields


def asked(words: str = ASKED) -> dict[str, Any]:
    """What the user typed, as the file holds it."""
    text = f'<user_input mode="act">{words}</user_input>'
    return message("user", {"type": "text", "text": text})


def step(use_id: str, command: str = "make", *, words: str = "") -> dict[str, Any]:
    """The agent runs a command, and may say why."""
    use = {"type": "tool_use", "id": use_id, "name": "run_commands"}
    said = [{"type": "text", "text": words}] if words else []
    used = {"inputTokens": 5_000, "outputTokens": 5, "cacheReadTokens": 600, "cacheWriteTokens": 0}
    given = {"input": {"commands": [command]}}
    return message("assistant", *said, use | given, metrics=used)


def came(use_id: str, output: Any) -> list[dict[str, Any]]:
    """What came of a command, and what a hook said to it."""
    block = {"type": "tool_result", "tool_use_id": use_id, "content": output}
    hooked = '<hook_context source="PreToolUse" tool_name="x">\nWORDS-OF-A-HOOK\n</hook_context>'
    return [message("user", block), message("user", {"type": "text", "text": hooked})]


def written(home: Path, *messages: dict[str, Any], session: str = ROOT) -> Path:
    """A session's file below Cline's folder."""
    path = home / "data" / "sessions" / session / f"{session}.messages.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    head = {"version": 1, "agent": "lead", "sessionId": session, "messages": list(messages)}
    whole = head | ({"system_prompt": "You are Cline. " * 2_000} if messages else {})
    path.write_text(json.dumps(whole, indent=2))
    return path

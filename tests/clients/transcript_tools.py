"""Small transcripts in the form of each client, with the same work in them: the user asks, the
agent says why and runs a command, which fails; a hook has put a word in."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ASKED, WHY, COMMAND, OUTPUT, DONE = (
    "fix the cart",
    "Let me look first.",
    "make x",
    "no rule",
    "Done.",
)
HOOKED = "WORDS-OF-A-HOOK"
AT = "2026-11-16T02:25:07.000Z"
ASKED_AT = datetime(2026, 11, 16, 2, 25, 7, tzinfo=UTC)


def _claude() -> list[dict[str, Any]]:
    def user(content: Any) -> dict[str, Any]:
        return {"type": "user", "message": {"role": "user", "content": content}, "timestamp": AT}

    def agent(block: dict[str, Any]) -> dict[str, Any]:
        usage = {"input_tokens": 100, "cache_read_input_tokens": 900, "output_tokens": 20}
        message = {"role": "assistant", "content": [block], "usage": usage}
        return {"type": "assistant", "message": message, "timestamp": AT}

    call = {"type": "tool_use", "id": "call-1", "name": "Bash", "input": {"command": COMMAND}}
    result = {"type": "tool_result", "tool_use_id": "call-1", "is_error": True, "content": OUTPUT}
    return [
        {"type": "queue-operation", "content": ASKED},
        {"type": "attachment", "attachment": {"type": "hook_success", "stdout": HOOKED}},
        user("This session is being continued from a previous conversation that ran out"),
        user(ASKED),
        {"type": "attachment", "attachment": {"type": "hook_context", "content": [HOOKED]}},
        agent({"type": "thinking", "thinking": "hm"}),
        agent({"type": "text", "text": WHY}),
        agent(call),
        user([result]),
        user("<system-reminder>\n[SYSTEM NOTIFICATION - NOT USER INPUT]"),
        agent({"type": "text", "text": DONE}),
    ]


def _codex() -> list[dict[str, Any]]:
    def item(**payload: Any) -> dict[str, Any]:
        return {"timestamp": AT, "type": "response_item", "payload": payload}

    def event(**payload: Any) -> dict[str, Any]:
        return {"timestamp": AT, "type": "event_msg", "payload": payload}

    def message(role: str, words: str, kind: str) -> dict[str, Any]:
        return item(
            type="message",
            role=role,
            content=[{"type": "input_text", "text": words}],
            internal_chat_message_metadata_passthrough={"content_item_kinds": [kind]},
        )

    ended = {
        "type": "CommandExecution",
        "id": "call-1",
        "aggregated_output": OUTPUT,
        "exit_code": 2,
        "duration": {"secs": 1, "nanos": 500_000_000},
    }
    counted = {"last_token_usage": {"total_tokens": 1_020}, "model_context_window": 5_000}
    return [
        message("developer", HOOKED, "hooks.additional_context"),
        message("user", "<environment_context>", "environments.environment_context"),
        message("user", ASKED, "user.text"),
        message("assistant", WHY, "unknown"),
        item(
            type="function_call",
            name="exec_command",
            arguments=json.dumps({"cmd": COMMAND}),
            call_id="call-1",
        ),
        event(type="item_completed", item=ended),
        item(type="function_call_output", call_id="call-1", output=f"exit code 2\n{OUTPUT}"),
        event(type="token_count", info=counted),
        message("assistant", DONE, "unknown"),
    ]


def _gemini() -> list[dict[str, Any]]:
    reply = {"output": f"{OUTPUT}\nExit Code: 2\n<hook_context>{HOOKED}</hook_context>"}
    call = {
        "id": "call-1",
        "name": "run_shell_command",
        "args": {"command": COMMAND},
        "status": "success",
        "result": [{"functionResponse": {"id": "call-1", "response": reply}}],
    }
    prompt = f"<hook_context>{HOOKED}</hook_context>\n\n{ASKED}"
    tokens = {"total": 1_020}
    return [
        {"sessionId": "s", "kind": "main"},
        {"$set": {"messages": [{"type": "user", "content": [{"text": "<session_context>…"}]}]}},
        {"id": "1", "timestamp": AT, "type": "user", "content": [{"text": prompt}]},
        {"$set": {"lastUpdated": AT}},
        {"id": "2", "timestamp": AT, "type": "gemini", "content": WHY, "tokens": tokens},
        {"id": "2", "timestamp": AT, "type": "gemini", "content": WHY, "toolCalls": [call]},
        {"id": "3", "timestamp": AT, "type": "user", "content": [{"functionResponse": {}}]},
        {"id": "4", "timestamp": AT, "type": "gemini", "content": DONE, "tokens": tokens},
    ]


def _copilot() -> list[dict[str, Any]]:
    def line(kind: str, **data: Any) -> dict[str, Any]:
        return {"type": kind, "data": data, "timestamp": AT}

    return [
        line("hook.end", output={"additionalContext": HOOKED}),
        line("user.message", content=ASKED, transformedContent=f"{ASKED} {HOOKED}"),
        line("system.message", content="You are"),
        line("assistant.message", content=WHY, toolRequests=[]),
        line(
            "tool.execution_start",
            toolCallId="call-1",
            toolName="bash",
            arguments={"command": COMMAND},
        ),
        line(
            "tool.execution_complete",
            toolCallId="call-1",
            success=True,
            shellExecution={"exitCode": 2},
            result={"content": f"{OUTPUT} {HOOKED}", "detailedContent": OUTPUT},
        ),
        line("assistant.message", content=DONE),
    ]


TRANSCRIPTS = {
    "claude": _claude(),
    "codex": _codex(),
    "gemini": _gemini(),
    "copilot": _copilot(),
}


def written(path: Path, client: str, *, most: int | None = None) -> Path:
    """The transcript of `client`, or its first lines."""
    lines = [json.dumps(line) for line in TRANSCRIPTS[client][:most]]
    path.write_text("\n".join(lines) + "\n")
    return path

"""Writes the sessions of the learning set as the transcripts of their clients."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from loremap.clients.payloads.tools import operation_of, starts_subagent
from loremap.model.hook import Operation

Json = dict[str, Any]
TRANSCRIPT_OF = {
    "claude-code": "claude",
    "codex": "codex",
    "gemini-cli": "gemini",
    "cursor": "claude",
    "opencode": "claude",
}
"""In whose form a session is written; cursor and opencode have no file of lines that is read."""


def written(session: Json, path: Path) -> str:
    """Write one session to `path`; the client whose form it has."""
    client = TRANSCRIPT_OF[session["client"]]
    lines = [
        json.dumps(line, ensure_ascii=False)
        for number, turn in enumerate(session["turns"])
        for line in _FORMS[client](turn, f"call-{number}")
    ]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return client


def given(turn: Json) -> Json:
    """The input of a tool, by the names that clients use."""
    said, file = turn.get("input") or "", turn.get("file")
    operation = operation_of(turn["tool"])
    if starts_subagent(turn["tool"]):
        return {"prompt": said}
    if operation is Operation.RUN:
        return {"command": said}
    if operation is Operation.WRITE:
        return {"file_path": file or "", "content": said}
    if operation is Operation.EDIT:
        return {"file_path": file or "", "old_string": "", "new_string": said}
    return {"file_path": file} if file else {"pattern": said}


def _claude(turn: Json, call: str) -> Iterator[Json]:
    def line(kind: str, content: Any) -> Json:
        message = {"role": kind, "content": content}
        return {"type": kind, "message": message, "timestamp": turn["at"]}

    if turn["role"] != "tool":
        yield line(turn["role"], [{"type": "text", "text": turn["text"]}])
        return
    used = {"type": "tool_use", "id": call, "name": turn["tool"], "input": given(turn)}
    result = {
        "type": "tool_result",
        "tool_use_id": call,
        "is_error": bool(turn.get("exit_code")),
        "content": turn["output"],
    }
    yield line("assistant", [used])
    yield line("user", [result])


def _codex(turn: Json, call: str) -> Iterator[Json]:
    def line(kind: str, **payload: Any) -> Json:
        return {"timestamp": turn["at"], "type": kind, "payload": payload}

    if turn["role"] != "tool":
        kind = "user.text" if turn["role"] == "user" else "unknown"
        yield line(
            "response_item",
            type="message",
            role=turn["role"],
            content=[{"type": "input_text", "text": turn["text"]}],
            internal_chat_message_metadata_passthrough={"content_item_kinds": [kind]},
        )
        return
    arguments = json.dumps(_codex_input(turn))
    name = turn["tool"]
    yield line("response_item", type="function_call", name=name, call_id=call, arguments=arguments)
    if turn.get("exit_code") is None:
        yield line(
            "response_item", type="function_call_output", call_id=call, output=turn["output"]
        )
        return
    item = {
        "type": "CommandExecution",
        "id": call,
        "aggregated_output": turn["output"],
        "exit_code": turn["exit_code"],
    }
    yield line("event_msg", type="item_completed", item=item)


def _codex_input(turn: Json) -> Json:
    if operation_of(turn["tool"]) is not Operation.EDIT:
        return given(turn)
    added = "\n".join(f"+{line}" for line in turn["input"].splitlines())
    patch = f"*** Begin Patch\n*** Update File: {turn['file']}\n@@\n{added}\n*** End Patch"
    return {"input": patch}


def _gemini(turn: Json, call: str) -> Iterator[Json]:
    if turn["role"] != "tool":
        kind = {"user": "user", "assistant": "gemini"}[turn["role"]]
        yield {
            "id": call,
            "type": kind,
            "timestamp": turn["at"],
            "content": [{"text": turn["text"]}],
        }
        return
    code, output = turn.get("exit_code"), turn["output"]
    words = f"{output}\nExit Code: {code}" if code else output
    told = {
        "id": call,
        "name": turn["tool"],
        "args": given(turn),
        "status": "error" if code else "success",
        "timestamp": turn["at"],
        "result": [{"functionResponse": {"response": {"output": words}}}],
    }
    yield {"id": call, "type": "gemini", "timestamp": turn["at"], "toolCalls": [told]}


_FORMS: dict[str, Callable[[Json, str], Iterator[Json]]] = {
    "claude": _claude,
    "codex": _codex,
    "gemini": _gemini,
}

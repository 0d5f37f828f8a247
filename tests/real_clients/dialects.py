"""How each model API writes a request and streams an answer: Anthropic, OpenAI (two), Gemini."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

Json = dict[str, Any]


@dataclass(frozen=True)
class Say:
    """A turn in which the model says something and stops."""

    text: str


@dataclass(frozen=True)
class Call:
    """A turn in which the model calls one tool."""

    tool: str
    arguments: Json = field(default_factory=dict)
    namespace: str | None = None  # Codex keeps the tools of an MCP server in a namespace.


Turn = Say | Call


@dataclass(frozen=True)
class Message:
    """One message the model was sent, in a role of its API, with all its text."""

    role: str
    text: str


class Dialect(Protocol):
    """One model API."""

    def messages(self, body: Json) -> list[Message]: ...

    def is_turn(self, body: Json) -> bool:
        """Whether the request is of the agent's loop, and not for a title or the like."""

    def answered(self, body: Json) -> int:
        """How many answers of the model the request already holds."""

    def answer(self, body: Json, turn: Turn) -> Iterator[str]:
        """The lines of the event stream that carry a turn."""

    def whole(self, body: Json, turn: Turn) -> Json:
        """The same turn for a request that asked for no stream."""


def _tokens(body: Json) -> int:
    """A request's size in tokens, near enough for a client that decides by it when to compact."""
    return len(json.dumps(body)) // 4


def _event(name: str, data: Json) -> str:
    return f"event: {name}\ndata: {json.dumps(data)}\n\n"


def _data(data: Json) -> str:
    return f"data: {json.dumps(data)}\n\n"


def _texts(content: Any) -> str:
    """All the text within a message's content, whatever blocks it is cut into."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(filter(None, map(_texts, content)))
    for key in ("text", "content", "output", "functionResponse", "response"):
        if key in content:
            return _texts(content[key])
    return json.dumps(content, ensure_ascii=False)


class Anthropic:
    """POST /v1/messages."""

    def messages(self, body: Json) -> list[Message]:
        system = Message("system", _texts(body.get("system")))
        return [system, *(Message(m["role"], _texts(m["content"])) for m in body["messages"])]

    def is_turn(self, body: Json) -> bool:
        return bool(body.get("tools"))

    def answered(self, body: Json) -> int:
        return sum(message["role"] == "assistant" for message in body["messages"])

    def whole(self, body: Json, turn: Turn) -> Json:
        number = self.answered(body)
        block: Json = (
            {"type": "text", "text": turn.text}
            if isinstance(turn, Say)
            else {
                "type": "tool_use",
                "id": f"toolu_{number}",
                "name": turn.tool,
                "input": turn.arguments,
            }
        )
        return {
            "id": f"msg_{number}",
            "type": "message",
            "role": "assistant",
            "model": body.get("model"),
            "content": [block],
            "stop_reason": "end_turn" if isinstance(turn, Say) else "tool_use",
            "stop_sequence": None,
            "usage": {"input_tokens": _tokens(body), "output_tokens": 20},
        }

    def answer(self, body: Json, turn: Turn) -> Iterator[str]:
        whole = self.whole(body, turn)
        empty = whole | {"content": [], "stop_reason": None}
        yield _event("message_start", {"type": "message_start", "message": empty})
        block = whole["content"][0]
        if isinstance(turn, Say):
            start: Json = {"type": "text", "text": ""}
            delta: Json = {"type": "text_delta", "text": turn.text}
        else:
            start = block | {"input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(turn.arguments)}
        for name, part in (
            ("content_block_start", {"index": 0, "content_block": start}),
            ("content_block_delta", {"index": 0, "delta": delta}),
            ("content_block_stop", {"index": 0}),
            (
                "message_delta",
                {
                    "delta": {"stop_reason": whole["stop_reason"], "stop_sequence": None},
                    "usage": {"output_tokens": 20},
                },
            ),
            ("message_stop", {}),
        ):
            yield _event(name, {"type": name, **part})


class Responses:
    """POST /v1/responses."""

    def messages(self, body: Json) -> list[Message]:
        found = [Message("system", body.get("instructions") or "")]
        for item in body["input"]:
            kind = item.get("type", "message")
            role = item["role"] if kind == "message" else kind
            found.append(Message(role, _texts(item.get("content", item))))
        return found

    def is_turn(self, body: Json) -> bool:
        return bool(body.get("tools"))

    def answered(self, body: Json) -> int:
        return sum(
            item.get("role") == "assistant" or item.get("type", "").endswith("_call")
            for item in body["input"]
        )

    def _item(self, body: Json, turn: Turn) -> Json:
        number = self.answered(body)
        if isinstance(turn, Say):
            content = [{"type": "output_text", "text": turn.text}]
            return {
                "type": "message",
                "role": "assistant",
                "id": f"msg_{number}",
                "content": content,
            }
        item: Json = {
            "type": "function_call",
            "call_id": f"call_{number}",
            "name": turn.tool,
            "arguments": json.dumps(turn.arguments),
        }
        return item | ({"namespace": turn.namespace} if turn.namespace else {})

    def whole(self, body: Json, turn: Turn) -> Json:
        size = _tokens(body)
        usage = {"input_tokens": size, "output_tokens": 5, "total_tokens": size + 5}
        return {"id": "resp", "output": [self._item(body, turn)], "usage": usage}

    def answer(self, body: Json, turn: Turn) -> Iterator[str]:
        whole = self.whole(body, turn)
        for event in (
            {"type": "response.created", "response": {"id": "resp"}},
            {"type": "response.output_item.done", "item": whole["output"][0]},
            {"type": "response.completed", "response": {"id": "resp", "usage": whole["usage"]}},
        ):
            yield _event(str(event["type"]), event)


class ChatCompletions:
    """POST /v1/chat/completions."""

    def messages(self, body: Json) -> list[Message]:
        return [
            Message(message["role"], _texts(message.get("content"))) for message in body["messages"]
        ]

    def is_turn(self, body: Json) -> bool:
        return bool(body.get("tools"))

    def answered(self, body: Json) -> int:
        return sum(message["role"] == "assistant" for message in body["messages"])

    def _delta(self, body: Json, turn: Turn) -> Json:
        if isinstance(turn, Say):
            return {"role": "assistant", "content": turn.text}
        call = {
            "index": 0,
            "id": f"call_{self.answered(body)}",
            "type": "function",
            "function": {"name": turn.tool, "arguments": json.dumps(turn.arguments)},
        }
        return {"role": "assistant", "content": None, "tool_calls": [call]}

    def _chunk(self, body: Json, choice: Json, **others: Any) -> Json:
        return {
            "id": "chat",
            "created": 1,
            "model": body.get("model"),
            "choices": [{"index": 0, **choice}],
            **others,
        }

    def whole(self, body: Json, turn: Turn) -> Json:
        size = _tokens(body)
        usage = {"prompt_tokens": size, "completion_tokens": 5, "total_tokens": size + 5}
        end = "stop" if isinstance(turn, Say) else "tool_calls"
        choice = {"message": self._delta(body, turn), "finish_reason": end}
        return self._chunk(body, choice, object="chat.completion", usage=usage)

    def answer(self, body: Json, turn: Turn) -> Iterator[str]:
        whole = self.whole(body, turn)
        kind = "chat.completion.chunk"
        delta = {"delta": whole["choices"][0]["message"], "finish_reason": None}
        end = {"delta": {}, "finish_reason": whole["choices"][0]["finish_reason"]}
        yield _data(self._chunk(body, delta, object=kind))
        yield _data(self._chunk(body, end, object=kind, usage=whole["usage"]))
        yield "data: [DONE]\n\n"


class Gemini:
    """POST /v1beta/models/NAME:streamGenerateContent."""

    def messages(self, body: Json) -> list[Message]:
        system = Message("system", _texts((body.get("systemInstruction") or {}).get("parts")))
        return [system, *(Message(c["role"], _texts(c["parts"])) for c in body["contents"])]

    def is_turn(self, body: Json) -> bool:
        return bool(body.get("tools"))

    def answered(self, body: Json) -> int:
        return sum(content["role"] == "model" for content in body["contents"])

    def whole(self, body: Json, turn: Turn) -> Json:
        part: Json = (
            {"text": turn.text}
            if isinstance(turn, Say)
            else {"functionCall": {"name": turn.tool, "args": turn.arguments}}
        )
        content = {"role": "model", "parts": [part]}
        size = _tokens(body)
        usage = {
            "promptTokenCount": size,
            "candidatesTokenCount": 5,
            "totalTokenCount": size + 5,
        }
        return {
            "candidates": [{"content": content, "finishReason": "STOP", "index": 0}],
            "usageMetadata": usage,
        }

    def answer(self, body: Json, turn: Turn) -> Iterator[str]:
        yield _data(self.whole(body, turn))


def dialect_of(path: str) -> Dialect | None:
    """The API that a request's path belongs to."""
    found: tuple[tuple[str, Dialect], ...] = (
        ("/messages", Anthropic()),
        ("/responses", Responses()),
        ("/chat/completions", ChatCompletions()),
        ("enerateContent", Gemini()),
    )
    bare = path.split("?")[0]
    return next((dialect for end, dialect in found if bare.endswith(end)), None)

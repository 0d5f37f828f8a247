"""How the protocols of small models differ: where a request goes, what it holds, how it is read."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from loremap.endpoint.post import Headers, bearer
from loremap.sidecar.ask import Ask, Json, Said, Unusable, counted

ANTHROPIC_VERSION = "2023-06-01"
ANSWER = "answer"


@dataclass(frozen=True, slots=True)
class Protocol:
    """One protocol."""

    path: str
    """Put behind the base address, unless that ends so already."""
    body: Callable[[str, Ask, bool], dict[str, Any]]
    """The request to a model; whether its form is asked of the server too."""
    read: Callable[[Any], Said]
    shows_key: Callable[[str], Headers] = bearer
    usual: str = ""
    """The base address where none is given."""


def _told(ask: Ask) -> str:
    """The instructions, with the form of the answer."""
    form = json.dumps(ask.schema)
    return f"{ask.system}\nAnswer with one JSON object of this schema and nothing else:\n{form}"


def prompt_of(ask: Ask) -> str:
    """A request as one text, for a program that takes no more."""
    return f"{_told(ask)}\n\n{ask.text}\n"


def _messages(ask: Ask) -> list[dict[str, str]]:
    return [{"role": "system", "content": _told(ask)}, {"role": "user", "content": ask.text}]


def _openai_body(model: str, ask: Ask, structured: bool) -> dict[str, Any]:
    form = {"name": ask.task.value, "schema": ask.schema}
    asked = {"response_format": {"type": "json_schema", "json_schema": form}}
    return {
        "model": model,
        "messages": _messages(ask),
        "temperature": 0,
        "max_tokens": ask.most_tokens,
        "stream": False,
        **(asked if structured else {}),
    }


def _openai_read(answer: Any) -> Said:
    said = answer["choices"][0]["message"]["content"]
    used = _usage(answer)
    return _said(said, used.get("prompt_tokens"), used.get("completion_tokens"))


def _anthropic_body(model: str, ask: Ask, structured: bool) -> dict[str, Any]:
    system, user = _messages(ask)
    tool = {"name": ANSWER, "description": "Give the answer.", "input_schema": ask.schema}
    asked = {"tools": [tool], "tool_choice": {"type": "tool", "name": ANSWER}}
    return {
        "model": model,
        "system": ask.system if structured else system["content"],
        "messages": [user],
        "temperature": 0,
        "max_tokens": ask.most_tokens,
        **(asked if structured else {}),
    }


def _anthropic_read(answer: Any) -> Said:
    used, parts = _usage(answer), list[str]()
    for block in answer["content"]:
        if block.get("type") == "tool_use":
            parts = [json.dumps(block["input"])]
            break
        if block.get("type") == "text":
            parts.append(block["text"])
    return _said("".join(parts), used.get("input_tokens"), used.get("output_tokens"))


def _ollama_body(model: str, ask: Ask, structured: bool) -> dict[str, Any]:
    return {
        "model": model,
        "messages": _messages(ask),
        "stream": False,
        "options": {"temperature": 0, "num_predict": ask.most_tokens, "num_ctx": 8_192},
        **({"format": ask.schema} if structured else {}),
    }


def _ollama_read(answer: Any) -> Said:
    said = answer["message"]["content"]
    return _said(said, answer.get("prompt_eval_count"), answer.get("eval_count"))


def _usage(answer: Json) -> Json:
    """What a server says that it read and wrote; some do not say."""
    used = answer.get("usage")
    return used if isinstance(used, dict) else {}


def _said(text: object, tokens_in: object, tokens_out: object) -> Said:
    if not isinstance(text, str) or not text.strip():
        raise Unusable("the answer holds no text")
    return Said(text, counted(tokens_in), counted(tokens_out))


PROTOCOLS: dict[str, Protocol] = {
    "openai": Protocol("/chat/completions", _openai_body, _openai_read),
    "anthropic": Protocol(
        "/v1/messages",
        _anthropic_body,
        _anthropic_read,
        shows_key=lambda key: {"x-api-key": key, "anthropic-version": ANTHROPIC_VERSION},
        usual="https://api.anthropic.com",
    ),
    "ollama": Protocol("/api/chat", _ollama_body, _ollama_read, usual="http://127.0.0.1:11434"),
}


def read(protocol: Protocol, answer: object) -> Said:
    """What a server said; raises `Unusable` where it has not the protocol's form."""
    try:
        return protocol.read(answer)
    except (KeyError, IndexError, TypeError, AttributeError) as fault:
        raise Unusable("the server's answer has not the form of its protocol") from fault


def address(protocol: Protocol, base_url: str) -> str:
    """Where a request is posted."""
    base = (base_url or protocol.usual).rstrip("/")
    if base.endswith(protocol.path):
        return base
    if protocol.path.startswith("/v1/") and base.endswith("/v1"):
        base = base.removesuffix("/v1")
    if protocol is PROTOCOLS["openai"] and "/" not in base.partition("://")[2]:
        base = f"{base}/v1"
    return f"{base}{protocol.path}"

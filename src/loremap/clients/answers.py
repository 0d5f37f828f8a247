"""What agents' programs print when they are asked for one answer."""

from __future__ import annotations

import json
from typing import Any

from loremap.sidecar.ask import Said, counted, dollars_in


def of_claude(output: str) -> Said:
    """The answer in Claude Code's `--output-format json`."""
    told = json.loads(output)
    if told.get("is_error"):
        raise ValueError("it reports an error")
    used = told.get("usage") or {}
    cached = ("cache_creation_input_tokens", "cache_read_input_tokens")
    read = sum(_count(used, name) for name in ("input_tokens", *cached))
    dollars = dollars_in(told.get("total_cost_usd"))
    return Said(_text(told["result"]), read, _count(used, "output_tokens"), dollars)


def of_codex(output: str) -> Said:
    """The last message in the lines of `codex exec --json`."""
    said, used = "", dict[str, Any]()
    for line in output.splitlines():
        told = json.loads(line) if line.startswith("{") else {}
        item = told.get("item") or {}
        if told.get("type") == "item.completed" and item.get("type") == "agent_message":
            said = item["text"]
        elif told.get("type") == "turn.completed":
            used = told.get("usage") or {}
    return Said(_text(said), _count(used, "input_tokens"), _count(used, "output_tokens"))


def of_gemini(output: str) -> Said:
    """The answer in Gemini CLI's `--output-format json`."""
    told = json.loads(output[output.index("{") :])
    models = (told.get("stats") or {}).get("models") or {}
    used = [one.get("tokens") or {} for one in models.values()]
    read = sum(_count(one, "prompt") for one in used)
    return Said(_text(told["response"]), read, sum(_count(one, "candidates") for one in used))


def _text(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError("it holds no text")
    return value


def _count(used: dict[str, Any], name: str) -> int:
    return counted(used.get(name))

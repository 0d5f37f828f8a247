"""Dresses an answer as the JSON that the client at hand takes at that event."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from loremap.model.client import client_named
from loremap.model.hook import Moment, Reply

_WANTS_JSON = frozenset({"gemini", "cline", "cursor"})
"""Clients that read an object even where nothing is said."""

Dress = Callable[[Reply, str], dict[str, Any]]


def nothing(client: str) -> bytes:
    """What says nothing to a client."""
    return b"{}" if client in _WANTS_JSON else b""


def dressed(reply: Reply, *, client: str, name: str, moment: Moment) -> bytes:
    """The answer as `client` takes it at the event it calls `name`. What the client would not pass
    on to the model there is left out, so that it cannot be taken for said."""
    known = client_named(client)
    said = Reply(
        reply.context if moment in known.takes else "",
        reply.notice,
        reply.hold if known.holds and moment is Moment.BEFORE_TOOL else "",
    )
    parts = _DRESSES.get(client, _nested)(said, name) if said else {}
    if not parts:
        return nothing(client)
    return json.dumps(parts, ensure_ascii=False).encode("utf-8", "replace")


def _nested(reply: Reply, name: str) -> dict[str, Any]:
    """Claude Code's shape; Codex drops all of it where a field too many is in it."""
    inner: dict[str, Any] = {}
    if reply.hold:
        inner |= {"permissionDecision": "deny", "permissionDecisionReason": reply.hold}
    if reply.context:
        inner["additionalContext"] = reply.context
    parts: dict[str, Any] = {"systemMessage": reply.notice} if reply.notice else {}
    return parts | ({"hookSpecificOutput": {"hookEventName": name} | inner} if inner else {})


def _gemini(reply: Reply, name: str) -> dict[str, Any]:
    held = {"decision": "deny", "reason": reply.hold} if reply.hold else {}
    return held | _nested(Reply(reply.context, reply.notice), name)


def _flat(reply: Reply, _name: str) -> dict[str, Any]:
    parts = {"additionalContext": reply.context} if reply.context else {}
    if reply.hold:
        parts |= {"permissionDecision": "deny", "permissionDecisionReason": reply.hold}
    return parts


def _cline(reply: Reply, _name: str) -> dict[str, Any]:
    return {"cancel": False, "contextModification": reply.context} if reply.context else {}


def _cursor(reply: Reply, _name: str) -> dict[str, Any]:
    return {"additional_context": reply.context} if reply.context else {}


def _plugin(reply: Reply, _name: str) -> dict[str, Any]:
    """What our own plugin reads."""
    parts = {"context": reply.context, "notice": reply.notice, "hold": reply.hold}
    return {field: said for field, said in parts.items() if said}


_DRESSES: dict[str, Dress] = {
    "claude": _nested,
    "codex": _nested,
    "gemini": _gemini,
    "vscode": _nested,
    "copilot": _flat,
    "cline": _cline,
    "cursor": _cursor,
    "opencode": _plugin,
}

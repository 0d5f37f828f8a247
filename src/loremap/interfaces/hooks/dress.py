"""An answer in the shape that a client takes it in: the resident's, and that of a hook which stands
in for it. Imports nothing, because an agent waits for it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def parts_of(
    client: str, name: str, *, context: str = "", notice: str = "", hold: str = ""
) -> dict[str, Any]:
    """What is said to `client` at the event it calls `name`, as the object it reads; empty where
    nothing is said."""
    if client == "gemini":
        held = {"decision": "deny", "reason": hold} if hold else {}
        return {**held, **_nested(name, context, notice, "")}
    if client == "copilot":
        parts = {"additionalContext": context} if context else {}
        return {**parts, **_denied(hold)}
    if client == "cline":
        return {"cancel": False, "contextModification": context} if context else {}
    if client == "cursor":
        return {"additional_context": context} if context else {}
    if client == "opencode":  # our own plugin
        said = {"context": context, "notice": notice, "hold": hold}
        return {field: text for field, text in said.items() if text}
    return _nested(name, context, notice, hold)


def _nested(name: str, context: str, notice: str, hold: str) -> dict[str, Any]:
    """Claude Code's shape; Codex drops all of it where a field too many is in it."""
    inner: dict[str, Any] = _denied(hold)
    if context:
        inner["additionalContext"] = context
    parts: dict[str, Any] = {"systemMessage": notice} if notice else {}
    return {**parts, **({"hookSpecificOutput": {"hookEventName": name, **inner}} if inner else {})}


def _denied(hold: str) -> dict[str, Any]:
    return {"permissionDecision": "deny", "permissionDecisionReason": hold} if hold else {}

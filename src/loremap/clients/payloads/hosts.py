"""Which client is speaking: the one that was named, unless what it sent is another's.

One plugin serves several clients with the same command, and some clients run the hooks of others.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath

from loremap.clients.payloads.adapter import Adapter
from loremap.clients.payloads.claude import CLAUDE
from loremap.clients.payloads.cline import CLINE
from loremap.clients.payloads.codex import CODEX
from loremap.clients.payloads.copilot import COPILOT
from loremap.clients.payloads.cursor import CURSOR
from loremap.clients.payloads.gemini import GEMINI
from loremap.clients.payloads.opencode import OPENCODE
from loremap.clients.payloads.payload import Raw, text
from loremap.clients.payloads.vscode import VSCODE

ADAPTERS = {
    adapter.client: adapter
    for adapter in (CLAUDE, CODEX, GEMINI, COPILOT, CLINE, CURSOR, VSCODE, OPENCODE)
}
_LENT = frozenset({"claude"})
"""Clients whose settings others read: being called by that name proves nothing."""


def adapter_for(client: str, raw: Raw, env: Mapping[str, str]) -> Adapter:
    """The adapter for what was sent; a tolerant one where nobody knows the client."""
    named = ADAPTERS.get(client)
    if named is not None and client not in _LENT:
        return named
    return ADAPTERS.get(_marked(raw, env) or client) or Adapter(client=client or "unknown")


def _marked(raw: Raw, env: Mapping[str, str]) -> str | None:
    """The client that left its marks, the surest first: a client started by another inherits the
    other's environment."""
    if "cursor_version" in raw or "conversation_id" in raw:
        return "cursor"
    if "hookEventName" in raw:
        return "vscode"
    if "taskId" in raw and "hookName" in raw:
        return "cline"
    if PurePath(text(raw, "transcript_path")).name.startswith("rollout-") or "turn_id" in raw:
        return "codex"
    if "sessionId" in raw or "COPILOT_PLUGIN_ROOT" in env or "COPILOT_HOOK_DIR" in env:
        return "copilot"
    if text(raw, "hook_event_name") and env.get("GEMINI_SESSION_ID") == text(raw, "session_id"):
        return "gemini"
    if text(raw, "session_id") and env.get("CLAUDE_CODE_SESSION_ID") == text(raw, "session_id"):
        return "claude"
    if "permission_mode" in raw and "model" in raw and "CLAUDECODE" not in env:
        return "codex"
    return "claude" if "CLAUDECODE" in env and "hook_event_name" in raw else None

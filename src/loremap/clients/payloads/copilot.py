"""Copilot CLI: flat fields in camelCase for its own events, Claude's for events named as Claude's.

Its own events do not name themselves: the name comes with the installed command.
"""

from __future__ import annotations

from loremap.clients.payloads.adapter import Adapter
from loremap.clients.payloads.outcomes import of_copilot

COPILOT = Adapter(
    client="copilot",
    folder_env=("COPILOT_PROJECT_DIR",),
    prompt=("prompt", "userPrompt"),
    said=("last_assistant_message", "lastAssistantMessage"),
    outcome=of_copilot,
)

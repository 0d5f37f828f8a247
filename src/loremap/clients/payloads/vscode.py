"""VS Code's own agent: Claude's events, some fields in camelCase."""

from __future__ import annotations

from loremap.clients.payloads.adapter import Adapter
from loremap.clients.payloads.outcomes import of_copilot

VSCODE = Adapter(client="vscode", outcome=of_copilot)

"""Codex: Claude's shapes, but a failing command is not told from one that says nothing."""

from __future__ import annotations

from loremap.clients.payloads.adapter import Adapter
from loremap.clients.payloads.outcomes import of_codex

CODEX = Adapter(client="codex", outcome=of_codex)

"""The clients that can be connected."""

from __future__ import annotations

import difflib

from loremap.clients.settings import (
    claude,
    cline,
    codex,
    copilot,
    cursor,
    gemini,
    opencode,
    vscode,
    windsurf,
    zed,
)
from loremap.clients.settings.agent import Agent
from loremap.errors import NotFound

AGENTS: dict[str, Agent] = {
    each.AGENT.name: each.AGENT
    for each in (
        claude, codex, gemini, opencode, copilot, cline, cursor, vscode, windsurf, zed,
    )
}  # fmt: skip


def agent_named(name: str) -> Agent:
    """The client of that name."""
    agent = AGENTS.get(name)
    if agent is None:
        close = difflib.get_close_matches(name, AGENTS, 1)
        meant = f"Did you mean {close[0]}?" if close else f"Agents: {', '.join(AGENTS)}."
        raise NotFound(f"There is no agent called {name[:40]!r}.", hint=meant)
    return agent

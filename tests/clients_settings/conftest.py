"""A machine of its own for each test."""

from __future__ import annotations

from pathlib import Path

import pytest
from connect_tools import Machine

MOVED = (
    "CLAUDE_CONFIG_DIR CODEX_HOME COPILOT_HOME GEMINI_CLI_HOME XDG_CONFIG_HOME XDG_DATA_HOME "
    "LOREMAP_SESSION LOREMAP_AGENT LOREMAP_DEBUG"
).split()


@pytest.fixture
def machine(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """A user without any client, in whose paths are blanks."""
    user = tmp_path / "a user"
    project = user / "work" / "shop"
    (project / ".git").mkdir(parents=True)
    for name in MOVED:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(user))
    monkeypatch.setenv("USERPROFILE", str(user))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.setenv("LOREMAP_HOME", str(home.with_name("lore home")))
    return Machine(user, project, home.with_name("lore home"))

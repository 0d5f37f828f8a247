"""What each client loads by itself; `tests/real_clients` sees the first five do it."""

from __future__ import annotations

import pytest

from loremap.clients.client import loads
from loremap.clients.registry import CLIENTS


@pytest.mark.parametrize(
    ("client", "path", "there", "started", "is_loaded"),
    [
        ("claude", "CLAUDE.md", "", "", True),
        ("claude", "src/CLAUDE.md", "", "", True),
        ("claude", "CLAUDE.local.md", "", "", True),
        ("claude", ".claude/CLAUDE.md", "", "", True),
        ("claude", ".claude/rules/tests.md", "", "", True),
        ("claude", "src/.claude/rules/deep/tests.md", "", "", True),
        ("claude", "MY-CLAUDE.md", "", "", False),
        # AGENTS.md only where the project has no file of Claude's own.
        ("claude", "AGENTS.md", "", "", True),
        ("claude", "src/AGENTS.md", "", "", True),
        ("claude", "AGENTS.md", "CLAUDE.md", "", False),
        ("claude", "AGENTS.md", ".claude/CLAUDE.md", "", False),
        ("claude", "AGENTS.md", "CLAUDE.local.md", "", False),
        ("claude", "src/AGENTS.md", "CLAUDE.md", "", False),
        ("claude", "src/AGENTS.md", "src/CLAUDE.md", "", False),
        ("claude", "AGENTS.md", ".claude/rules/tests.md", "", True),
        # From the root down to where it was started.
        ("codex", "AGENTS.md", "", "", True),
        ("codex", "src/AGENTS.md", "", "", False),
        ("codex", "src/AGENTS.md", "", "src", True),
        ("codex", "src/AGENTS.md", "", "src/deep", True),
        ("codex", "src/AGENTS.md", "", "srcs", False),
        ("codex", "AGENTS.md", "AGENTS.override.md", "", False),
        ("codex", "AGENTS.override.md", "AGENTS.override.md", "", True),
        ("codex", "CLAUDE.md", "", "", False),
        ("gemini", "GEMINI.md", "", "", True),
        ("gemini", "src/GEMINI.md", "", "", True),
        ("gemini", "AGENTS.md", "", "", False),
        ("gemini", "pyproject.toml", "", "", False),
        ("opencode", "AGENTS.md", "", "", True),
        ("opencode", "CLAUDE.md", "", "", True),
        ("opencode", "CLAUDE.md", "AGENTS.md", "", False),
        ("opencode", "src/CLAUDE.md", "AGENTS.md", "", True),
        ("opencode", "src/AGENTS.md", "CLAUDE.md", "", True),
        ("copilot", ".github/copilot-instructions.md", "", "", True),
        ("copilot", "src/.github/copilot-instructions.md", "", "", True),
        ("copilot", "docs/copilot-instructions.md", "", "", False),
        ("copilot", ".github/instructions/py.instructions.md", "", "", True),
        ("copilot", "GEMINI.md", "AGENTS.md", "", True),
        ("copilot", ".claude/rules/style.md", "", "", True),
        ("copilot", ".claude/CLAUDE.md", "", "", False),
        ("cline", ".clinerules/style.md", "", "", True),
        ("cline", ".clinerules", "", "", True),
        ("cursor", ".cursor/rules/style.mdc", "", "", True),
    ],
)
def test_what_a_client_loads(
    client: str, path: str, there: str, started: str, is_loaded: bool
) -> None:
    files = {path, there}
    found = loads(CLIENTS[client], path, is_file=files.__contains__, started=started)
    assert found is is_loaded

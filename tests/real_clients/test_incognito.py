"""An incognito session in real clients: what the model asks to be kept is not."""

from __future__ import annotations

import pytest
from machine import Machine

from clients import CLIENTS

pytestmark = [pytest.mark.agents, pytest.mark.timeout(300)]

KEPT, SECRET = "A heron may be kept here.", "A giraffe may not be kept here."


@pytest.mark.parametrize("name", ["claude", "codex"])
def test_what_a_model_asks_to_be_kept_is_not(
    name: str, machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Codex keeps its environment from MCP servers; there the hooks tell of it."""
    client = CLIENTS[name]
    machine.start_resident()
    machine.wait_until_warm()
    machine.connect(client)
    with machine.talk(client) as talk:
        talk.ask("Keep that in mind.", client.mcp("loremap", "remember", {"content": KEPT}))
    with monkeypatch.context() as environment:
        environment.setenv("LOREMAP_INCOGNITO", "1")
        with machine.talk(client) as talk:
            asked = talk.ask(
                "Keep that too.", client.mcp("loremap", "remember", {"content": SECRET})
            )
    assert "This session is incognito" in asked.turns[1].text()
    listed = machine.lore("list")
    assert "heron" in listed
    assert "giraffe" not in listed

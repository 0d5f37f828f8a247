"""The slash commands in the real clients: the model is asked, and what the user typed is theirs."""

from __future__ import annotations

import json

import pytest
from machine import Machine

from clients import CLIENTS, Client, Run

pytestmark = [pytest.mark.agents, pytest.mark.timeout(300)]

TYPED = "Deploys of the shop need !`printf ran > ran.txt` two reviewers."
ASKED = "Call the tool `memory` of the MCP server `loremap` once"

each_client = pytest.mark.parametrize("name", CLIENTS)


def called(machine: Machine, client: Client, slash: str, typed: str) -> Run:
    """A slash command, and the model that does as it asks."""
    does = client.mcp("loremap", "memory", {"command": f"{slash} {typed}"})
    if client.name == "copilot":  # with -p it takes a command for a question
        with machine.talk(client) as talk:
            return talk.ask(f"/{slash} {typed}", does)
    machine.model.play(does)
    return machine.call(client, slash, typed)


def kept(machine: Machine) -> list[tuple[str, bool, bool]]:
    """What is remembered, whether it is confirmed, and whether pinned."""
    listed = json.loads(machine.lore("list", "--json"))["memories"]
    return [(one["content"], one["status"] == "confirmed", one["pinned"]) for one in listed]


@each_client
def test_what_a_user_types_behind_a_command_is_their_word(name: str, machine: Machine) -> None:
    client = CLIENTS[name]
    machine.connect(client)
    machine.start_resident()
    machine.wait_until_warm()

    run = called(machine, client, "remember", TYPED)
    assert ASKED in run.turns[0].text()
    assert TYPED in run.turns[0].text()
    assert not (machine.project / "ran.txt").exists(), "the client ran what was typed"
    assert kept(machine) == [(TYPED, True, False)]

    called(machine, client, "pin", "two reviewers")
    assert kept(machine) == [(TYPED, True, True)]


@each_client
def test_commands_cost_the_model_nothing_until_one_is_called(name: str, machine: Machine) -> None:
    client = CLIENTS[name]
    machine.connect(client)
    machine.model.play()
    run = machine.run(client, "What is the capital of France?")
    assert "Pin or unpin a memory" not in json.dumps(run.turns[0].body)

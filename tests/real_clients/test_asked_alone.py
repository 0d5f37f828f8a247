"""The real agents, asked for one answer by the sidecar: they give it, and nothing of ours hears of
it though it is connected."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from install import cache_folder, command
from machine import Machine
from models import Say

from clients import CLIENTS, Codex
from loremap.clients.registry import client_named
from loremap.sidecar.ask import Ask, Task
from loremap.sidecar.command import CommandModel

pytestmark = [
    pytest.mark.agents,
    pytest.mark.timeout(300),
    pytest.mark.skipif(sys.platform == "win32", reason="programs are found by their path"),
]
ANSWER = '{"relevant": [1]}'
ASK = Ask(task=Task.VERIFY, system="Judge.", text="1. A heron.", schema={"type": "object"})


@pytest.mark.parametrize("name", ["claude", "codex", "gemini"])
def test_a_real_agent_answers_alone(
    name: str, machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, program = CLIENTS[name], client_named(name).alone
    assert program is not None
    started = (*command(name, cache_folder()), *program.arguments[1:])
    machine.connect(client)
    client.prepare(machine.home, machine.model)
    for variable, value in client.environment(machine.home, machine.model).items():
        monkeypatch.setenv(variable, value)
    if isinstance(client, Codex):
        *before, last = started
        started = (*before, *client.options(machine.model)[:6], last)
    machine.model.play(Say(ANSWER))
    model = CommandModel(replace(program, arguments=started), "", timeout_s=120)
    said = model.ask(ASK)
    (request,) = [one for one in machine.model.requests if "1. A heron." in one.text()]
    if request.kind == "turn":
        assert said.text == ANSWER
    else:  # without tools the scripted model takes it for a question beside the session
        assert not request.body.get("tools")
        assert said.text
    spool = Path(os.environ["LOREMAP_HOME"]) / "spool"
    assert not spool.exists() or not list(spool.iterdir()), "no hook of ours took note of it"
    assert "heron" not in machine.lore("list")

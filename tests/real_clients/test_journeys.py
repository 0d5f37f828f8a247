"""A user's story in each real client: connect, be briefed, be warned, remember, move on, leave."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from machine import Machine
from models import Request

from clients import CLIENTS

pytestmark = [pytest.mark.agents, pytest.mark.timeout(300)]

# Each memory by the words that tell it apart; no prompt and no settings file has these words.
PINNED = "integer cents"
GOTCHA = "semicolon"
WARNING = "state bucket"
LEARNT = "first Tuesday"

ON_TOPIC = "Which character separates the columns of the invoice export?"
ON_TOPIC_AGAIN = "So how are the columns of the exported invoices kept apart?"
OFF_TOPIC = "What is the capital of France?"
ABOUT_WHAT_WAS_LEARNT = "On which day is a release of the shop cut, and by whom?"
DANGEROUS = "printf ran > ran.txt && shopctl destroy || true"
"""A program that nobody has: what stands in an `echo` would be held against nobody."""

NEXT_CLIENT = dict(zip(CLIENTS, [*list(CLIENTS)[1:], *CLIENTS], strict=False))
each_client = pytest.mark.parametrize("name", CLIENTS)


STOCK = (
    ("remember", "--pin", "--kind", "convention", f"Amounts are {PINNED}, no floats."),
    (
        *("remember", "--kind", "gotcha", "--file", "shop/billing.py"),
        f"The invoice export separates columns by {GOTCHA}: the bank refuses commas.",
    ),
    (
        *("remember", "--kind", "warning", "--trigger", "shopctl destroy", "--on", "command"),
        f"shopctl destroy also removes the shared {WARNING}: run the plan with -destroy first.",
    ),
)


@pytest.fixture
def stocked(machine: Machine) -> Machine:
    """A machine with a few memories of its project."""
    machine.begin(*STOCK)
    return machine


@pytest.fixture
def warm(stocked: Machine) -> Machine:
    """The same, with a resident that has loaded all it loads."""
    stocked.start_resident()
    stocked.wait_until_warm()
    return stocked


def told(request: Request, words: str) -> int:
    """How often the model is told something in a request."""
    return request.text().count(words)


def added(before: Request, after: Request) -> str:
    """What a request says beyond an earlier one of its session."""
    return "\n".join(m.text for m in after.messages if m not in before.messages)


def block(request: Request) -> str:
    """The message that carries the always-on block."""
    carriers = [message.text for message in request.messages if PINNED in message.text]
    assert len(carriers) == 1, f"the block is in {len(carriers)} messages"
    return carriers[0]


@each_client
def test_what_one_client_learns_the_next_one_knows(name: str, warm: Machine) -> None:
    client, other = CLIENTS[name], CLIENTS[NEXT_CLIENT[name]]
    warm.connect(client)
    warm.connect(other)
    learnt = {"content": f"Releases of the shop are cut by Priya on the {LEARNT} of a month."}
    with warm.talk(client) as talk:
        asked = talk.ask(ON_TOPIC)
        warned = talk.ask("Clean up the staging environment.", client.shell(DANGEROUS))
        had_run = (warm.project / "ran.txt").exists()
        insisted = talk.ask("Do it all the same.", client.shell(DANGEROUS))
        saved = talk.ask("Keep that in mind.", client.mcp("loremap", "remember", learnt))

    assert PINNED in asked.turns[0].text()
    assert GOTCHA in asked.turns[0].text()
    assert told(warned.turns[1], WARNING) == told(warned.turns[0], WARNING) + 1
    assert not had_run, "the command ran before the model was warned"
    assert (warm.project / "ran.txt").exists(), "a held command passes the second time"
    assert told(insisted.turns[-1], WARNING) == told(warned.turns[-1], WARNING)
    assert len(saved.turns) == 2
    assert LEARNT in warm.lore("search", "releases of the shop")

    warm.model.play()
    elsewhere = warm.run(other, ABOUT_WHAT_WAS_LEARNT)
    assert PINNED in elsewhere.turns[0].text()
    assert LEARNT in elsewhere.turns[0].text()


@each_client
def test_nothing_is_said_twice_and_the_block_stands_still(name: str, warm: Machine) -> None:
    client = CLIENTS[name]
    warm.connect(client)
    with warm.talk(client) as talk:
        unrelated = talk.ask(OFF_TOPIC)
        first = talk.ask(ON_TOPIC)
        between = talk.ask("Thanks, looks good!", client.shell("printf nothing"))
        again = talk.ask(ON_TOPIC_AGAIN)
        talk.compact()
        after = talk.ask(ON_TOPIC)

    assert told(unrelated.turns[0], GOTCHA) == 0
    assert told(first.turns[0], GOTCHA) == 1
    assert "memor" not in added(first.turns[-1], between.turns[0]).lower()
    assert told(again.turns[-1], GOTCHA) == 1
    before = (*unrelated.turns, *first.turns, *between.turns, *again.turns)
    assert len({block(request) for request in before}) == 1
    assert told(after.turns[0], PINNED) == 1
    assert GOTCHA in after.turns[0].text()


@each_client
def test_a_resumed_session_has_the_block_once(name: str, warm: Machine) -> None:
    client = CLIENTS[name]
    warm.connect(client)
    warm.model.play()
    first = warm.run(client, OFF_TOPIC)
    resumed = warm.run(client, "And of Italy?", resume=first.session)
    assert told(first.turns[0], PINNED) == 1
    assert told(resumed.turns[0], PINNED) == 1


@each_client
def test_a_session_that_began_without_a_resident_is_told_later(name: str, stocked: Machine) -> None:
    client = CLIENTS[name]
    stocked.connect(client)
    stocked.lore("service", "stop")
    with stocked.talk(client) as talk:
        talk.ask(OFF_TOPIC)
        stocked.wait_until_warm()
        later = talk.ask("And of Italy?")
    assert told(later.turns[0], PINNED) == 1


# A user's own settings, with comments and habits of their own; some say `dark`.
SETTINGS: Mapping[str, Mapping[str, str]] = {
    "claude": {
        ".claude/settings.json": '{\n    "env": {"SHADE": "dark"},\n\t"hooks": {"Stop": [{"hooks": '
        '[{"type": "command", "command": "true"}]}]}}',
    },
    "codex": {
        ".codex/config.toml": "# dark\n[mcp_servers.other] # mine\n"
        "command = 'true'\nenabled = false",
        ".codex/hooks.json": '{"hooks": {"Stop": [{"hooks": [{"type": "command", '
        '"command": "true"}]}]}}\n',
    },
    "gemini": {
        ".gemini/settings.json": '{\n  // mine\n  "ui": {"theme": "dark"},\n  "security": '
        '{"auth": {"selectedType": "gemini-api-key"}}\n}\n',
    },
    "opencode": {
        ".config/opencode/opencode.json": '{\n   // mine\n   "username": "dark",\n   "mcp": {},\n}',
    },
    "copilot": {
        ".copilot/mcp-config.json": '{ "mcpServers": {"other": {"type": "local", "command": "true",'
        ' "args": ["dark"], "tools": []}} }\n',
    },
}


@each_client
def test_leaving_takes_away_what_connecting_brought(name: str, machine: Machine) -> None:
    client = CLIENTS[name]
    _write(machine.home, SETTINGS[name])
    before = _files(machine.home)
    machine.connect(client)
    assert _files(machine.home) != before
    machine.disconnect(client)
    assert _files(machine.home) == before


@each_client
def test_leaving_keeps_what_others_wrote_meanwhile(name: str, machine: Machine) -> None:
    client = CLIENTS[name]
    _write(machine.home, SETTINGS[name])
    machine.connect(client)
    machine.model.play()
    machine.run(client, OFF_TOPIC)
    for path in SETTINGS[name]:
        file = machine.home / path
        file.write_text(file.read_text("utf-8").replace("dark", "light"), encoding="utf-8")
    machine.disconnect(client)

    left = {path: (machine.home / path).read_text("utf-8") for path in SETTINGS[name]}
    for path, text in SETTINGS[name].items():
        assert ("dark" in text) == ("light" in left[path])
        assert ("// mine" in text) == ("// mine" in left[path])
    assert not [path for path, text in left.items() if "lore" in text.lower()]


def _write(home: Path, files: Mapping[str, str]) -> None:
    for path, text in files.items():
        (home / path).parent.mkdir(parents=True, exist_ok=True)
        (home / path).write_text(text, encoding="utf-8")


def _files(home: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(home)): path.read_bytes()
        for path in sorted(home.rglob("*"))
        if path.is_file()
    }


@pytest.mark.parametrize("name", ["claude", "codex", "opencode"])
def test_a_subagent_is_told_what_fits_its_task(name: str, warm: Machine) -> None:
    client = CLIENTS[name]
    warm.connect(client)
    # Codex ends with its main agent; the pause lets the other begin.
    warm.model.play(client.subagent(ON_TOPIC), client.shell("sleep 3"))
    warm.model.play_subagent(ON_TOPIC)
    run = warm.run(client, "Hand it on.")
    by_subagent = [request for request in run.requests if request.kind == "subagent"]
    assert told(by_subagent[0], GOTCHA) == 1

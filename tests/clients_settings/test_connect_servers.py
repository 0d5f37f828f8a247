"""The entry of our MCP server: what the user puts into it stays, and another's is left alone."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
import tomlkit
from connect_tools import SETTINGS, Machine

from loremap.clients.settings import jsonc

ENTRIES: dict[str, tuple[str, tuple[str, ...]]] = {
    "claude": (".claude.json", ("mcpServers", "loremap")),
    "codex": (".codex/config.toml", ("mcp_servers", "loremap")),
    "gemini": (".gemini/settings.json", ("mcpServers", "loremap")),
    "opencode": (".config/opencode/opencode.jsonc", ("mcp", "loremap")),
    "copilot": (".copilot/mcp-config.json", ("mcpServers", "loremap")),
    "cline": (".cline/data/settings/cline_mcp_settings.json", ("mcpServers", "loremap")),
    "cursor": (".cursor/mcp.json", ("mcpServers", "loremap")),
    "vscode": (".config/Code/User/mcp.json", ("servers", "loremap")),
    "windsurf": (".codeium/windsurf/mcp_config.json", ("mcpServers", "loremap")),
    "zed": (".config/zed/settings.json", ("context_servers", "loremap")),
}
"""Where each client keeps our server."""
WORDS = {"timeout": 77, "env": {"LOREMAP_SESSION": "mine"}, "alwaysAllow": ["recall"]}
"""What a user wrote into its entry."""


def entry(machine: Machine, client: str) -> Any:
    """What a client has under our name."""
    name, path = ENTRIES[client]
    text = (machine.user / name).read_text("utf-8")
    value: Any = tomllib.loads(text) if name.endswith(".toml") else jsonc.parsed(text)
    for step in path:
        value = value.get(step, {})
    return value


def put(machine: Machine, client: str, values: dict[str, Any]) -> Path:
    """Write values into the entry, as its user does."""
    name, path = ENTRIES[client]
    file = machine.user / name
    text = file.read_bytes().decode() if file.exists() else ""
    if name.endswith(".toml"):
        document = tomlkit.parse(text)
        document.setdefault(path[0], {}).setdefault(path[1], {}).update(values)
        text = tomlkit.dumps(document)
    else:
        for key, value in values.items():
            text = jsonc.inserted(text, (*path, key), value)
    return machine.write(name, text)


def test_every_client_is_tried() -> None:
    assert set(ENTRIES) == set(SETTINGS)


@pytest.mark.parametrize("client", ENTRIES)
def test_what_a_user_put_into_our_entry_stays(
    machine: Machine, client: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine.settle(client)
    machine.done("connect", client)
    file = put(machine, client, WORDS)
    during = file.read_bytes()
    assert "nothing changes" in machine.done("connect", client).out
    assert file.read_bytes() == during
    other = machine.home.with_name("other home")
    monkeypatch.setenv("LOREMAP_HOME", str(other))
    machine.done("connect", client)
    assert file.read_bytes() == during.replace(str(machine.home).encode(), str(other).encode())
    assert {key: entry(machine, client)[key] for key in WORDS} == WORDS


@pytest.mark.parametrize("client", ENTRIES)
def test_it_goes_with_our_entry_and_that_is_said(machine: Machine, client: str) -> None:
    machine.settle(client)
    before = machine.files()
    machine.done("connect", client)
    machine.done("disconnect", client)
    machine.done("connect", client)
    put(machine, client, WORDS)
    said = machine.lore("disconnect", client, "--dry-run").out
    assert "timeout" in said
    assert "which you put into the entry of our MCP server, goes with it" in said
    machine.done("connect", client)
    machine.done("disconnect", client)
    assert machine.ours() == []
    assert machine.files().keys() == before.keys()
    machine.done("connect", client)
    assert "which you put" not in machine.done("disconnect", client).out


@pytest.mark.parametrize("client", ENTRIES)
@pytest.mark.parametrize(
    "foreign", [{"command": "npx", "args": ["-y", "map-of-lore"]}, {"url": "https://example.org"}]
)
def test_a_server_of_that_name_which_is_not_ours_is_left(
    machine: Machine, client: str, foreign: dict[str, Any]
) -> None:
    machine.settle(client)
    file = put(machine, client, foreign)
    before = machine.files()
    ran = machine.lore("connect", client, "--yes")
    assert ran.code == 2
    assert f"{file} has an MCP server called loremap that is not ours" in ran.err
    assert "another name" in ran.err
    assert ("npx" in ran.err) == ("command" in foreign)
    assert machine.files() == before
    assert "nothing changes" in machine.done("disconnect", client).out
    assert machine.files() == before


@pytest.mark.parametrize("client", ENTRIES)
def test_a_server_that_took_our_name_later_is_left(machine: Machine, client: str) -> None:
    machine.settle(client)
    machine.done("connect", client)
    foreign = ["npx", "other"] if client == "opencode" else "npx"
    put(machine, client, {"command": foreign})
    assert machine.lore("connect", client, "--yes").code == 2
    machine.done("disconnect", client)
    assert entry(machine, client)["command"] == foreign


@pytest.mark.parametrize(
    ("client", "by_hand"),
    [
        ("claude", {"command": "lore", "args": ["mcp"], "timeout": 9}),
        ("zed", {"command": "/opt/x/bin/lore", "args": ["mcp", "zed"]}),
        ("opencode", {"type": "local", "command": ["uvx", "--from", "loremap", "lore", "mcp"]}),
        ("codex", {"command": "lore", "args": ["mcp"], "startup_timeout_sec": 9}),
    ],
)
def test_our_server_as_written_by_hand_is_taken_over_and_given_back(
    machine: Machine, client: str, by_hand: dict[str, Any]
) -> None:
    machine.settle(client)
    put(machine, client, by_hand)
    before = machine.files()
    machine.done("connect", client)
    made = entry(machine, client)
    assert "lore-agent" in str(made["command"])
    assert {key: value for key, value in made.items() if key in by_hand} == {
        **by_hand,
        **{key: made[key] for key in ("command", "args") if key in by_hand},
    }
    assert "which you put" not in machine.done("disconnect", client).out
    assert machine.files() == before


@pytest.mark.parametrize(
    ("client", "switch"),
    [
        ("opencode", {"enabled": False}),
        ("codex", {"enabled": False}),
        ("cline", {"disabled": True}),
    ],
)
def test_a_server_that_was_switched_off_stays_off_and_that_is_said(
    machine: Machine, client: str, switch: dict[str, Any]
) -> None:
    machine.settle(client)
    machine.done("connect", client)
    assert "switched off" not in machine.done("connect", client).out
    put(machine, client, switch)
    assert "Our MCP server is switched off" in machine.done("connect", client).out
    assert entry(machine, client).items() >= switch.items()


def test_comments_in_our_entry_stay(machine: Machine) -> None:
    machine.settle("zed")
    machine.done("connect", "zed")
    file = machine.user / ".config" / "zed" / "settings.json"
    file.write_text(file.read_text().replace('"args"', '// mine\n      "args"'))
    text = file.read_text().replace(json.dumps(str(machine.home))[1:-1], "/gone")
    file.write_text(text)
    machine.done("connect", "zed")
    assert file.read_text() == text.replace("/gone", str(machine.home))

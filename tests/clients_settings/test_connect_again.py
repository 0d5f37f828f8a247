"""Connecting once more changes nothing, whatever stands beside ours and wherever it lies."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from connect_tools import SETTINGS, Machine

from loremap.clients.registry import CLIENTS
from loremap.clients.settings import jsonc

NESTED = {
    "claude": (".claude/settings.json", "Stop"),
    "codex": (".codex/hooks.json", "Stop"),
    "gemini": (".gemini/settings.json", "AfterAgent"),
}
LATER = {"hooks": [{"type": "command", "command": "say later"}]}


def groups(file: Path, event: str) -> list[Any]:
    """The groups of an event's hooks, in their order."""
    value = jsonc.parsed(file.read_text())["hooks"][event]
    assert isinstance(value, list)
    return value


@pytest.mark.parametrize("client", NESTED)
def test_hooks_a_user_adds_behind_ours_stay_there(machine: Machine, client: str) -> None:
    machine.settle(client)
    machine.done("connect", client)
    file, event = machine.user / NESTED[client][0], NESTED[client][1]
    text = jsonc.inserted(file.read_bytes().decode(), ("hooks", event, jsonc.END), LATER)
    file.write_bytes(text.encode())
    during = machine.files()
    assert "nothing changes" in machine.done("connect", client).out
    assert machine.files() == during
    assert groups(file, event)[-1] == LATER


@pytest.mark.parametrize("client", NESTED)
def test_an_upgrade_changes_only_what_is_no_longer_so(machine: Machine, client: str) -> None:
    machine.settle(client)
    machine.done("connect", client)
    file, event = machine.user / NESTED[client][0], NESTED[client][1]
    now = file.read_bytes().decode()
    place = next(
        place for place, each in enumerate(groups(file, event)) if "lore-agent" in str(each)
    )
    stale = json.loads(json.dumps(groups(file, event)[place]).replace(event, "Former"))
    text = jsonc.inserted(now, ("hooks", event, jsonc.END), LATER)
    file.write_bytes(jsonc.inserted(text, ("hooks", "Former", jsonc.END), stale).encode())
    machine.done("connect", client)
    assert "Former" not in file.read_text()
    assert "lore-agent" in str(groups(file, event)[place])
    assert groups(file, event)[-1] == LATER
    assert file.read_bytes().decode() == text


@pytest.mark.parametrize("client", NESTED)
def test_a_doubled_hook_is_left_once(machine: Machine, client: str) -> None:
    machine.done("connect", client)
    file, event = machine.user / NESTED[client][0], NESTED[client][1]
    once = groups(file, event)
    text = jsonc.inserted(file.read_text(), ("hooks", event, jsonc.END), once[0])
    mixed = {"hooks": [*once[0]["hooks"], *LATER["hooks"]]}
    file.write_text(jsonc.inserted(text, ("hooks", event, jsonc.END), mixed))
    machine.done("connect", client)
    assert sorted(map(str, groups(file, event))) == sorted(map(str, [LATER, *once]))


@pytest.mark.parametrize("client", SETTINGS)
def test_a_data_folder_with_an_apostrophe_is_known_again(
    machine: Machine, client: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOREMAP_HOME", str(machine.home.with_name("o'neil's $home")))
    machine.settle(client)
    machine.done("connect", client)
    during = machine.files()
    assert "nothing changes" in machine.done("connect", client).out
    assert machine.files() == during
    (machine.home.with_name("o'neil's $home") / "connected.json").unlink()
    machine.done("disconnect", client)
    assert machine.ours() == []


def test_hooks_of_the_user_that_start_ours_among_others_are_theirs(machine: Machine) -> None:
    machine.done("connect", "claude")
    file = machine.user / ".claude/settings.json"
    ours = groups(file, "Stop")[0]["hooks"][0]["command"]
    theirs = {"hooks": [{"type": "command", "command": f"{ours} && say done"}]}
    file.write_text(jsonc.inserted(file.read_text(), ("hooks", "Stop", jsonc.END), theirs))
    machine.done("disconnect", "claude")
    assert groups(file, "Stop") == [theirs]


HUGE = "9" * 5000


@pytest.mark.parametrize("client", [name for name in SETTINGS if name != "codex"])
def test_a_number_too_long_for_python_stays(machine: Machine, client: str) -> None:
    machine.settle(client)
    for name in SETTINGS[client]:
        file = machine.user / name
        text = jsonc.inserted(file.read_bytes().decode(), ("n",), 0)
        file.write_bytes(text.replace('"n": 0', f'"n": {HUGE}').encode())
    before = machine.files()
    machine.done("connect", client)
    assert any(file and HUGE.encode() in file[0] for file in machine.files().values())
    machine.done("disconnect", client)
    assert machine.files() == before


@pytest.mark.parametrize(
    "text",
    [
        "n = nan\n\n[mcp_servers]\n\n[a]\nx = [inf, nan]\n",
        "model = 'x'",
        "model = 'x'\r\n[a]\r\ny = 2",
        "# only a comment",
    ],
)
def test_a_toml_is_as_it_was_but_for_what_others_wrote(machine: Machine, text: str) -> None:
    file = machine.write(".codex/config.toml", text)
    machine.done("connect", "codex")
    assert file.read_bytes().decode().startswith(text)
    during = file.read_bytes()
    machine.done("connect", "codex")
    assert file.read_bytes() == during
    file.write_bytes(b"# later\n" + during)
    machine.done("disconnect", "codex")
    assert file.read_bytes().decode() == f"# later\n{text}"


def test_an_integer_too_long_in_a_toml_is_refused_in_one_line(machine: Machine) -> None:
    machine.write(".codex/config.toml", f"n = {HUGE}\n")
    before = machine.files()
    ran = machine.lore("connect", "codex", "--yes")
    assert ran.code == 2
    assert "not valid TOML" in ran.err
    assert machine.files() == before


@pytest.mark.parametrize("client", ["copilot", "cursor"])
def test_a_version_we_put_in_goes_with_us(machine: Machine, client: str) -> None:
    name = {"copilot": ".copilot/hooks/loremap.json", "cursor": ".cursor/hooks.json"}[client]
    file = machine.write(name, '{"hooks": {}}\n')
    machine.done("connect", client)
    assert jsonc.parsed(file.read_text())["version"] == 1
    file.write_text(jsonc.inserted(file.read_text(), ("mine",), True))
    machine.done("disconnect", client)
    assert jsonc.parsed(file.read_text()) == {"hooks": {}, "mine": True}


def test_every_client_with_nested_hooks_is_tried() -> None:
    assert set(NESTED) <= set(CLIENTS)

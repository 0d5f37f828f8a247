"""Each client is connected and disconnected without a trace, and nothing of the user's is lost."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import tomllib
from typing import Any

import pytest
from connect_tools import SETTINGS, Machine

from loremap.clients import registry
from loremap.clients.connect import connected, plan
from loremap.clients.settings import jsonc

CLIENTS = tuple(SETTINGS)
IN_PROJECTS = tuple(
    name for name, client in registry.CLIENTS.items() if not client.settings.no_project
)


def test_every_client_has_settings_to_try() -> None:
    assert set(CLIENTS) == set(registry.NAMES)


@pytest.mark.parametrize("client", CLIENTS)
def test_disconnecting_leaves_every_byte_as_it_was(machine: Machine, client: str) -> None:
    machine.settle(client)
    before = machine.files()
    ran = machine.done("connect", client)
    is_marked = "is experimental: never run by our tests." in ran.out
    assert is_marked is registry.CLIENTS[client].experimental
    assert machine.ours()
    during = machine.files()
    assert "nothing changes" in machine.done("connect", client).out
    assert machine.files() == during
    machine.done("disconnect", client)
    assert machine.files() == before
    assert connected(machine.home) == []
    assert not list((machine.home / "connected").iterdir())


@pytest.mark.parametrize("client", CLIENTS)
def test_a_client_without_settings_is_left_without(machine: Machine, client: str) -> None:
    before = machine.files()
    machine.done("connect", client)
    machine.done("disconnect", client)
    assert machine.files() == before


@pytest.mark.parametrize("client", IN_PROJECTS)
def test_one_project_is_connected_and_nothing_else(machine: Machine, client: str) -> None:
    machine.settle(client)
    before = machine.files()
    ran = machine.done("connect", client, "--project")
    state = {".claude.json"} if client == "claude" else set()
    assert {name for name in machine.ours() if not name.startswith("work/shop/")} == state
    assert "do not commit" in ran.out
    assert f"is connected for {machine.project}. " in ran.out
    row = next(line for line in machine.lore("connect").out.splitlines() if client in line)
    assert f"connected for {machine.project} only" in row
    assert "enough" in machine.done("connect", client).out
    assert "enough" in machine.done("connect", client, "--project").out
    assert f"stays connected for {machine.project}." in machine.done("disconnect", client).out
    assert any(name.startswith("work/shop/") for name in machine.ours())
    machine.done("connect", client)
    last = machine.done("disconnect", client, "--project").out
    assert "stays connected for you" in last
    assert "enough" not in machine.done("connect", client).out
    assert "stays" not in machine.done("disconnect", client).out.replace("what is stored stays", "")
    assert machine.ours() == []
    assert machine.files() == before


@pytest.mark.parametrize("client", CLIENTS)
def test_what_others_write_in_between_stays(machine: Machine, client: str) -> None:
    machine.settle(client)
    expected = {}
    machine.done("connect", client)
    for name, text in SETTINGS[client].items():
        file = machine.user / name
        if name.endswith(".toml"):
            later = file.read_text() + '\n[later]\nx = "# [mcp_servers.loremap]"\n'
            expected[name] = text + '\n[later]\nx = "# [mcp_servers.loremap]"\n'
            file.write_text(later)
        else:
            file.write_bytes(
                jsonc.inserted(file.read_bytes().decode(), ("later",), {"x": 1}).encode()
            )
            expected[name] = jsonc.inserted(text, ("later",), {"x": 1})
    machine.done("disconnect", client)
    assert {name: (machine.user / name).read_bytes().decode() for name in expected} == expected
    assert machine.ours() == [name for name in expected if name.endswith(".toml")]


@pytest.mark.parametrize("client", CLIENTS)
def test_a_lost_record_does_not_keep_ours_in(machine: Machine, client: str) -> None:
    machine.settle(client)
    machine.done("connect", client)
    (machine.home / "connected.json").unlink()
    machine.done("disconnect", client)
    assert machine.ours() == []
    for name, text in SETTINGS[client].items():
        left = (machine.user / name).read_bytes().decode()
        parse = tomllib.loads if name.endswith(".toml") else jsonc.parsed
        assert without_empty(parse(left)) == without_empty(parse(text))


def test_a_lost_record_is_made_anew(machine: Machine) -> None:
    machine.settle("claude")
    before = machine.files()
    machine.done("connect", "claude")
    (machine.home / "connected.json").unlink()
    assert "nothing changes" in machine.done("connect", "claude").out
    assert [each.client for each in connected(machine.home)] == ["claude"]
    machine.done("disconnect", "claude")
    assert {
        name: file for name, file in machine.files().items() if file or name in before
    } == before


def without_empty(value: Any) -> Any:
    """A value without empty objects: whose they were is not known without the record."""
    if not isinstance(value, dict):
        return value
    inner = {key: without_empty(each) for key, each in value.items()}
    return {key: each for key, each in inner.items() if each != {}}


@pytest.mark.parametrize("client", CLIENTS)
def test_another_home_replaces_the_first(
    machine: Machine, client: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine.settle(client)
    machine.done("connect", client)
    first = machine.files()
    other = machine.home.with_name("other home")
    monkeypatch.setenv("LOREMAP_HOME", str(other))
    machine.done("connect", client)
    second = machine.files()
    assert set(second) == set(first)
    for file in second.values():
        if file:
            assert str(machine.home).encode() not in file[0]
    swapped = {
        name: file and (file[0].replace(str(machine.home).encode(), str(other).encode()), file[1])
        for name, file in first.items()
    }
    assert {name for name in swapped if swapped[name] != second[name]} <= set(SETTINGS[client])


@pytest.mark.parametrize("client", CLIENTS)
def test_a_dry_run_shows_the_change_and_makes_none(machine: Machine, client: str) -> None:
    machine.settle(client)
    before = machine.files()
    ran = machine.lore("connect", client, "--dry-run")
    assert ran.code == 0
    for change in plan(client, home=machine.home).changes:
        assert f"+++ {change.path}" in ran.out
    assert machine.files() == before
    assert not machine.home.exists()


def test_an_upgrade_refreshes_the_launcher_and_no_settings(machine: Machine) -> None:
    machine.settle("claude")
    machine.done("connect", "claude")
    launcher = machine.home / "bin" / "lore-agent"
    fresh, during = launcher.read_bytes(), machine.files()
    launcher.write_text("#!/gone/python\n")
    machine.done("connect", "claude")
    assert launcher.read_bytes() == fresh
    assert os.access(launcher, os.X_OK)
    assert machine.files() == during


@pytest.mark.parametrize(
    ("client", "variable", "name"),
    [
        ("claude", "CLAUDE_CONFIG_DIR", "settings.json"),
        ("codex", "CODEX_HOME", "hooks.json"),
        ("copilot", "COPILOT_HOME", "mcp-config.json"),
        ("gemini", "GEMINI_CLI_HOME", ".gemini/settings.json"),
        ("opencode", "XDG_CONFIG_HOME", "opencode/opencode.json"),
    ],
)
def test_a_client_moved_by_its_variable_is_found_there(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, client: str, variable: str, name: str
) -> None:
    moved = machine.user / "else where"
    monkeypatch.setenv(variable, str(moved))
    machine.done("connect", client)
    assert b"lore-agent" in (moved / name).read_bytes()
    assert all(each.startswith("else where/") for each in machine.ours())


def test_what_was_connected_elsewhere_is_found_again(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = machine.files()
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(machine.user / "else where"))
    machine.done("connect", "claude")
    monkeypatch.delenv("CLAUDE_CONFIG_DIR")
    machine.done("disconnect", "claude")
    assert machine.files() == before


def test_both_places_of_a_client_that_moved_are_cleared(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = machine.files()
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(machine.user / "else where"))
    machine.done("connect", "claude")
    monkeypatch.delenv("CLAUDE_CONFIG_DIR")
    machine.done("connect", "claude")
    machine.done("disconnect", "claude")
    assert machine.ours() == []
    assert {name for name, file in machine.files().items() if file} == {
        name for name, file in before.items() if file
    }


@pytest.mark.parametrize("changed", [False, True])
def test_what_an_earlier_loremap_wrote_goes_with_an_upgrade(
    machine: Machine, changed: bool
) -> None:
    machine.settle("claude")
    before = machine.files()
    machine.done("connect", "claude")
    old = machine.write(".claude/commands/memory/old.md", "# made by `lore connect`\n")
    record = machine.home / "connected.json"
    value = json.loads(record.read_text())
    digest = hashlib.sha256(old.read_bytes()).hexdigest()
    value["connections"][0]["files"].append({"path": str(old), "before": None, "after": digest})
    record.write_text(json.dumps(value))
    if changed:
        old.write_text("mine now\n")
    machine.done("connect", "claude")
    assert old.exists() == changed
    old.unlink(missing_ok=True)
    machine.done("disconnect", "claude")
    assert machine.files() == before


def test_the_command_of_a_hook_runs_in_a_shell_and_fails_open(machine: Machine) -> None:
    machine.done("connect", "gemini")
    settings = json.loads((machine.user / ".gemini" / "settings.json").read_text())
    line = settings["hooks"]["BeforeAgent"][0]["hooks"][0]["command"]
    launcher = machine.home / "bin" / "lore-agent"
    launcher.write_text('#!/bin/sh\ncat; echo " $1 $2 $3"; exit 7\n')
    ran = subprocess.run(line, shell=True, input=b"given", capture_output=True, check=False)
    assert (ran.returncode, ran.stdout) == (7, b"given hook gemini BeforeAgent\n")
    launcher.unlink()
    gone = subprocess.run(line, shell=True, input=b"given", capture_output=True, check=False)
    assert (gone.returncode, gone.stdout, gone.stderr) == (0, b"", b"")


def test_all_connects_what_is_found(machine: Machine) -> None:
    machine.settle("claude", "zed")
    before = machine.files()
    said = machine.done("connect", "--all", "--json").data
    assert [each["client"] for each in said["clients"]] == ["claude", "zed"]
    listed = machine.lore("connect", "--json").data["clients"]
    assert [row["client"] for row in listed if row["connected"]] == ["claude", "zed"]
    assert [row["client"] for row in listed if row["found"]] == ["claude", "zed"]
    machine.done("disconnect", "--all")
    assert machine.files() == before
    assert "No agent is connected" in machine.done("disconnect", "--all").out


def test_files_are_shown_by_name_and_their_lines_on_request(machine: Machine) -> None:
    machine.settle("claude")
    folder = machine.user / ".claude"
    for command, said in (
        ("connect", f"  makes    10 files in {folder}\n"),
        ("disconnect", f"  deletes  3 files in {folder / 'commands'}\n"),
    ):
        for asked in ("--dry-run", "--diff"):
            whole = machine.lore(command, "claude", asked, "--dry-run").out
            assert "Call the tool `memory`" in whole
        shown = machine.done(command, "claude").out
        assert said in shown
        assert f"  changes  {folder / 'settings.json'}  (" in shown
        assert "Call the tool `memory`" not in shown


def test_a_long_line_is_cut_and_shows_it(machine: Machine) -> None:
    machine.write(".claude.json", json.dumps({"numStartups": 3, "tips": "x" * 900}))
    lines = machine.lore("connect", "claude", "--dry-run").out.splitlines()
    cut = [line for line in lines if line[1:].startswith('{"numStartups"')]
    assert len(cut) == 2
    assert all(len(line) < 450 and line.endswith(" …") for line in cut)


def test_a_program_on_the_path_is_found(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    program = machine.write("bin/codex", "#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    listed = machine.lore("connect", "--json").data["clients"]
    assert [row["client"] for row in listed if row["found"]] == ["codex"]


def test_the_record_and_the_copies_are_the_owners_alone(machine: Machine) -> None:
    machine.settle("claude")
    machine.done("connect", "claude")
    kept = [machine.home / "connected.json", *(machine.home / "connected").iterdir()]
    assert len(kept) == 3
    assert {file.stat().st_mode & 0o777 for file in kept} == {0o600}


def test_a_newcomer_is_led_to_it_until_an_agent_is_connected(machine: Machine) -> None:
    first = machine.lore("init", "--no-scan")
    assert "lore connect --all" in first.out
    machine.done("connect", "zed")
    again = machine.lore("init", "--no-scan")
    assert (first.code, again.code) == (0, 0)
    assert "lore connect" not in again.out

"""What cannot be written is refused in one line, with every file as it was."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from connect_tools import CLAUDE, Machine

from loremap.clients.connect import apply, connected, plan
from loremap.errors import BadInput


def refused(machine: Machine, *arguments: str) -> str:
    """What a command says that must change nothing."""
    before = machine.files()
    ran = machine.lore(*arguments)
    assert ran.code == 2, ran
    assert machine.files() == before
    assert ran.err.count("\n") == 1
    return ran.err


@pytest.mark.parametrize(
    ("client", "name", "text", "said"),
    [
        ("claude", ".claude/settings.json", '{\n  "a": 1\n  "b": 2\n}', "line 3: expected a comma"),
        ("claude", ".claude.json", "{", "line 1: expected a key in quotes"),
        ("claude", ".claude/settings.json", '{"hooks": []}', "hooks is not an object"),
        ("claude", ".claude/settings.json", "[]", "the whole is not an object"),
        ("codex", ".codex/config.toml", "a = \n", "not valid TOML"),
        ("codex", ".codex/hooks.json", "nonsense", "line 1: expected a value"),
    ],
)
def test_broken_settings_are_named_and_left(
    machine: Machine, client: str, name: str, text: str, said: str
) -> None:
    file = machine.write(name, text)
    line = refused(machine, "connect", client, "--yes")
    assert str(file) in line
    assert said in line
    assert "nothing was changed" in line


def test_settings_in_another_encoding_are_left(machine: Machine) -> None:
    machine.write(".claude/settings.json", "").write_bytes(b'{"a": "\xff"}')
    assert "not UTF-8" in refused(machine, "connect", "claude", "--yes")


def test_a_read_only_file_is_left_and_no_other_written(machine: Machine) -> None:
    machine.settle("claude")
    (machine.user / ".claude.json").chmod(0o444)
    assert "read-only" in refused(machine, "connect", "claude", "--yes")
    assert connected(machine.home) == []


def test_all_files_or_none(machine: Machine) -> None:
    machine.settle("claude")
    machine.write(".claude/commands", "a file where a folder must be")
    assert "cannot be read" in refused(machine, "connect", "claude", "--yes")
    assert connected(machine.home) == []


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="no folder that root cannot write to")
def test_what_fails_half_way_is_undone(machine: Machine) -> None:
    machine.settle("claude")
    (machine.user / ".claude" / "commands").symlink_to("/proc")
    assert "cannot be written" in refused(machine, "connect", "claude", "--yes")
    assert connected(machine.home) == []


@pytest.mark.parametrize("more", [(), ("--dry-run",)])
def test_nobody_is_asked_about_what_cannot_be_done(machine: Machine, more: tuple[str, ...]) -> None:
    machine.settle("zed")
    (machine.user / ".config" / "zed" / "settings.json").chmod(0o444)
    with machine.person("connect", "zed", *more) as person:
        shown = person.until("is read-only; nothing was changed.")
        assert "[Y/n]" not in shown
        assert person.end() == 2


def test_a_file_that_changes_under_our_hands_is_left(machine: Machine) -> None:
    machine.settle("claude")
    planned = plan("claude", home=machine.home)
    machine.write(".claude.json", '{"new": true}')
    before = machine.files()
    with pytest.raises(BadInput, match="just changed"):
        apply(planned)
    assert machine.files() == before


def test_a_link_stays_a_link(machine: Machine) -> None:
    real = machine.write("dotfiles/settings.json", CLAUDE)
    real.chmod(0o640)
    link = machine.user / ".claude" / "settings.json"
    link.parent.mkdir()
    link.symlink_to(real)
    before = machine.files()
    machine.done("connect", "claude")
    assert link.is_symlink()
    assert b"lore-agent" in real.read_bytes()
    assert real.stat().st_mode & 0o777 == 0o640
    machine.done("disconnect", "claude")
    assert link.is_symlink()
    assert machine.files() == before


@pytest.mark.parametrize("linked", ["settings.json", ""])
def test_what_a_link_leads_to_is_said(machine: Machine, linked: str) -> None:
    real = machine.write("dotfiles/claude/settings.json", CLAUDE).parent / linked
    link = machine.user / ".claude" / linked
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(real)
    said = machine.done("connect", "claude").out
    assert said.count(f"{link} is a link: what changes is {real}, which gets a path of this") == 1
    assert "is a link" not in machine.done("connect", "claude").out


def test_without_a_terminal_nothing_is_done_unasked(machine: Machine) -> None:
    machine.settle("claude")
    for arguments in (("connect", "claude"), ("connect", "claude", "--json")):
        assert "--yes" in refused(machine, *arguments)
    machine.done("connect", "claude")
    assert "--yes" in refused(machine, "disconnect", "claude")


def test_a_client_nobody_knows_is_refused(machine: Machine) -> None:
    assert "Did you mean claude?" in refused(machine, "connect", "clade", "--yes")
    assert "No agent was found" in refused(machine, "connect", "--all", "--yes")
    assert "--all" in refused(machine, "disconnect", "--yes")
    assert "Leave out --project" in refused(machine, "connect", "windsurf", "--project", "--yes")


@pytest.mark.parametrize("folder", ["", "gone"])
def test_no_home_folder_is_said(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, folder: str
) -> None:
    monkeypatch.setenv("HOME", str(machine.user / "gone") if folder else "relative/none")
    assert "Set HOME" in refused(machine, "connect", "claude", "--yes")


def test_one_broken_client_does_not_keep_the_others_from_it(machine: Machine) -> None:
    machine.settle("zed", "windsurf")
    broken = machine.write(".claude/settings.json", "{")
    ran = machine.lore("connect", "--all", "--yes", "--json")
    assert ran.code == 2
    assert [each["client"] for each in ran.data["clients"]] == ["windsurf", "zed"]
    assert [each["client"] for each in ran.data["errors"]] == ["claude"]
    assert broken.read_text() == "{"
    machine.write(".codeium/windsurf/mcp_config.json", "[]")
    with machine.person("connect", "--all", "--yes") as person:
        shown = person.until("mcp_config.json: ")
    assert shown.index("That failed") < shown.index("Zed is connected")
    assert shown.index("Zed is connected") < shown.index("settings.json: line 1")


def test_files_of_the_user_that_bear_our_names_stay(machine: Machine) -> None:
    own = machine.write(".claude/commands/remember.md", "My own command: $ARGUMENTS\n")
    ran = machine.done("connect", "claude")
    assert f"{own} is not ours and stays" in ran.out
    assert own.read_text().startswith("My own")
    machine.done("disconnect", "claude")
    assert own.read_text().startswith("My own")
    assert machine.ours() == []


def test_what_the_user_made_of_our_file_stays(machine: Machine) -> None:
    machine.done("connect", "claude")
    ours = machine.user / ".claude" / "commands" / "pin.md"
    ours.write_text(ours.read_text() + "and be brief\n")
    assert "was changed by others and stays" in machine.done("disconnect", "claude").out
    assert ours.read_text().endswith("and be brief\n")
    assert machine.ours() == [".claude/commands/pin.md"]


@pytest.mark.parametrize(
    ("client", "name", "text", "said"),
    [
        ("claude", ".claude/settings.json", '{"disableAllHooks": true}', "disableAllHooks"),
        ("claude", ".claude/settings.json", '{"allowManagedHooksOnly": true}', "ManagedHooksOnly"),
        ("codex", ".codex/config.toml", "[features]\nhooks = false\n", "features.hooks"),
        ("gemini", ".gemini/settings.json", '{"hooksConfig": {"enabled": false}}', "enabled"),
        ("copilot", ".copilot/settings.json", '{"disableAllHooks": true}', "disableAllHooks"),
    ],
)
def test_a_policy_against_hooks_is_said(
    machine: Machine, client: str, name: str, text: str, said: str
) -> None:
    machine.write(name, text)
    remarks = machine.done("connect", client, "--json").data["clients"][0]["remarks"]
    assert any(said in remark and "switched off" in remark for remark in remarks)


@pytest.mark.parametrize(
    ("client", "name", "text"),
    [
        ("claude", ".claude/settings.json", '{"enabledPlugins": {"loremap@loremap": true}}'),
        ("copilot", ".copilot/settings.json", '{"enabledPlugins": {"loremap@loremap": true}}'),
        ("codex", ".codex/config.toml", '[plugins."loremap@loremap"]\nenabled = true\n'),
    ],
)
def test_beside_the_plugin_settings_are_not_written(
    machine: Machine, client: str, name: str, text: str
) -> None:
    file = machine.write(name, text)
    before = machine.files()
    ran = machine.done("connect", client)
    assert "plugin" in ran.out
    assert machine.files() == before
    file.unlink()
    machine.done("connect", client)
    assert machine.ours()
    file.write_text(text)
    machine.done("connect", client)
    assert b"lore-agent" not in b"".join(file[0] for file in machine.files().values() if file)


def test_a_person_sees_the_change_and_decides(machine: Machine) -> None:
    machine.settle("claude")
    before = machine.files()
    with machine.person("connect", "claude", "--diff") as person:
        shown = person.until("Connect Claude Code (12 files)? [Y/n]")
        assert "hook claude PreToolUse" in shown
        assert "\x1b[32m" in shown
        person.type("n\n")
        assert person.end() == 0
    assert machine.files() == before
    with machine.person("connect", "claude") as person:
        assert "changes  " in person.until("[Y/n]")
        person.type("y\n")
        person.until("Claude Code is connected.")
        assert person.end() == 0
    assert machine.ours()


def test_what_codex_wants_is_explained(machine: Machine) -> None:
    machine.settle("codex")
    ran = machine.done("connect", "codex")
    assert "Codex runs a hook only after its user has trusted it" in ran.out
    assert "/hooks" in ran.out
    assert machine.done("connect", "codex", "--json").data["clients"][0]["trusted"] is False
    assert b"hooks.state" not in (machine.user / ".codex" / "config.toml").read_bytes()


def test_json_names_every_file(machine: Machine) -> None:
    machine.settle("zed")
    said = machine.done("connect", "zed", "--json").data["clients"][0]
    file = machine.user / ".config" / "zed" / "settings.json"
    assert said["files"] == [{"path": str(file), "change": "changed"}]
    assert said["changed"] is True
    server = json.loads(
        file.read_text("utf-8-sig").replace("// Zed settings", "").replace("// servers", "")
    )
    assert Path(server["context_servers"]["loremap"]["command"]).is_file()
    assert os.access(server["context_servers"]["loremap"]["command"], os.X_OK)

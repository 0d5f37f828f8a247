"""Slash commands come in the form each client shows to its user, and go again."""

from __future__ import annotations

import hashlib
import json
import tomllib
from pathlib import Path

import pytest
from connect_tools import Machine

from loremap.clients.settings import slash

PARTS = ("status", "list", "search", "inbox", "auto", "budget", "alias")
MAIN = ("remember", "forget", "pin")
FILES: dict[str, list[str]] = {
    "claude": [
        *(f".claude/commands/{name}.md" for name in MAIN),
        *(f".claude/commands/memory/{part}.md" for part in PARTS),
    ],
    "codex": [
        f".codex/skills/{name}/{file}"
        for name in (*MAIN, "memory")
        for file in ("SKILL.md", "agents/openai.yaml")
    ],
    "copilot": [
        f".copilot/skills/{name}/SKILL.md"
        for name in (*MAIN, *(f"memory-{each}" for each in PARTS))
    ],
    "gemini": [
        *(f".gemini/commands/{name}.toml" for name in MAIN),
        *(f".gemini/commands/memory/{part}.toml" for part in PARTS),
    ],
    "cursor": [f".cursor/commands/{name}.md" for name in (*MAIN, "memory")],
}
"""OpenCode has them from our plugin."""


@pytest.mark.parametrize("client", FILES)
def test_each_client_has_all_of_them(machine: Machine, client: str) -> None:
    machine.done("connect", client)
    kinds = ("commands", "skills", "prompts")
    found = [name for name in machine.ours() if any(f"/{kind}/" in name for kind in kinds)]
    assert sorted(found) == sorted(FILES[client])


def test_a_skill_is_the_users_to_call_and_costs_the_model_nothing(machine: Machine) -> None:
    machine.done("connect", "codex")
    machine.done("connect", "copilot")
    for skill in machine.user.rglob("SKILL.md"):
        _, head, said = skill.read_text().split("---\n")
        assert f"name: {skill.parent.name}\n" in head
        assert "disable-model-invocation: true\n" in head
        assert said.startswith("I typed /")
        # Codex leaves a placeholder as it is, Copilot puts in what was typed.
        assert ("$ARGUMENTS" in said) == (".copilot" in str(skill))
    policies = list(machine.user.rglob("openai.yaml"))
    assert len(policies) == 4
    assert all("allow_implicit_invocation: false" in each.read_text() for each in policies)


def test_a_command_of_gemini_has_its_placeholder_once(machine: Machine) -> None:
    machine.done("connect", "gemini")
    for file in (machine.user / ".gemini" / "commands").rglob("*.toml"):
        value = tomllib.loads(file.read_text())
        assert value["prompt"].count("{{args}}") == 1
        assert "!{" not in value["prompt"]


def old_prompts(machine: Machine, *, recorded: bool) -> list[Path]:
    """The prompts that an earlier Loremap wrote for Codex."""
    files = []
    for name in (*MAIN, "memory"):
        text = slash.markdown_text(
            slash.Slash(name, "", "x"), typed="$ARGUMENTS", more=("# made by `lore connect`",)
        )
        files.append(machine.write(f".codex/prompts/{name}.md", text))
    if recorded:
        record = machine.home / "connected.json"
        value = json.loads(record.read_text())
        value["connections"][0]["files"] += [
            {
                "path": str(file),
                "before": None,
                "after": hashlib.sha256(file.read_bytes()).hexdigest(),
                "folders": [str(file.parent)] if file is files[0] else [],
            }
            for file in files
        ]
        record.write_text(json.dumps(value))
    return files


@pytest.mark.parametrize("command", ["connect", "disconnect"])
@pytest.mark.parametrize("recorded", [True, False])
def test_prompts_codex_no_longer_reads_go(machine: Machine, command: str, recorded: bool) -> None:
    machine.settle("codex")
    before = machine.files()
    machine.done("connect", "codex")
    connected = machine.files()
    old = old_prompts(machine, recorded=recorded)
    mine = machine.write(".codex/prompts/mine.md", "made by me") if not recorded else None
    machine.done(command, "codex")
    assert not any(file.exists() for file in old)
    left = {name: file for name, file in machine.files().items() if "prompts" not in name}
    assert left == (connected if command == "connect" else before)
    assert (machine.user / ".codex" / "prompts").exists() == (mine is not None)
    machine.done("disconnect", "codex")
    assert mine is None or mine.read_text() == "made by me"


def test_a_skill_of_the_same_name_that_is_the_users_stays(machine: Machine) -> None:
    mine = machine.write(".codex/skills/pin/SKILL.md", "---\nname: pin\n---\nmine\n")
    ran = machine.done("connect", "codex")
    assert "pin/SKILL.md is not ours and stays as it is" in ran.out
    machine.done("disconnect", "codex")
    assert mine.read_text() == "---\nname: pin\n---\nmine\n"

"""The tools an agent may use unasked: shown, left away on wish, and taken out to the name."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from connect_tools import Machine

from loremap.clients.settings.site import FREE_TOOLS
from loremap.interfaces.mcp.catalogue import TOOLS

OURS = [f"mcp__loremap__{tool}" for tool in FREE_TOOLS]
SETTINGS = ".claude/settings.json"


def allowed(machine: Machine) -> Any:
    """What Claude Code need not ask for."""
    value = json.loads((machine.user / SETTINGS).read_text())
    return value.get("permissions", {}).get("allow")


def test_they_are_tools_of_ours_that_destroy_nothing() -> None:
    by_name = {tool.name: tool for tool in TOOLS}
    assert set(FREE_TOOLS) <= set(by_name)
    assert not any(by_name[name].destroys for name in FREE_TOOLS)
    assert {name for name in by_name if by_name[name].reads_only} <= set(FREE_TOOLS)


def test_the_change_says_what_is_allowed(machine: Machine) -> None:
    ran = machine.lore("connect", "claude", "--dry-run")
    assert all(f'"{name}"' in ran.out for name in OURS)
    without = machine.lore("connect", "claude", "--no-allow", "--dry-run").out
    assert not any(f'"{name}"' in without for name in OURS)


@pytest.mark.parametrize("project", [(), ("--project",)])
def test_what_the_user_allowed_before_and_after_stays(
    machine: Machine, project: tuple[str, ...]
) -> None:
    name = "work/shop/.claude/settings.local.json" if project else SETTINGS
    mine = ["Bash(ls:*)", "mcp__loremap__recall"]
    before = '{"permissions": {"allow": ["Bash(ls:*)", "mcp__loremap__recall"], "deny": []}}\n'
    file = machine.write(name, before)
    machine.done("connect", "claude", *project)
    now = json.loads(file.read_text())
    assert now["permissions"]["allow"] == [*mine, *(one for one in OURS if one not in mine)]
    now["permissions"]["allow"].append("WebSearch")
    file.write_text(json.dumps(now))
    machine.done("connect", "claude", *project)
    machine.done("disconnect", "claude", *project)
    left = {"permissions": {"allow": [*mine, "WebSearch"], "deny": []}}
    assert json.loads(file.read_text()) == left


def test_what_the_user_allowed_is_there_to_the_byte(machine: Machine) -> None:
    file = machine.write(SETTINGS, '{"permissions":{"allow":["mcp__loremap__recall"]}}')
    before = file.read_bytes()
    machine.done("connect", "claude")
    machine.done("connect", "claude")
    machine.done("disconnect", "claude")
    assert file.read_bytes() == before


def test_without_a_record_ours_go_all_the_same(machine: Machine) -> None:
    file = machine.write(SETTINGS, '{"permissions": {"allow": ["Bash(ls:*)"]}}\n')
    machine.done("connect", "claude")
    (machine.home / "connected.json").unlink()
    machine.done("disconnect", "claude")
    assert json.loads(file.read_text()) == {"permissions": {"allow": ["Bash(ls:*)"]}}


def test_they_are_left_away_and_taken_back(machine: Machine) -> None:
    machine.done("connect", "claude", "--no-allow")
    assert allowed(machine) is None
    machine.done("connect", "claude")
    assert allowed(machine) == OURS
    machine.done("connect", "claude", "--no-allow")
    assert allowed(machine) is None
    machine.done("disconnect", "claude")
    assert machine.ours() == []


def test_a_few_that_the_user_chose_are_not_taken_back(machine: Machine) -> None:
    machine.write(SETTINGS, json.dumps({"permissions": {"allow": OURS[:1]}}))
    machine.done("connect", "claude", "--no-allow")
    assert allowed(machine) == OURS[:1]


@pytest.mark.parametrize("permissions", ["[]", '{"allow": {}}'])
def test_permissions_of_another_shape_are_refused(machine: Machine, permissions: str) -> None:
    file = machine.write(SETTINGS, f'{{"permissions": {permissions}}}')
    ran = machine.lore("connect", "claude", "--yes")
    assert ran.code == 2
    assert "permissions" in ran.err
    assert file.read_text() == f'{{"permissions": {permissions}}}'


def test_gemini_has_a_policy_for_these_tools_and_no_others(machine: Machine) -> None:
    policy = Path(machine.user, ".gemini", "policies", "loremap.toml")
    machine.done("connect", "gemini")
    [rule] = tomllib.loads(policy.read_text())["rule"]
    assert (rule["mcpName"], rule["decision"]) == ("loremap", "allow")
    assert rule["toolName"] == list(FREE_TOOLS)
    machine.done("connect", "gemini", "--no-allow")
    assert not policy.parent.exists()
    machine.done("disconnect", "gemini")
    assert machine.ours() == []

"""The trust of Codex is written beside what is there, and taken out with the rest."""

from __future__ import annotations

import tomllib

import pytest
from connect_tools import CODEX, Machine

from loremap.clients.connect import apply, plan, plan_removal, plan_trust
from loremap.clients.registry import CLIENTS
from loremap.clients.settings.tables import Malformed, with_table, without_table
from loremap.clients.settings.trust import Hook

OURS = {"command": "/x y/lore-agent", "args": ["mcp", "codex"]}
PATH = ("mcp_servers", "loremap")


@pytest.mark.parametrize(
    "text",
    [
        "",
        CODEX,
        CODEX.replace("\n", "\r\n"),
        "a = 1\n[mcp_servers.zzz]\ncommand = 'y'\n",
        "[[x]]\na = 1\n[[x]]\na = 2\n",
        'a = """\n[mcp_servers.loremap]\n"""\n',
    ],
)
def test_a_table_goes_in_and_out_to_the_byte(text: str) -> None:
    made = with_table(text, PATH, OURS)
    assert tomllib.loads(made)["mcp_servers"]["loremap"] == OURS
    assert with_table(made, PATH, OURS) == made
    assert without_table(made, PATH) == text


@pytest.mark.parametrize(
    "text",
    [
        "mcp_servers = { other = { command = 'x' } }  # mine\n",
        "mcp_servers.other.command = 'x'  # mine\nb = 1\n",
        "# mine\n[mcp_servers]\nother = { command = 'x' }\n",
        "# mine\n[mcp_servers.other]\ncommand = 'x'",
    ],
)
def test_any_form_of_a_table_keeps_its_comments_and_values(text: str) -> None:
    made = with_table(text, PATH, OURS)
    assert tomllib.loads(made)["mcp_servers"]["loremap"] == OURS
    assert "# mine" in made
    left = without_table(made, PATH)
    assert tomllib.loads(left) == tomllib.loads(text)
    assert "# mine" in left


def test_another_value_of_ours_is_replaced() -> None:
    old = with_table(CODEX, PATH, {"command": "/old"})
    made = with_table(old, PATH, OURS)
    assert tomllib.loads(made)["mcp_servers"]["loremap"] == OURS
    assert without_table(made, PATH) == CODEX


def test_what_a_user_added_to_our_table_goes_with_it() -> None:
    made = with_table("", PATH, OURS) + "\nenabled = false\n\n[other]\nx = 1\n"
    assert tomllib.loads(without_table(made, PATH)) == {"other": {"x": 1}}


def test_what_is_not_toml_is_refused() -> None:
    with pytest.raises(Malformed, match="not valid TOML"):
        with_table("a = [", PATH, OURS)


def test_trust_is_written_and_taken_out_to_the_byte(machine: Machine) -> None:
    machine.settle("codex")
    before = machine.files()
    planned = plan("codex", home=machine.home)
    apply(planned)
    file = machine.user / ".codex" / "hooks.json"
    hooks = [Hook(f"{file}:stop:1:0", "sha256:1"), Hook(f"{file}:session_start:0:0", "sha256:2")]
    apply(plan_trust(planned, hooks))
    written = tomllib.loads((machine.user / ".codex" / "config.toml").read_text())
    assert written["hooks"]["state"] == {hook.key: {"trusted_hash": hook.hash} for hook in hooks}
    apply(plan_removal("codex", home=machine.home))
    assert machine.files() == before


def test_trust_goes_also_where_codex_wrote_in_between(machine: Machine) -> None:
    machine.settle("codex")
    planned = plan("codex", home=machine.home)
    apply(planned)
    file = machine.user / ".codex" / "config.toml"
    apply(plan_trust(planned, [Hook("ours:stop:1:0", "sha256:1")]))
    more = '\n[hooks.state."theirs:stop:0:0"]\ntrusted_hash = "sha256:3"\n'
    file.write_text(file.read_text() + more)
    apply(plan_removal("codex", home=machine.home))
    assert file.read_text() == CODEX + more


def test_trust_in_the_hooks_of_a_project_stays_until_it_is_disconnected(machine: Machine) -> None:
    machine.settle("codex")
    before = machine.files()
    planned = plan("codex", home=machine.home, project=machine.project)
    apply(planned)
    apply(plan_trust(planned, [Hook(f"{machine.project}/.codex/hooks.json:stop:0:0", "sha256:1")]))
    assert plan("codex", home=machine.home, project=machine.project).changes == ()
    apply(plan_removal("codex", home=machine.home, project=machine.project))
    assert machine.files() == before


def test_a_file_of_ours_that_codex_wrote_to_is_left_to_it(machine: Machine) -> None:
    apply(plan("codex", home=machine.home))
    file = machine.user / ".codex" / "config.toml"
    more = '[projects."/a"]\ntrust_level = "trusted"\n'
    file.write_text(f"{file.read_text()}\n{more}")
    apply(plan_removal("codex", home=machine.home))
    assert file.read_text() == more


def test_without_codex_nothing_is_known_of_its_trust(machine: Machine) -> None:
    planned = plan("codex", home=machine.home)
    apply(planned)
    trust = CLIENTS["codex"].settings.trust
    assert trust is not None
    assert trust.untrusted(planned.site) is None

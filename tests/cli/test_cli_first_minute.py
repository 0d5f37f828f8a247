"""The first minute: help in sections, the kinds people need, `init` that leads to an agent."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest
from cli_tools import LORE, Cli, Terminal, in_own_process, repository_in

from loremap.interfaces.cli.app import SECTIONS, lore
from loremap.model.kind import OFFERED, Kind


def test_help_begins_with_what_most_people_need(cli: Cli) -> None:
    shown = cli("--help").out
    titles = re.findall(r"^(\w[\w ]*):$", shown, re.MULTILINE)
    assert titles == ["Options", *SECTIONS]
    first = shown.partition("Every day:\n")[2].partition("\n\n")[0]
    assert [line.split()[0] for line in first.splitlines()] == SECTIONS["Every day"].split()
    assert len(first.splitlines()) == 10


def test_every_command_stands_in_one_section() -> None:
    shown = [name for names in SECTIONS.values() for name in names.split()]
    visible = [name for name, command in lore.commands.items() if not command.hidden]
    assert sorted(shown) == sorted(visible)


def test_people_are_offered_eight_kinds_and_may_use_all(cli: Cli, shop: Path) -> None:
    assert len(OFFERED) == 8
    shown = " ".join(cli("remember", "--help").out.split())
    assert all(kind.value in shown for kind in OFFERED)
    assert "task_outcome" not in shown
    assert cli.remember("It went well", "-k", "task_outcome")["kind"] == "task_outcome"
    refused = cli("list", "nonsense").err
    assert "dead_end; `lore kinds` lists all." in refused
    assert "pr_finding" not in refused
    listed = cli("kinds").out
    assert [line.split()[0] for line in listed.splitlines()[:8]] == [each.value for each in OFFERED]
    assert {each["kind"] for each in cli.data("kinds")["kinds"]} == {each.value for each in Kind}
    env = {"_LORE_COMPLETE": "bash_complete", "COMP_WORDS": "lore list ", "COMP_CWORD": "2"}
    completed = in_own_process(folder=shop, env=env).out.split()
    assert [each.partition(",")[2] for each in completed] == [each.value for each in OFFERED]


def test_init_takes_a_folder(cli: Cli, tmp_path: Path) -> None:
    other = repository_in(tmp_path / "other")
    assert cli.data("init", "--no-scan", str(other))["project"]["name"] == "other"
    assert cli("init", str(tmp_path / "nowhere")).code == 2


@pytest.fixture
def agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The settings of a Claude Code that was found on this machine, and of no other agent."""
    user = tmp_path / "user"
    settings = user / ".claude" / "settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text("{}\n")
    monkeypatch.setenv("HOME", str(user))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", os.pathsep.join(["/usr/bin", "/bin"]))
    return settings


@pytest.mark.parametrize(("key", "connected"), [("y", True), ("\r", True), ("n", False)])
def test_init_at_a_terminal_ends_by_offering_the_agents_it_found(
    words_only: None, shop: Path, agent: Path, key: str, connected: bool
) -> None:
    with Terminal(*LORE, "init", "--no-scan", "--guard", "none", folder=shop) as person:
        person.until("Connect Claude Code now?")
        person.until("n not now")
        person.press(key)
        shown = person.until("By hand:")
        assert person.end() == 0
    assert ("is connected" in shown) == connected
    assert ("lore connect --all" in shown) != connected
    assert ("lore-agent" in agent.read_text()) == connected


def test_init_without_a_terminal_says_the_command(cli: Cli, agent: Path) -> None:
    assert "Next: lore connect --all" in cli("init", "--no-scan").out
    assert agent.read_text() == "{}\n"


def test_connecting_says_which_files_change_and_the_lines_on_request(cli: Cli, agent: Path) -> None:
    short = cli("connect", "claude", "--yes").out
    assert f"changes  {agent}  (+" in short
    assert "makes    " in short
    assert "--diff shows every line." in short
    assert "+++" not in short
    cli("disconnect", "claude", "--yes")
    assert f"+++ {agent}" in cli("connect", "claude", "--yes", "--diff").out


@pytest.mark.parametrize("missing", ["onnxruntime", "tokenizers"])
def test_where_a_wheel_is_missing_words_answer_alone_and_status_says_so(
    shop: Path, missing: str
) -> None:
    script = (
        f"import sys; sys.modules[{missing!r}] = None\n"
        "from loremap.interfaces.cli import main; main(sys.argv[1:])\n"
    )

    def run(*arguments: str) -> tuple[int, str, str]:
        ran = subprocess.run(
            [sys.executable, "-c", script, *arguments],
            cwd=shop,
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )
        return ran.returncode, ran.stdout, ran.stderr

    code, out, err = run("remember", "Refresh tokens are kept in Redis")
    assert (code, err, out.startswith("Remembered")) == (0, "", True)
    code, out, err = run("recall", "--no-gate", "refresh tokens")
    assert (code, err) == (0, "")
    assert "Refresh tokens are kept in Redis" in out
    assert f"Words only: {missing} cannot be loaded" in out
    code, out, err = run("status")
    assert (code, err) == (0, "")
    assert f"words answer alone: {missing} cannot be loaded" in out
    assert json.loads(run("status", "--json")[1])["model"]["ready"] is False


def test_a_section_names_no_command_that_is_not_there() -> None:
    assert all(isinstance(lore.commands[name], click.Command)
               for names in SECTIONS.values() for name in names.split())  # fmt: skip

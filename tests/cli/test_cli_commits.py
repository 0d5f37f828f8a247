"""`init` and `learn --git` in a repository whose commits say why."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from cli_tools import Cli

WHY = (
    "fix: cap retries at the measured budget\n\n"
    "Never raise it above 7, because an 8th attempt trips the upstream's limiter and locks out "
    "every other client of ours."
)


@pytest.fixture
def decided(shop: Path) -> Path:
    """The project, with a commit that says why."""
    (shop / "retry.py").write_text("MAX_ATTEMPTS = 7\n")
    subprocess.run(["git", "add", "-A"], cwd=shop, check=True)
    who = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *who, "commit", "-qm", WHY], cwd=shop, check=True)
    return shop


def test_init_says_what_commits_taught(cli: Cli, decided: Path) -> None:
    said = cli("init").out
    assert "1 thing to know in their messages." in said
    assert "lore inbox" in said
    assert "in their messages" not in cli("init").out
    (one,) = cli.data("inbox")["waiting"]
    assert one["created_by"] == "rule:git"
    assert one["content"].startswith("fix: cap retries at the measured budget. Never raise it")


def test_init_tells_programs_too(cli: Cli, decided: Path) -> None:
    found = cli.data("init")["commits"]
    assert (len(found["learned"]), found["held_back"], found["done"]) == (1, 0, True)
    assert cli.data("init")["commits"] is None


def test_a_dry_run_shows_and_keeps_nothing(cli: Cli, decided: Path) -> None:
    cli("init", "--no-scan")
    assert "Nothing was kept." in cli("learn", "--git", "--dry-run").out
    (one,) = cli.data("learn", "--git", "--dry-run")["findings"]
    assert (one["kind"], one["files"], one["memory"]) == ("gotcha", ["retry.py"], None)
    assert cli.data("inbox")["waiting"] == []
    assert cli.data("learn", "--git")["findings"][0]["memory"]
    assert cli.data("learn", "--git")["findings"] == []
    assert cli.data("learn", "--git", "--since", "2020-01-01")["findings"]


def test_it_can_be_switched_off(cli: Cli, decided: Path) -> None:
    cli("config", "set", "learn.git", "false")
    assert cli.data("init")["commits"] is None


@pytest.mark.parametrize("line", [("--git", "some-session"), ("--since", "2026-01-01")])
def test_what_does_not_go_together_is_refused(
    cli: Cli, decided: Path, line: tuple[str, ...]
) -> None:
    assert cli("learn", *line).code

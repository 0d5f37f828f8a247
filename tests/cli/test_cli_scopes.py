"""Who sees what: scopes, repositories, branches, sessions, and what was not confirmed."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_tools import Cli, git, repository_in


@pytest.fixture
def other(cli: Cli, tmp_path: Path) -> Cli:
    """`lore` in another project of the same user."""
    return Cli(repository_in(tmp_path / "blog"))


def test_what_is_global_is_seen_in_every_project(cli: Cli, other: Cli, tmp_path: Path) -> None:
    nowhere = tmp_path / "plain"
    nowhere.mkdir()
    cli.remember("I prefer small commits", "--global")
    for lore in (cli, other, Cli(nowhere)):
        assert lore.recalled("small commits") == ["I prefer small commits"]
        assert lore.listed() == ["I prefer small commits"]


def test_what_is_of_a_project_is_seen_in_no_other(cli: Cli, other: Cli) -> None:
    cli.remember("Orders are kept for ten years")
    assert cli.recalled("how long are orders kept") == ["Orders are kept for ten years"]
    assert other.recalled("how long are orders kept") == []
    assert other.found("orders", "--all") == []
    assert other.listed() == []
    assert other.listed("--everywhere") == ["Orders are kept for ten years"]
    assert other("forget", "orders").code == 2


def test_a_project_is_one_in_all_its_folders_and_worktrees(
    cli: Cli, shop: Path, tmp_path: Path
) -> None:
    cli.remember("Orders are kept for ten years")
    (shop / "src" / "deep").mkdir(parents=True)
    git(shop, "worktree", "add", "-q", "-b", "feature", str(tmp_path / "feature"))
    for folder in (shop / "src" / "deep", tmp_path / "feature"):
        assert Cli(folder).recalled("orders kept") == ["Orders are kept for ten years"]
    Cli(tmp_path / "feature").remember("Refunds take five days")
    assert "Refunds take five days" in cli.listed()


def test_a_project_is_one_in_all_its_clones(cli: Cli, shop: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--bare", str(shop), "origin.git")
    for name in ("one", "two"):
        git(tmp_path, "clone", "-q", f"file://{tmp_path}/origin.git", name)
    Cli(tmp_path / "one").remember("Orders are kept for ten years")
    assert Cli(tmp_path / "two").recalled("orders kept") == ["Orders are kept for ten years"]


def test_what_is_of_a_session_is_seen_in_that_session_only(cli: Cli) -> None:
    cli.remember("The demo runs on port 8080", "--scope", "session", "--session", "s1")
    assert cli.recalled("demo port", "--session", "s1") == ["The demo runs on port 8080"]
    assert cli.recalled("demo port", "--session", "s2") == []
    assert cli.recalled("demo port") == []
    assert cli.found("demo port", "--session", "s2") == []


@pytest.mark.parametrize("kind", ["context", "work_state", "task_progress"])
def test_working_state_is_bound_to_its_branch(cli: Cli, shop: Path, kind: str) -> None:
    cli.remember("The parser is half rewritten", "--kind", kind)
    cli.remember("The parser is written by hand", "--kind", "decision")
    git(shop, "switch", "-q", "-c", "feature")
    assert cli.recalled("parser") == ["The parser is written by hand"]
    git(shop, "switch", "-q", "main")
    assert "The parser is half rewritten" in cli.recalled("parser")


def test_a_tainted_candidate_is_found_but_not_recalled(cli: Cli) -> None:
    text = "The API allows 100 requests per minute"
    stored = cli.remember(text, "--origin", "web", "--agent", "bot")
    assert (stored["status"], stored["tainted"]) == ("candidate", True)
    assert cli.recalled("API requests per minute") == []
    assert cli.found("API requests") == [text]
    assert "candidate, tainted" in cli("search", "API requests").out
    cli.data("confirm", stored["id"])
    assert cli.recalled("API requests per minute") == [text]


def uses(cli: Cli, id_: str) -> int:
    """How often a memory was used."""
    return int(cli.data("show", id_)["access_count"])


def test_being_recalled_is_no_use_of_anything(cli: Cli) -> None:
    said = cli.remember("The cache is warmed at start")["id"]
    learned = cli.remember("The cache is emptied at night", "--agent", "bot")["id"]
    assert len(cli.recalled("when is the cache warmed or emptied")) == 2
    assert (uses(cli, said), uses(cli, learned)) == (0, 0)
    assert len(cli.found("cache")) == 2
    cli("list")
    cli("check", "--text", "cache")
    assert (uses(cli, said), uses(cli, learned)) == (0, 0)
    cli.data("confirm", learned)
    assert uses(cli, learned) == 1


def test_what_was_replaced_is_found_only_when_asked_for(cli: Cli) -> None:
    old = cli.remember("The HTTP client times out after 30 seconds")
    new = cli.remember("The HTTP client times out after 60 seconds")
    assert (new["outcome"], [one["id"] for one in new["replaced"]]) == ("superseded", [old["id"]])
    assert cli.recalled("HTTP client times out") == [new["content"]]
    assert cli.found("HTTP client times out") == [new["content"]]
    assert set(cli.found("HTTP client times out", "--all")) == {old["content"], new["content"]}
    assert "superseded" in cli("search", "--all", "HTTP client").out
    assert cli.listed() == [new["content"]]
    assert cli.listed("--status", "superseded") == [old["content"]]


def test_what_was_withdrawn_or_forgotten_is_silent(cli: Cli) -> None:
    for text in ("The cache is warmed at start", "The cache holds 100 entries"):
        cli.remember(text)
    cli.data("forget", "warmed")
    assert cli.recalled("cache") == ["The cache holds 100 entries"]
    assert cli.found("cache") == ["The cache holds 100 entries"]
    assert cli.listed("--forgotten") == ["The cache is warmed at start"]


def test_conflicts_of_another_project_wait_there(cli: Cli, other: Cli) -> None:
    cli.remember("Retries are capped at 3", "--pin")
    assert cli.remember("Retries are capped at 7")["conflicts"] != []
    assert len(cli.data("conflicts")["conflicts"]) == 1
    assert other.data("conflicts")["conflicts"] == []
    assert other.data("status")["open_conflicts"] == 0

"""What `lore` says of memories whose code has changed or is gone."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_tools import Cli, git

CODE = """\
def refresh(token):
    return issue(token.user, ttl=30)


def drop(user):
    del held[user]
"""


@pytest.fixture
def drifted(cli: Cli, shop: Path) -> dict[str, str]:
    """Three memories: one whose code changed, one whose code is gone, one that names none."""
    (shop / "tokens.py").write_text(CODE)
    git(shop, "add", ".")
    git(shop, "commit", "-q", "-m", "Tokens")
    ids = {
        "changed": cli.remember("refresh() in tokens.py is not atomic", "--kind", "gotcha"),
        "gone": cli.remember("drop() in tokens.py must hold the lock", "--kind", "gotcha"),
        "free": cli.remember("Use spaces"),
    }
    (shop / "tokens.py").write_text("# moved\n\n" + CODE.split("\n\n\n")[0].replace("30", "60"))
    return {name: said["id"] for name, said in ids.items()}


def test_stale_lists_both_with_the_reason(cli: Cli, drifted: dict[str, str]) -> None:
    listed = {one["id"]: one for one in cli.data("list", "--stale")["memories"]}
    assert {id_: one["freshness"] for id_, one in listed.items()} == {
        drifted["changed"]: "drifted",
        drifted["gone"]: "orphaned",
    }
    assert listed[drifted["gone"]]["freshness_why"] == "tokens.py::drop is gone here"
    shown = cli("list", "--stale").out
    assert "[drifted] refresh() in tokens.py" in shown
    assert "tokens.py::refresh was changed" in " ".join(shown.split())
    assert cli.listed("fact", "--stale") == []
    assert cli("list", "fact", "--stale").out.strip() == "None are so."


def test_every_reader_marks_what_is_stale(cli: Cli, drifted: dict[str, str]) -> None:
    assert "[drifted]" in cli("recall", "--no-gate", "atomic refresh").out
    assert "[orphaned]" in cli("search", "hold the lock").out
    listed = cli("list").out
    assert "[drifted]" in listed
    assert "[orphaned]" in listed
    assert cli.recalled("hold the lock") == []
    (hit,) = cli.data("search", "hold the lock")["hits"]
    assert (hit["freshness"], hit["freshness_why"]) == ("orphaned", "tokens.py::drop is gone here")
    free = {one["id"]: one["freshness"] for one in cli.data("list")["memories"]}[drifted["free"]]
    assert free is None


def test_why_tells_what_was_withheld(cli: Cli, drifted: dict[str, str]) -> None:
    trace = cli.data("recall", "--no-gate", "--why", "hold the lock")["trace"]
    told = {one["id"]: one for one in trace["verdicts"]}[drifted["gone"]]
    assert (told["kept"], told["step"]) == (False, "anchors")
    assert told["why"] == "orphaned: tokens.py::drop is gone here"


def test_show_says_where_the_anchor_is_now(cli: Cli, shop: Path, drifted: dict[str, str]) -> None:
    (anchor,) = cli.data("show", drifted["changed"])["anchors"]
    assert (anchor["path"], anchor["symbol"], anchor["kind"]) == ("tokens.py", "refresh", "symbol")
    assert (anchor["freshness"], anchor["now"], anchor["line"]) == (
        "drifted", "tokens.py::refresh", 3,
    )  # fmt: skip
    assert len(anchor["head"]) == 40
    assert anchor["dirty"] is False
    (shop / "tokens.py").rename(shop / "session.py")
    shown = " ".join(cli("show", drifted["changed"]).out.split())
    assert "tokens.py::refresh: drifted, now session.py::refresh, line 3, taken at" in shown
    (gone,) = cli.data("show", drifted["gone"])["anchors"]
    assert (gone["freshness"], gone["now"], gone["line"]) == ("orphaned", None, None)


def test_confirming_heals(cli: Cli, drifted: dict[str, str]) -> None:
    cli.data("confirm", drifted["changed"])
    assert [one["id"] for one in cli.data("list", "--stale")["memories"]] == [drifted["gone"]]


def test_check_marks_and_withholds(cli: Cli, shop: Path, drifted: dict[str, str]) -> None:
    cli.remember("tokens.py is read by the proxy", "--kind", "warning", "--file", "tokens.py")
    alerts = cli.data("check", "--file", "tokens.py")["alerts"]
    assert {one["content"]: one["freshness"] for one in alerts} == {
        "tokens.py is read by the proxy": "fresh"
    }


def test_a_memory_is_about_the_symbol_that_its_writer_gives(
    cli: Cli, shop: Path, drifted: dict[str, str]
) -> None:
    said = cli.remember("Two callers race here.", "--symbol", "refresh")
    shown = cli.data("show", said["id"])
    assert shown["files"] == ["tokens.py"]
    assert [one["symbol"] for one in shown["anchors"]] == ["refresh"]
    (shop / "tokens.py").write_text(CODE.replace("30", "90"))
    stale = {one["id"]: one["freshness"] for one in cli.data("list", "--stale")["memories"]}
    assert stale[said["id"]] == "drifted"


def test_a_symbol_that_is_not_there_or_of_which_there_are_two_is_told(
    cli: Cli, shop: Path, drifted: dict[str, str]
) -> None:
    assert "knows no symbol nowhere" in cli("remember", "x y z", "--symbol", "nowhere").err
    (shop / "other.py").write_text(CODE)
    told = cli("remember", "x y z", "--symbol", "refresh").err
    assert "2 symbols are called refresh" in told
    assert "other.py::refresh" in told
    assert cli.remember("x y z", "--symbol", "other.py::refresh")["files"] == ["other.py"]

"""What commands say of a store that is gone, damaged or locked, and of settings nobody can read."""

from __future__ import annotations

import secrets
import sqlite3
from pathlib import Path

import pytest
from cli_tools import Cli

COMMANDS = [
    ("status",),
    ("list",),
    ("recall", "anything"),
    ("remember", "Something new."),
    ("init", "--no-scan"),
    ("backup", "now"),
]


@pytest.fixture
def told(cli: Cli, home: Path) -> Cli:
    """A store with one memory and a backup of it."""
    cli.data("remember", "The build needs Node 20.")
    cli.data("backup", "now")
    return cli


@pytest.mark.parametrize("arguments", COMMANDS)
def test_every_command_says_that_the_store_is_gone(
    told: Cli, home: Path, arguments: tuple[str, ...]
) -> None:
    (home / "lore.db").unlink()
    ran = told(*arguments)
    assert ran.code == 2
    assert ran.err.count("\n") == 1
    assert "is missing now" in ran.err
    assert "`lore backup restore`" in ran.err
    assert not (home / "lore.db").exists()
    assert told("backup", "restore", "--yes").code == 0
    assert [each["content"] for each in told.data("list")["memories"]] == [
        "The build needs Node 20."
    ]


def test_the_doctor_finds_that_the_store_is_gone(told: Cli, home: Path) -> None:
    (home / "lore.db").unlink()
    ran = told("doctor", "--json")
    assert ran.code == 1
    (found,) = (one for one in ran.data["findings"] if one["area"] == "store")
    assert found["verdict"] == "broken"
    assert "lore backup restore" in found["mend"]


def test_one_who_removed_the_store_starts_anew(told: Cli, home: Path) -> None:
    (home / "lore.db").unlink()
    assert told("init", "--no-scan", "--new").code == 0
    assert told.data("list")["memories"] == []
    assert list(home.glob("lore.*.gone.backups/lore.db.bak.1"))


def test_list_and_status_mention_what_is_withheld_and_it_comes_back(told: Cli, home: Path) -> None:
    with sqlite3.connect(home / "lore.db") as db:
        db.execute("UPDATE memories SET status = 'konfirmed'")
    db.close()
    assert told.data("list")["withheld"] == 1
    assert "1 damaged row of the store withheld → lore backup restore" in told("list").out
    assert "withheld" in told("status").out
    assert told.data("backup", "restore", "--yes")["lost"] == []
    assert [each["content"] for each in told.data("list")["memories"]] == [
        "The build needs Node 20."
    ]


def test_a_store_encrypted_with_the_key_of_the_environment_opens_again(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOREMAP_KEY", secrets.token_hex(32))
    assert cli("init", "--encrypt", "--no-scan").code == 0
    cli.data("remember", "Kept under the key of the environment.")
    assert len(cli.data("list")["memories"]) == 1
    monkeypatch.delenv("LOREMAP_KEY")
    assert "LOREMAP_KEY" in cli("list").err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a = " + "[" * 100_000, "nested too deeply"),
        ("a = " + "{b=" * 50_000, "nested too deeply"),
        ("# " + "x" * 300_000, "settings take at most"),
        ("[recall]\nlimit = [1, [2, [3]]]", "takes a whole number, not a list or a table"),
    ],
)
def test_settings_that_are_huge_or_nested_are_an_error_of_one_line(
    cli: Cli, home: Path, text: str, said: str
) -> None:
    (home / "config.toml").write_text(text, "utf-8")
    for arguments in (("status",), ("config", "list"), ("config", "set", "recall.limit", "5")):
        ran = cli(*arguments)
        assert ran.code == 2
        assert ran.err.count("\n") == 1
        assert len(ran.err) < 600
        assert said in ran.err

"""Secrets never reach a file, and the user is told."""

from __future__ import annotations

import random
import string
from pathlib import Path

import pytest
from cli_tools import Cli

ALNUM = string.ascii_letters + string.digits
CHANCE = random.Random(2026)


def drawn(signs: str, length: int) -> str:
    """Signs drawn by chance."""
    return "".join(CHANCE.choices(signs, k=length))


def secret(kind: str) -> str:
    """A secret nobody has, put together here so that none is written down."""
    return {
        "github": "ghp_" + drawn(ALNUM, 36),
        "aws": "AKIA" + drawn(string.ascii_uppercase + "234567", 16),
        "slack": f"xoxb-{drawn(string.digits, 12)}-{drawn(ALNUM, 24)}",
        "password": drawn(ALNUM, 20),
    }[kind]


def files_with(text: str, home: Path) -> list[Path]:
    """The files of the data folder in which a text lies."""
    files = [file for file in home.rglob("*") if file.is_file()]
    return [file for file in files if text.encode() in file.read_bytes()]


SAID = {
    "in the text": ("github", "The CI token is {} and lives in the vault", ()),
    "in an address": ("password", "Connect with postgres://app:{}@db.internal/shop", ()),
    "in a tag": ("aws", "The deploy key belongs to ops", ("--tag", "{}")),
    "in a snippet": ("slack", "The bot posts to #builds", ("--snippet", "token: {}")),
    "in a reason": ("github", "The token was rotated", ("--reason", "seen {} in a log")),
    "in a step": ("aws", "Rotate keys monthly", ("--step", "revoke {}", "--step", "make one")),
}


@pytest.mark.parametrize("place", SAID)
def test_a_secret_is_left_out_and_the_user_told(cli: Cli, home: Path, place: str) -> None:
    kind, text, options = SAID[place]
    value = secret(kind)
    ran = cli("remember", *(option.format(value) for option in options), text.format(value))
    assert ran.code == 0, ran
    assert "Left out before storing: " in ran.out
    assert value not in ran.out + ran.err
    stored = cli.data("list")["memories"][0]
    assert value not in str(cli.data("show", stored["id"]))
    events = cli.data("log")["events"]
    assert [event["detail"] for event in events if event["action"] == "redact"] != []
    assert value not in str(events)
    assert files_with(value, home) == []


def test_what_stands_around_a_secret_is_kept(cli: Cli) -> None:
    stored = cli.remember(f"The CI token {secret('github')} expires in June")
    assert stored["content"].startswith("The CI token [REDACTED: ")
    assert stored["content"].endswith("] expires in June")
    assert stored["warnings"] != []


def test_an_edit_passes_the_same_check(cli: Cli, home: Path) -> None:
    id_ = cli.remember("The CI token is in the vault")["id"]
    value = secret("github")
    ran = cli("edit", id_, f"The CI token is {value} now")
    assert ran.code == 0
    assert "Left out before storing" in ran.out
    assert "[REDACTED: " in cli.data("show", id_)["content"]
    assert files_with(value, home) == []
    assert "redact" in cli.actions()


def test_a_tag_or_an_alias_is_no_way_in(cli: Cli, home: Path) -> None:
    id_ = cli.remember("The deploy key belongs to ops")["id"]
    value = secret("github")
    cli("tag", id_, value)
    assert cli("alias", "add", "token", value).code == 2
    assert files_with(value, home) == []
    assert value not in str(cli.data("show", id_))

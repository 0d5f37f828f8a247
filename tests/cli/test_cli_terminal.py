"""What a person at a terminal meets: single keys, questions, completion, colours, Ctrl-C."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest
from cli_tools import LORE, Cli, Terminal, in_own_process

from loremap.model.clock import short_id


def test_review_walks_through_all_that_waits_with_single_keys(cli: Cli, shop: Path) -> None:
    cli.remember("Retries are capped at 3", "--pin")
    cli.remember("Retries are capped at 7")
    ids = {
        key: cli.remember(text, "--agent", "bot")["id"]
        for key, text in (
            ("s", "Reports are printed on Fridays"),
            ("p", "The queue drops messages over 64 KB"),
            ("f", "The login page has two forms"),
            ("n", "Orders are kept in memory"),
            ("y", "The build uses ninja"),
        )
    }
    with Terminal(*LORE, "review", folder=shop) as person:
        assert "1  Retries are capped at 7" in person.until("q quit")
        person.press("?")
        person.until("q quit")
        person.press("1")
        person.until("→ the newer holds")
        for key, said in (
            ("y", "→ confirmed"),
            ("n", "→ withdrawn as wrong"),
            ("f", "→ forgotten"),
            ("p", "→ pinned"),
            ("s", "→ skipped"),
        ):
            person.until("q quit")
            person.press(key)
            person.until(said)
        person.until("1 left.")
        assert person.end() == 0
    after = {key: cli.data("show", id_) for key, id_ in ids.items()}
    assert {key: one["status"] for key, one in after.items()} == {
        "y": "confirmed",
        "n": "retracted",
        "f": "candidate",
        "p": "confirmed",
        "s": "candidate",
    }
    assert (after["p"]["pinned"], bool(after["f"]["deleted_at"])) == (True, True)
    assert "Retries are capped at 3" not in cli.listed()


@pytest.mark.parametrize(
    ("key", "said", "left"),
    [
        ("r", "→ replaced", ["The app writes to Kafka"]),
        ("k", "→ both kept", ["The app writes to Kafka", "The app writes to Postgres"]),
        ("\r", "→ both kept", ["The app writes to Kafka", "The app writes to Postgres"]),
        ("s", "→ one memory", ["The app writes to Postgres"]),
    ],
)
def test_a_person_is_asked_with_one_key_what_a_near_one_is_to_the_new(
    cli: Cli, shop: Path, key: str, said: str, left: list[str]
) -> None:
    cli.remember("The app writes to Postgres")
    with Terminal(*LORE, "remember", "The app writes to Kafka", folder=shop) as person:
        assert "The app writes to Postgres" in person.until("s same thing")
        person.press(key)
        person.until(said)
        assert person.end() == 0
    assert cli.listed() == left


def test_without_a_terminal_the_neighbours_are_printed(cli: Cli) -> None:
    old = cli.remember("The app writes to Postgres")["id"]
    told = cli("remember", "The app writes to Kafka").out
    assert "The app writes to Postgres" in told
    assert f"lore remember --replaces {short_id(old)}" in told
    replaced = cli.data("remember", "The app writes to Kafka", "--replaces", short_id(old))
    assert replaced["outcome"] == "superseded"
    assert cli.listed() == ["The app writes to Kafka"]


def test_review_edits_and_ends_when_told_to(
    cli: Cli, shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\nprintf "The build uses make" > "$1"\n')
    editor.chmod(0o755)
    monkeypatch.setenv("EDITOR", str(editor))
    monkeypatch.delenv("VISUAL", raising=False)
    cli.remember("Orders are kept in memory", "--agent", "bot")
    cli.remember("The build uses ninja", "--agent", "bot")
    with Terminal(*LORE, "review", folder=shop) as person:
        person.until("q quit")
        person.press("e")
        person.until("→ changed and confirmed")
        person.until("q quit")
        person.press("\x03")
        person.until("interrupted")
        assert person.end() == 130
    assert cli.listed("--status", "confirmed") == ["The build uses make"]


def test_an_ambiguous_keyword_is_asked_about(cli: Cli, shop: Path) -> None:
    for text in ("Redis holds the carts", "Redis runs on port 6380"):
        cli.remember(text)
    with Terminal(*LORE, "forget", "redis", folder=shop) as person:
        asked = person.until("Which one?")
        person.press(next(line.split()[0] for line in asked.splitlines() if "6380" in line))
        person.until("Forgotten")
        assert person.end() == 0
    assert cli.listed() == ["Redis holds the carts"]


KEYCHAIN = """
import json, pathlib
from keyring.backend import KeyringBackend

FILE = pathlib.Path(__file__).with_name("kept.json")

class Keyring(KeyringBackend):
    priority = 1

    def get_password(self, service, name):
        return json.loads(FILE.read_text()).get(service + name) if FILE.exists() else None

    def set_password(self, service, name, value):
        FILE.write_text(json.dumps({service + name: value}))
"""
"""A keychain that keeps what it is given in a file beside it."""


def test_init_offers_encryption_where_there_is_a_keychain(
    shop: Path, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "chain").mkdir()
    (tmp_path / "chain" / "filed_keychain.py").write_text(KEYCHAIN)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "chain"))
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "filed_keychain.Keyring")
    monkeypatch.setenv("HOME", str(tmp_path))  # where no agent is found to be connected
    monkeypatch.setenv("PATH", os.defpath)
    with Terminal(*LORE, "init", folder=shop) as person:
        person.until("Encrypt the store?")
        person.type("\n")
        person.until("its key is kept in keychain")
        person.until("Guard them: [a]ll, [c]hoose, [n]one?")
        person.press("n")
        assert person.end() == 0
    assert not (home / "lore.db").read_bytes().startswith(b"SQLite format 3")
    assert not (tmp_path / "keys").exists()
    ran = in_own_process("status", "--json", folder=shop)
    assert (ran.code, ran.data["encrypted"]) == (0, True)


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash to complete in")
def test_bash_completes_commands_options_and_kinds(shop: Path, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    command = tmp_path / "bin" / "lore"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m loremap "$@"\n')
    command.chmod(0o755)
    with Terminal("bash", "--norc", "--noprofile", "-i", folder=shop) as person:
        person.type(f"PS1='ready> '; PATH='{command.parent}:{os.environ['PATH']}'\n")
        person.until("\nready> ")
        person.type('eval "$(lore completion bash)"; echo loa""ded\n')
        person.until("\nloaded")
        person.type("lore rem\t")
        person.until("lore remember ")
        person.type("--ki\t")
        person.until("--kind ")
        person.type("gotc\t")
        person.until("gotcha ")


def test_undo_and_erasing_ask_and_take_no_for_an_answer(cli: Cli, shop: Path) -> None:
    id_ = cli.remember("The build uses ninja")["id"]
    for arguments, question in (
        (("undo",), f'remembered {short_id(id_)} "The build uses ninja"'),
        (("forget", id_, "--now"), "Erase permanently: 'The build uses ninja'?"),
    ):
        with Terminal(*LORE, *arguments, folder=shop) as person:
            assert question in person.until("[y/N]")
            person.type("n\n")
            person.until("Nothing was changed.")
            assert person.end() == 0
    assert cli.listed() == ["The build uses ninja"]
    with Terminal(*LORE, "undo", folder=shop) as person:
        person.until("[y/N]")
        person.type("y\n")
        person.until("Undone")
        assert person.end() == 0
    assert cli.listed() == []

"""What is done to a file has no meaning where a server holds the store: each command says so."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_tools import Cli

import loremap
from loremap.app.doctor import Verdict, judged_store
from loremap.interfaces.cli.doctor_facts import store_facts


@pytest.fixture
def on_server(cli: Cli, postgres: str, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """`lore` where the store is on a server."""
    monkeypatch.setenv("LOREMAP_DATABASE", postgres)
    return cli


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["key", "encrypt"], "has no key of its own"),
        (["key", "reset", "--yes"], "has no key of its own"),
        (["init", "--no-scan", "--encrypt"], "has no key of its own"),
        (["init", "--no-scan", "--new"], "not started anew"),
        (["backup", "list"], "makes and restores its backups"),
        (["backup", "now"], "makes and restores its backups"),
        (["backup", "restore", "--yes"], "makes and restores its backups"),
        (["backup", "restore", "1", "--yes"], "makes and restores its backups"),
    ],
)
def test_what_a_server_sees_to_is_refused(
    on_server: Cli, home: Path, arguments: list[str], says: str
) -> None:
    on_server.remember("The build needs Node 20.")
    refused = on_server(*arguments)
    assert refused.code == 2
    assert says in refused.err
    assert len(refused.err.strip().splitlines()) == 1
    assert not (home / "lore.db").exists()


def test_key_and_status_tell_whose_the_disks_are(on_server: Cli) -> None:
    assert on_server("init", "--no-scan").code == 0
    assert "has no key of its own" in on_server("key", "status").out
    told = on_server("status").out
    assert "on a server that sees to encryption and backups" in told
    assert "backup)" not in told
    assert on_server.data("status")["backups"] is None


def test_erasing_says_what_the_server_may_keep(on_server: Cli) -> None:
    id_ = on_server.remember("The build needs Node 20.")["id"]
    said = on_server("forget", id_, "--now", "--yes").out
    assert "Erased: row, index, vector and history." in said
    assert "vacuum" in said


def test_the_doctor_leaves_the_disks_to_the_server(on_server: Cli) -> None:
    with loremap.open(on_server.folder) as lore:
        lore.remember("The build needs Node 20.")
        (found,) = judged_store(store_facts(lore), now=lore.now())
    assert found.verdict is Verdict.WELL
    assert "1 memories" in found.says
    assert "its disks, encryption and backups are the server's" in found.says

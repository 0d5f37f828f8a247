"""`lore sidecar`: what is chosen, what it used, whether it answers; and what doctor says of it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli_tools import Cli

from fake_sidecar import TOKENS_IN, TOKENS_OUT, FakeSidecar, Reply, raw, running, said, status
from loremap import app
from loremap.config.folders import key_folder
from loremap.memory.sidecar import About
from loremap.sidecar.tasks.verify import verifying


@pytest.fixture
def server() -> Iterator[FakeSidecar]:
    with running() as started:
        started.usual = said({"relevant": [1]})
        yield started


@pytest.fixture
def chosen(cli: Cli, server: FakeSidecar) -> Cli:
    """A sidecar as a person chooses one."""
    for name, value in (("kind", "openai"), ("url", server.url), ("model", "tiny")):
        cli.data("config", "set", f"sidecar.{name}", value)
    return cli


def test_off_is_said(cli: Cli) -> None:
    assert "No sidecar" in cli("sidecar").out
    assert cli.data("sidecar")["kind"] == "off"
    assert cli("sidecar", "test").code == 2


def test_a_test_asks_it_and_is_counted(chosen: Cli, server: FakeSidecar) -> None:
    told = chosen.data("sidecar", "test")
    assert (told["right"], told["model"], told["where"]) == (True, "tiny", server.url)
    state = chosen.data("sidecar")
    assert (state["calls"], state["tokens"]) == (1, TOKENS_IN + TOKENS_OUT)
    assert f"1 of 200 requests, {TOKENS_IN + TOKENS_OUT} of 500,000 tokens" in chosen("sidecar").out


def test_one_that_answers_wrongly_is_said(chosen: Cli, server: FakeSidecar) -> None:
    server.usual = said({"relevant": [2]})
    ran = chosen("sidecar", "test")
    assert ran.code == 2
    assert "wrongly" in ran.err


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        (raw(b"<html><body>Sign in</body></html>"), "did not answer in JSON"),
        (raw(b"[1, 2]"), "has not the form of its protocol"),
        (raw(b'{"choices": null}'), "has not the form of its protocol"),
        (said("I would rather chat."), "holds no JSON object"),
        (said({"relevant": "all"}), "holds no list 'relevant'"),
    ],
)
def test_what_is_wrong_with_an_answer_is_said_in_one_line(
    chosen: Cli, server: FakeSidecar, reply: Reply, says: str
) -> None:
    server.usual = reply
    ran = chosen("sidecar", "test")
    assert (ran.code, ran.out) == (2, "")
    assert says in " ".join(ran.err.split())
    assert "Traceback" not in ran.err
    assert len(ran.err.splitlines()) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="the program is a script")
def test_what_is_wrong_with_what_an_agent_prints_is_said_in_one_line(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "claude").write_text("#!/bin/sh\necho '[1]'\n")
    (programs / "claude").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    for name, value in (("kind", "agent"), ("agent", "claude"), ("may_leave", "true")):
        cli.data("config", "set", f"sidecar.{name}", value)
    ran = cli("sidecar", "test")
    assert (ran.code, ran.out) == (2, "")
    assert "said something that is no answer" in " ".join(ran.err.split())
    assert len(ran.err.splitlines()) == 1


@pytest.mark.parametrize(("incognito", "asked"), [("1", 0), ("0", 1)])
def test_what_is_asked_incognito_is_told_to_no_model(
    chosen: Cli, server: FakeSidecar, monkeypatch: pytest.MonkeyPatch, incognito: str, asked: int
) -> None:
    chosen("remember", "Builds need Java 21")
    monkeypatch.setenv("LOREMAP_INCOGNITO", incognito)
    ran = chosen("recall", "--recipe", "cascade", "which Java do builds need?")
    assert "Java 21" in ran.out
    assert len(server.seen) == asked


def test_what_failed_is_told_here_and_by_doctor(chosen: Cli, server: FakeSidecar) -> None:
    server.usual = status(401, "bad key abc")
    assert chosen("sidecar", "test").code == 2
    out = chosen("sidecar").out
    assert "401" in out
    assert "bad key" not in out
    chosen("off")  # no resident is started
    found = [one for one in chosen("doctor", "--json").data["findings"] if one["area"] == "sidecar"]
    assert [(one["verdict"], one["mend"]) for one in found] == [("odd", "lore sidecar test")]
    assert "401" in found[0]["says"]


def test_what_leaves_the_machine_is_said_and_needs_a_yes(cli: Cli) -> None:
    cli.data("config", "set", "sidecar.kind", "anthropic")
    cli.data("config", "set", "sidecar.model", "small")
    ran = cli("sidecar")
    assert "sidecar.may_leave true" in ran.out
    assert "What leaves this machine" in ran.out
    assert cli.data("sidecar")["leaves_machine"] is True
    assert cli("sidecar", "test").code == 2
    cli.data("config", "set", "sidecar.may_leave", "true")
    assert cli.data("sidecar")["trouble"] == ""


def test_a_key_is_kept_shown_to_its_server_and_dropped(
    chosen: Cli, server: FakeSidecar, tmp_path: Path
) -> None:
    assert chosen("sidecar", "key", stdin=b"sk-secret\n").code == 0
    chosen.data("sidecar", "test")
    assert server.headers_seen[0]["authorization"] == "Bearer sk-secret"
    (kept,) = key_folder().glob("*.secret")
    assert kept.stat().st_mode & 0o077 == 0
    assert chosen("sidecar", "key", "--drop").code == 0
    assert not kept.exists()
    assert chosen("sidecar", "key", stdin=b"\n").code == 2


def test_what_it_cost_is_said_of_the_day_and_of_a_session(worked: Cli, server: FakeSidecar) -> None:
    for name, value in (("kind", "openai"), ("url", server.url), ("model", "tiny")):
        worked.data("config", "set", f"sidecar.{name}", value)
    assert "Small model" not in worked("session").out
    with app.open(worked.folder) as lore:
        about = About(lore.project_id, "session-one")
        lore.engine.sidecar.ask(verifying("task", [("a", "One."), ("b", "Two.")]), about)
    spent = TOKENS_IN + TOKENS_OUT
    assert f"Small model: 1 request, {spent} tokens, price not set" in worked("session").out
    assert worked.data("session")["sidecar"] == {"requests": 1, "tokens": spent, "dollars": None}
    assert "tokens, price not set" in worked("sidecar").out
    assert worked.data("sidecar")["dollars"] is None
    worked.data("config", "set", "sidecar.price_in", "3")
    assert "tokens, $0.0000" in worked("session").out  # what it took before had no price
    assert worked.data("sidecar")["dollars_per_session"] == 0.0

"""The relay: an agent's MCP session goes on whichever resident is there."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from resident_tools import Hook, Session, wait_for

from loremap.interfaces.resident import reach
from loremap.interfaces.resident.places import RunFolder, holder


@pytest.fixture
def session(hook: Hook, echo: Callable[[], int]) -> Iterator[Session]:
    """A session with a resident that says each request again."""
    echo()
    made = Session([*hook.line, "mcp", "claude"])
    yield made
    made.close()


def test_lines_go_both_ways(session: Session) -> None:
    for number in range(5):
        session.say(id=number, method="tools/list")
        assert session.heard()["id"] == number
    session.say(method="notifications/something")
    session.say(id="x", method="ping", params={"long": "y" * 1_000_000})
    assert len(session.heard()["said"]["long"]) == 1_000_000


def test_lines_that_cannot_be_read_end_nothing(session: Session) -> None:
    assert session.process.stdin is not None
    session.process.stdin.write(b'{"id":1,"params":' + b"[" * 200_000 + b"]" * 200_000 + b"}\n")
    session.say(id="long", method="ping", params={"long": "y" * (5 << 20)})
    answers = [session.heard()]
    session.say(id=2, method="ping")
    while answers[-1].get("id") != 2:
        answers.append(session.heard())
    (refused,) = [one for one in answers if one.get("id") == "long"]
    assert "too long" in refused["error"]["message"]


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_session_goes_on_with_the_next_resident(
    session: Session, echo: Callable[[], int], run: RunFolder, number: signal.Signals
) -> None:
    session.say(id=0, method="initialize", params={"protocolVersion": "2025-11-25"})
    first = session.heard()["pid"]
    session.say(method="notifications/initialized")
    session.say(id=1, method="ping")
    assert session.heard()["pid"] == first
    os.kill(first, number)
    wait_for(lambda: holder(run) is None)
    second = echo()
    session.say(id=2, method="tools/list")
    answer = session.heard()
    assert (answer["id"], answer["pid"]) == (2, second)
    session.say(id=3, method="ping")
    assert session.heard()["id"] == 3, "the second initialize was answered to nobody"
    assert session.is_silent()


def test_a_resident_that_was_ended_is_not_started_by_a_silent_session(
    session: Session, home: Path, run: RunFolder
) -> None:
    session.say(id=0, method="initialize")
    session.heard()
    assert reach.stop(home)
    with pytest.raises(AssertionError):
        wait_for(lambda: holder(run) is not None, seconds=1.0)


def test_without_a_resident_the_answer_says_so(hook: Hook, home: Path) -> None:
    home.write_text("no folder")
    session = Session([*hook.line, "mcp", "claude"])
    session.say(id=7, method="initialize")
    answer = session.heard(seconds=20)
    assert answer["id"] == 7
    assert "lore doctor" in answer["error"]["message"]
    session.close()
    home.unlink()


def test_a_resident_that_hangs_is_answered_for(session: Session, echo: Callable[[], int]) -> None:
    session.say(id=0, method="initialize")
    hung = session.heard()["pid"]
    os.kill(hung, signal.SIGSTOP)
    try:
        session.say(id=1, method="tools/list")
        answer = session.heard(seconds=25.0)
        assert (answer["id"], "lore doctor" in answer["error"]["message"]) == (1, True)
    finally:
        os.kill(hung, signal.SIGCONT)
    session.say(id=2, method="ping")
    assert session.heard()["pid"] == hung

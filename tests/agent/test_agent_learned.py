"""A person is told once what sessions taught, where their client shows it and somebody heard it."""

from __future__ import annotations

import pytest
from agent_tools import Scene

from loremap.model.hook import Beginning, Moment
from loremap.model.memory import Candidate, Origin
from loremap.model.outcome import Stored
from loremap.sessions.becoming import WRITER

RULE = "Migrations are always written by hand in this repository."


@pytest.fixture
def taught(scene: Scene) -> Scene:
    """A project in which a session has taught something."""
    with scene.workspaces.at(scene.folder) as lore:
        found = Candidate(content=RULE, origin=Origin.CONVERSATION, created_by=WRITER)
        assert isinstance(lore.admit(found), Stored)
    return scene


def told(scene: Scene, session_id: str, *, client: str = "claude") -> str:
    """What the person of a new session is told."""
    more = {"session_id": session_id, "client": client, "beginning": Beginning.STARTUP}
    return scene.happens(Moment.SESSION_START, **more).notice


def test_a_person_is_told_once(taught: Scene) -> None:
    assert RULE in told(taught, "s1")
    assert told(taught, "s2") == ""


@pytest.mark.parametrize("client", ["copilot", "cline", "cursor"])
def test_where_the_client_shows_nothing_the_next_one_tells_it(taught: Scene, client: str) -> None:
    assert told(taught, "s1", client=client) == ""
    assert RULE in told(taught, "s2")


def test_what_reached_nobody_is_told_again(taught: Scene) -> None:
    event = taught.event(Moment.SESSION_START, beginning=Beginning.STARTUP)
    assert RULE in taught.session_agent.handle(event).notice
    taught.session_agent.undelivered(event)
    assert taught.session_agent.settle()
    assert RULE in told(taught, "s2")


def test_a_beginning_that_came_too_late_told_nobody(
    taught: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("loremap.agent.session_agent.BEGINNING_S", 0.0)
    taught.set("inject.deadline_ms", 0)
    assert told(taught, "s1") == ""
    monkeypatch.undo()
    taught.set("inject.deadline_ms", 5_000)
    assert RULE in told(taught, "s2")

"""What reached nobody is said again: a hook that had to leave took nothing with it."""

from __future__ import annotations

from typing import Any

import pytest
from agent_tools import Scene

from loremap.model.hook import Beginning, Moment, Reply, ToolCall

RULE = "Prices are stored in cents, never as floats"
GOTCHA = "The nightly export skips orders without an invoice number"
ASKED = "why does the nightly export skip orders?"


@pytest.fixture
def known(scene: Scene) -> Scene:
    """A project with a map, a rule, a gotcha and a warning."""
    scene.scan()
    scene.remember(RULE, kind="decision")
    scene.remember(GOTCHA, kind="gotcha")
    scene.warn("Never force-push to main", "push --force")
    return scene


def lost(scene: Scene, moment: Moment, **more: Any) -> Reply:
    """What was answered to a hook that had gone by then."""
    event = scene.event(moment, **more)
    reply = scene.session_agent.handle(event)
    scene.session_agent.undelivered(event)
    assert scene.session_agent.settle()
    return reply


def test_a_block_that_nobody_heard_comes_with_the_next_prompt(known: Scene) -> None:
    told = lost(known, Moment.SESSION_START, beginning=Beginning.STARTUP).context
    assert RULE in told
    assert known.injected() == []
    assert known.prompt("hello") == told
    assert known.prompt("hello again") == ""


def test_what_was_found_for_a_prompt_waits_for_the_next_one(known: Scene) -> None:
    known.start()
    given = len(known.injected())
    assert GOTCHA in lost(known, Moment.PROMPT, prompt=ASKED).context
    assert len(known.injected()) == given
    assert GOTCHA in known.prompt("and where does the nightly export skip them?")
    assert known.prompt(ASKED) == ""


def test_a_held_call_that_nobody_heard_of_is_held_again(known: Scene) -> None:
    known.start()
    tool = ToolCall(name="Bash", use_id="t1", command="git push --force")
    assert lost(known, Moment.BEFORE_TOOL, tool=tool).hold
    again = ToolCall(name="Bash", use_id="t2", command="git push --force")
    assert known.happens(Moment.BEFORE_TOOL, tool=again).hold
    assert not known.happens(Moment.BEFORE_TOOL, tool=again).hold


def test_lines_that_nobody_heard_come_with_the_result(known: Scene) -> None:
    known.set("inject.hold", False)
    known.start()
    tool = ToolCall(name="Bash", use_id="t1", command="git push --force")
    assert "force-push" in lost(known, Moment.BEFORE_TOOL, tool=tool).context
    assert "force-push" in known.after("git push --force")
    assert known.after("git push --force") == ""


def test_who_asks_for_the_block_is_given_it_each_time_and_never_with_a_prompt(
    known: Scene,
) -> None:
    told = known.start(client="opencode")
    assert RULE in told
    assert known.start(Beginning.RESUME, client="opencode") == told
    assert RULE not in known.prompt("hello", client="opencode")
    known.happens(Moment.AFTER_COMPACT, client="opencode")
    assert RULE not in known.prompt("hello", client="opencode")
    assert RULE in known.start(Beginning.COMPACT, client="opencode")


def test_a_session_that_asked_first_is_given_the_block_by_the_next_resident(known: Scene) -> None:
    known.session_agent.asked(known.folder, ASKED, session_id="s1", client="claude")
    assert known.session_agent.settle()
    known.restart()
    assert RULE in known.prompt("hello")

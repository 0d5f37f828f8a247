"""What is our own or a session's own is not told it: commands, what it stored, what it rejected."""

from __future__ import annotations

import pytest
from agent_tools import Scene

from loremap.app import injected
from loremap.clients.settings.slash import MAIN, MEMORY, asked
from loremap.memory.brief.ours import is_our_command
from loremap.model.hook import Beginning, FileUse, Moment, Operation, ToolCall

TOKENS = "Tokens.refresh does not ask Redis whether the session still lives"
ASKED = "does the token refresh ask Redis?"


@pytest.mark.parametrize("slash", [*MAIN, MEMORY], ids=lambda one: one.name)
def test_a_command_of_ours_is_no_task(scene: Scene, slash: object) -> None:
    scene.remember(TOKENS, kind="gotcha")
    scene.start()
    assert scene.prompt(asked(slash, typed=ASKED)) == ""  # type: ignore[arg-type]
    assert scene.prompt(f"/{slash.name} {ASKED}") == ""  # type: ignore[attr-defined]
    assert TOKENS in scene.prompt(ASKED)


@pytest.mark.parametrize(
    ("prompt", "ours"),
    [
        ("/remember use pnpm", True),
        ("  /memory search tokens", True),
        ("/loremap:remember use pnpm", True),
        ("$remember use pnpm", True),
        ('The user explicitly invoked the "/memory-status" skill.', True),
        ("/review the tokens", False),
        ("remember to run the tests", False),
        ("the path is /memory/tokens.py", False),
        ("I typed /remember. It did nothing.", False),
    ],
)
def test_how_our_commands_begin(prompt: str, ours: bool) -> None:
    assert is_our_command(prompt) is ours


def test_what_a_session_has_stored_itself_it_need_not_be_told(scene: Scene) -> None:
    scene.start()
    scene.start(session_id="s2")
    stored = scene.remember(TOKENS, kind="gotcha")
    scene.session_agent.stored("s1", [stored.id])
    assert scene.prompt(ASKED) == ""
    assert TOKENS in scene.prompt(ASKED, session_id="s2")


def test_what_hooks_call_incognito_is_known_to_tools(scene: Scene) -> None:
    scene.start(incognito=True)
    scene.start(session_id="s2")
    assert scene.session_agent.is_incognito("s1")
    assert not scene.session_agent.is_incognito("s2")
    assert not scene.session_agent.is_incognito("nobody")


def test_what_a_person_rejected_does_not_stand_in_the_next_block(scene: Scene) -> None:
    kept = scene.remember("Every module has a one-line docstring", kind="convention")
    scene.remember("Prices are in cents", kind="convention")
    assert kept.content in scene.start()
    with scene.workspaces.at(scene.folder) as lore:
        given = injected.chosen(injected.last(lore, most=20), kept.id)
        injected.reject(lore, given)
    again = scene.start(Beginning.COMPACT)
    assert kept.content not in again
    assert "Prices are in cents" in again


def test_the_next_session_says_what_memory_was_worth(scene: Scene) -> None:
    scene.scan()
    scene.remember(TOKENS, kind="gotcha", files=["src/auth/tokens.py"])
    scene.start()
    assert "src/auth/tokens.py" in scene.prompt(ASKED)
    use = FileUse(path="src/auth/tokens.py", operation=Operation.READ)
    tool = ToolCall(name="Read", use_id="r1", files=(use,), success=True)
    from loremap.agent.intake.intake import EventIntake

    intake = EventIntake(scene.workspaces, scene.session_agent)
    intake.receive(scene.event(Moment.AFTER_TOOL, tool=tool))
    intake.close()
    reply = scene.happens(Moment.SESSION_START, session_id="s2", beginning=Beginning.STARTUP)
    assert reply.notice.startswith("Loremap: memory saved about 400 tokens in the last session")
    resumed = scene.happens(Moment.SESSION_START, session_id="s2", beginning=Beginning.RESUME)
    assert resumed.notice == ""
    third = scene.happens(Moment.SESSION_START, session_id="s3", beginning=Beginning.STARTUP)
    assert third.notice == ""

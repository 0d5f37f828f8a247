"""Without a resident: what a person confirmed is held, a session begins briefed, and what was
forgotten is told by nobody."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from agent_tools import Scene

from loremap.agent.switches import switch_project
from loremap.interfaces.hooks import standin
from loremap.memory.admission.amend import Edit
from loremap.model.hook import Beginning, Moment, ToolCall
from loremap.model.memory import Trigger
from loremap.model.session import Tier
from loremap.model.standby import FILE

LESSON = "Never force-push to main; it lost a week of work in May."
FORCED = "git push origin main -f"
RULE = "Prices are kept in cents, never as floats."
Told = Callable[..., str]


@pytest.fixture
def alone(home: Path, scene: Scene, monkeypatch: pytest.MonkeyPatch) -> Told:
    """Answers events as a hook does that finds no resident."""
    scene.clock.at = datetime.now(UTC)  # the clock that a hook has
    monkeypatch.chdir(home.parent)  # a hook goes where it pleases: its process ends

    def told(name: str, *, client: str = "claude", **fields: Any) -> str:
        event = {"session_id": "s1", "cwd": str(scene.folder), "hook_event_name": name, **fields}
        header = {"client": client, "name": name, "cwd": event["cwd"], "ticket": "t:1-1"}
        return standin.answer(str(home), header, json.dumps(event).encode()).decode()

    return told


@pytest.fixture
def before(alone: Told) -> Told:
    """Answers a command that is about to be run."""

    def told(command: str, **fields: Any) -> str:
        return alone("PreToolUse", tool_name="Bash", tool_input={"command": command}, **fields)

    return told


@pytest.fixture
def warned(scene: Scene) -> Scene:
    """A project with a confirmed warning."""
    scene.warn(LESSON, "git push --force")
    return scene


def guard(home: Path) -> str:
    return (home / "standby" / FILE).read_text()


# Held


def test_it_is_held_once_in_a_session(warned: Scene, before: Told) -> None:
    said = json.loads(before(FORCED))["hookSpecificOutput"]
    assert said["permissionDecision"] == "deny"
    assert LESSON in said["permissionDecisionReason"]
    assert before(FORCED) == ""
    assert LESSON in before(FORCED, session_id="s2")


def test_it_says_what_the_resident_says(warned: Scene, before: Told) -> None:
    tool = ToolCall(name="Bash", use_id="t1", command=FORCED)
    held = warned.happens(Moment.BEFORE_TOOL, tool=tool).hold
    assert json.loads(before(FORCED, session_id="s2"))["hookSpecificOutput"] == {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": held,
    }


@pytest.mark.parametrize("client", ["codex", "gemini", "copilot", "opencode"])
def test_every_client_that_can_hold_does(warned: Scene, alone: Told, client: str) -> None:
    name = {"gemini": "BeforeTool", "copilot": "preToolUse"}.get(client, "PreToolUse")
    call = {"tool_name": "shell", "tool_input": {"command": ["bash", "-lc", FORCED]}}
    if client == "copilot":
        call = {"toolName": "bash", "toolArgs": json.dumps({"command": FORCED})}
    assert LESSON in alone(name, client=client, **call)


@pytest.mark.parametrize("command", ["git push", f"echo {FORCED}", f'git commit -m "{FORCED}"'])
def test_what_is_not_meant_passes(warned: Scene, before: Told, command: str) -> None:
    assert before(command) == ""


def test_another_project_is_left_alone(warned: Scene, before: Told, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    assert before(FORCED, cwd=str(other)) == ""
    warned.warn("Force-pushing is never right.", "git push -f", scope="global")
    assert "never right" in before(FORCED, cwd=str(other))


def test_a_worktree_elsewhere_is_the_same_project(
    warned: Scene, before: Told, tmp_path: Path
) -> None:
    tree = tmp_path / "tree"
    assert os.system(f"git -C {warned.folder} worktree add -q {tree}") == 0
    assert LESSON in before(FORCED, cwd=str(tree))


def test_only_what_a_person_confirmed(scene: Scene, before: Told, home: Path) -> None:
    with scene.workspaces.at(scene.folder, agent="claude") as lore:
        trigger = Trigger("literal", "git push --force", "command")
        lore.remember(LESSON, kind="warning", triggers=[trigger])
    assert before(FORCED) == ""
    with scene.workspaces.at(scene.folder) as lore:
        lore.confirm(lore.waiting_for_review()[0].id)
    assert LESSON in before(FORCED)


def test_a_file_and_a_text_are_spoken_of(scene: Scene, alone: Told) -> None:
    scene.remember("cart.py is generated", kind="warning", files=["src/store/cart.py"])
    trigger = Trigger("literal", "eval(", "text")
    scene.remember("No eval in this engine", kind="warning", triggers=[trigger])
    path = str(scene.folder / "src/store/cart.py")
    call = {"tool_name": "Edit", "tool_input": {"file_path": path, "new_string": "eval(x)"}}
    told = json.loads(alone("PreToolUse", **call))["hookSpecificOutput"]["additionalContext"]
    assert "cart.py is generated" in told
    assert "No eval" in told
    assert alone("PreToolUse", **call) == ""


def test_the_resident_knows_what_was_held_without_it(warned: Scene, before: Told) -> None:
    assert LESSON in before(FORCED)
    tool = ToolCall(name="Bash", use_id="t1", command=FORCED)
    assert not warned.happens(Moment.BEFORE_TOOL, tool=tool).hold
    assert warned.happens(Moment.BEFORE_TOOL, tool=tool, session_id="s2").hold


def test_switches(warned: Scene, before: Told, home: Path) -> None:
    warned.set("inject.hold", False)
    warned.workspaces.engine.standby.refresh()
    assert "deny" not in (told := before(FORCED))
    assert LESSON in told
    with warned.workspaces.at(warned.folder) as lore:
        switch_project(lore, on=False)
    assert before(FORCED, session_id="s2") == ""


# Nobody else's


@pytest.mark.parametrize("wrong", ["open file", "open folder", "link", "linked folder"])
def test_what_others_could_have_written_is_not_read(
    warned: Scene, before: Told, home: Path, wrong: str
) -> None:
    folder, file = home / "standby", home / "standby" / FILE
    if wrong == "open file":
        file.chmod(0o644)
    elif wrong == "open folder":
        folder.chmod(0o755)
    elif wrong == "link":
        file.rename(home / "elsewhere")
        file.symlink_to(home / "elsewhere")
    else:
        folder.rename(home / "elsewhere")
        folder.symlink_to(home / "elsewhere")
    assert before(FORCED) == ""


def test_a_repository_cannot_plant_one(warned: Scene, alone: Told, home: Path) -> None:
    planted = warned.folder / "standby"
    planted.mkdir(mode=0o700)
    (planted / FILE).write_text(guard(home))
    (home / "standby" / FILE).unlink()
    call = {"tool_name": "Bash", "tool_input": {"command": FORCED}}
    assert alone("PreToolUse", **call, home=str(warned.folder)) == ""


def test_where_it_cannot_be_written_memories_still_can(
    warned: Scene, before: Told, home: Path
) -> None:
    (home / "standby" / FILE).unlink()
    (home / "standby").rmdir()
    (home / "standby").write_text("in the way")
    kept = warned.remember(RULE, kind="decision")
    with warned.workspaces.at(warned.folder) as lore:
        assert lore.find(kept.id).content == RULE
    assert before(FORCED) == ""
    assert "standby" in (home / "caught.jsonl").read_text()


# How a session begins


def test_a_session_begins_with_the_block_of_the_last(scene: Scene, alone: Told) -> None:
    scene.remember(RULE, kind="decision", pin=True)
    block = scene.start()
    said = json.loads(alone("SessionStart", session_id="s2", source="startup"))
    assert said["hookSpecificOutput"]["additionalContext"] == block
    assert RULE in block
    assert alone("SessionStart", session_id="s3", source="resume") == ""
    again = alone("SessionStart", session_id="s2", source="clear")
    assert RULE in again, "its context is empty again"


def test_the_resident_does_not_give_it_twice(scene: Scene, alone: Told) -> None:
    scene.remember(RULE, kind="decision", pin=True)
    scene.start()
    assert RULE in alone("SessionStart", session_id="s2", source="startup")
    assert RULE not in scene.prompt("What do prices look like?", session_id="s2")
    assert [one.tier for one in scene.injected("s2")] == [Tier.ALWAYS]
    assert RULE in scene.start(Beginning.COMPACT, session_id="s2")


def test_an_old_block_says_so(scene: Scene, alone: Told, home: Path) -> None:
    scene.remember(RULE, kind="decision", pin=True)
    scene.clock.at = scene.clock.at.replace(year=2020, month=5, day=4)
    block = scene.start()
    said = json.loads(alone("SessionStart", session_id="s2"))["hookSpecificOutput"]
    assert said["additionalContext"].splitlines()[0].endswith("this is what it knew on 4 May 2020.")
    assert said["additionalContext"].endswith(block)


def test_a_client_that_takes_nothing_at_the_start_gets_it_with_the_prompt(
    scene: Scene, alone: Told
) -> None:
    scene.remember(RULE, kind="decision", pin=True)
    scene.prompt("Hello, what is this?", client="gemini")
    assert alone("SessionStart", client="gemini", session_id="s2") == ""
    assert RULE in alone("BeforeAgent", client="gemini", session_id="s2", prompt="Hello")
    assert alone("BeforeAgent", client="gemini", session_id="s2", prompt="Go on") == ""


@pytest.mark.parametrize("how", ["softly", "at once", "retracted", "edited"])
def test_what_was_forgotten_is_gone(scene: Scene, alone: Told, home: Path, how: str) -> None:
    rule = scene.remember(RULE, kind="decision", pin=True)
    warning = scene.warn(LESSON, "git push --force")
    scene.start()
    assert LESSON in guard(home)
    assert RULE in alone("SessionStart", session_id="s2")
    with scene.workspaces.at(scene.folder) as lore:
        for id_ in (rule.id, warning.id):
            if how == "retracted":
                lore.retract(id_)
            elif how == "edited":
                lore.edit(id_, Edit(content=f"Something else holds here, by {id_}."))
            else:
                lore.forget(id_, now_and_forever=how == "at once")
    files = [file for file in (home / "standby").iterdir() if file.is_file()]
    assert files
    assert not any(text in file.read_text() for file in files for text in (LESSON, RULE))
    assert RULE not in alone("SessionStart", session_id="s3")


def test_an_incognito_session_leaves_no_block(scene: Scene, home: Path) -> None:
    scene.remember(RULE, kind="decision", pin=True)
    assert RULE in scene.start(incognito=True)
    assert not list((home / "standby").glob("block-*"))


def test_a_project_that_is_off_is_not_briefed(scene: Scene, alone: Told) -> None:
    scene.remember(RULE, kind="decision", pin=True)
    scene.start()
    with scene.workspaces.at(scene.folder) as lore:
        switch_project(lore, on=False)
    assert alone("SessionStart", session_id="s2") == ""


# Rules


@pytest.mark.parametrize(
    ("text", "literal", "stands"),
    [
        ("npm  publish", "npm publish", True),
        ("NPM publish", "npm publish", True),
        ("npm publish", "NPM publish", False),
        ("xnpm publish", "npm publish", False),
        ("npm publisher", "npm publish", False),
        ("push --force-with-lease", "--force", False),
        ("push --force", "--force", True),
        ("a eval(x)", "eval(", True),
    ],
)
def test_words_stand_uncut(text: str, literal: str, stands: bool) -> None:
    assert standin.says(text, literal) is stands


@pytest.mark.parametrize(
    ("glob", "path", "is_it"),
    [
        ("*.lock", "a/b/uv.lock", True),
        ("uv.lock", "uv.lock", True),
        ("src/*.py", "src/a.py", True),
        ("src/*.py", "src/b/a.py", False),
        ("src/**/*.py", "src/b/c/a.py", True),
        ("src/**/*.py", "src/a.py", True),
        ("src/", "src/b/a.py", True),
        ("migrations/00?.sql", "migrations/001.sql", True),
        ("migrations/00?.sql", "migrations/0011.sql", False),
        ("*" * 40 + "x", "a" * 200, False),
    ],
)
def test_globs_are_read_as_git_does(glob: str, path: str, is_it: bool) -> None:
    assert standin.fits(glob, path) is is_it

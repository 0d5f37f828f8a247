"""Before a tool: the lesson in a line, once; where a client takes none there, with the result."""

from __future__ import annotations

import pytest
from agent_tools import Scene

from loremap.model.hook import Beginning, FileUse, Moment, Operation, Reply, ToolCall
from loremap.model.memory import Trigger
from loremap.model.session import Tier
from loremap.storage import injections

LESSON = "Never force-push to main; it lost a week of work in May."
COMMAND = "git push --force origin main"


@pytest.fixture
def warned(scene: Scene) -> Scene:
    """A project with a warning, in a session that has begun; nothing is held back."""
    scene.warn(LESSON, "push --force")
    scene.set("inject.hold", False)
    scene.start()
    return scene


def test_the_lesson_in_a_line_though_the_block_said_it(warned: Scene) -> None:
    told = warned.before(COMMAND)
    lines = told.splitlines()
    assert len(lines) == 3
    assert LESSON in lines[1]
    assert warned.before("git status") == ""
    assert [one.why for one in warned.injected() if one.tier is Tier.TOOL] == [
        "its trigger fires on the command"
    ]


def test_what_a_person_rejected_is_not_said_before_a_tool_either(warned: Scene) -> None:
    assert LESSON in warned.before(COMMAND)
    with warned.workspaces.engine.store.append() as conn:
        rows = [one.id for one in warned.injected() if one.tier is Tier.TOOL]
        assert injections.reject(conn, rows, warned.clock()) == 1
    warned.start(Beginning.COMPACT)
    assert warned.before(COMMAND, use_id="t2") == ""


def test_once_in_a_stretch(warned: Scene) -> None:
    assert LESSON in warned.before(COMMAND)
    assert warned.before(COMMAND, use_id="t2") == ""
    warned.restart()
    warned.set("inject.hold", False)
    assert warned.before(COMMAND, use_id="t3") == ""
    warned.start(Beginning.COMPACT)
    assert LESSON in warned.before(COMMAND, use_id="t4")


def test_at_most_three_lines(warned: Scene) -> None:
    for number in range(5):
        warned.warn(f"Rule {number} of pushing by force: ask {number} people.", "push --force")
    told = warned.before(COMMAND)
    assert len(told.splitlines()) == 2 + 3
    assert len(warned.before(COMMAND, use_id="t2").splitlines()) == 2 + 3  # the others


def test_a_file_about_to_be_edited(scene: Scene) -> None:
    scene.remember(
        "cart.py is generated; edit cart.tmpl", kind="warning", files=["src/store/cart.py"]
    )
    scene.start()
    assert "edit cart.tmpl" in scene.editing(str(scene.folder / "src/store/cart.py"), "x = 1")
    assert scene.editing("src/store/__init__.py", "x = 1") == ""


def test_a_client_that_takes_none_before_gets_it_with_the_result(warned: Scene) -> None:
    warned.start(client="opencode", session_id="c")
    assert warned.before(COMMAND, client="opencode", session_id="c", use_id="one") == ""
    assert warned.after("ls", client="opencode", session_id="c", use_id="two") == ""
    assert LESSON in warned.after(COMMAND, client="opencode", session_id="c", use_id="one")
    assert warned.after(COMMAND, client="opencode", session_id="c", use_id="one") == ""


def test_or_with_the_next_prompt(warned: Scene) -> None:
    warned.start(client="gemini", session_id="g")
    assert warned.before(COMMAND, client="gemini", session_id="g") == ""
    assert LESSON in warned.prompt("thanks", client="gemini", session_id="g")
    assert warned.prompt("thanks again", client="gemini", session_id="g") == ""


def test_a_subagent_is_told_for_itself(warned: Scene) -> None:
    assert LESSON in warned.before(COMMAND)
    assert LESSON in warned.before(COMMAND, use_id="t2", subagent_id="a1")
    assert warned.before(COMMAND, use_id="t3", subagent_id="a1") == ""


def test_a_subagents_end_is_no_trouble(warned: Scene) -> None:
    warned.before(COMMAND, subagent_id="a1")
    assert not warned.happens(Moment.SUBAGENT_STOP, subagent_id="a1")


def hold(scene: Scene, command: str, **more: object) -> Reply:
    tool = ToolCall(name="Bash", use_id="h", command=command)
    return scene.happens(Moment.BEFORE_TOOL, tool=tool, **more)


@pytest.mark.parametrize("client", ["claude", "codex", "gemini", "copilot", "opencode"])
def test_a_command_a_person_warned_of_is_held_once(scene: Scene, client: str) -> None:
    scene.warn(LESSON, "push --force")
    scene.start(client=client)
    first = hold(scene, COMMAND, client=client)
    assert first.hold.startswith("Loremap held this once; call it again if you mean it.")
    assert LESSON in first.hold
    assert "\n" not in first.hold  # of a refusal some clients show only the first line
    assert first.context == ""
    assert not hold(scene, COMMAND, client=client).hold
    assert not hold(scene, COMMAND, client=client).context
    assert [one.tier for one in scene.injected()].count(Tier.TOOL) == 1
    scene.restart()
    assert not hold(scene, COMMAND, client=client).hold


def test_a_step_of_options_only_keeps_nothing_from_being_held(scene: Scene) -> None:
    scene.warn(LESSON, "push --force")
    scene.start()
    assert LESSON in hold(scene, f"cat > a.md <<'EOF'\n---\nEOF\n{COMMAND}").hold


def test_a_client_that_cannot_hold_is_told(scene: Scene) -> None:
    scene.warn(LESSON, "push --force")
    reply = hold(scene, COMMAND, client="cline")
    assert (reply.hold, LESSON in reply.context) == ("", True)


@pytest.mark.parametrize(
    ("kind", "agent", "held"),
    [
        ("warning", None, True),
        ("correction", None, True),
        ("gotcha", None, False),  # told, but nothing waits for it
        ("warning", "coder", False),  # nobody confirmed it
    ],
)
def test_only_a_confirmed_warning_or_correction_holds(
    scene: Scene, kind: str, agent: str | None, held: bool
) -> None:
    with scene.workspaces.at(scene.folder, agent=agent, session_id="w") as lore:
        trigger = Trigger("literal", "push --force", "command")
        lore.remember(LESSON, kind=kind, triggers=[trigger])
    reply = hold(scene, COMMAND)
    assert bool(reply.hold) is held
    assert LESSON in (reply.hold or reply.context)


def test_a_file_holds_nothing_back(scene: Scene) -> None:
    scene.remember("cart.py is generated", kind="warning", files=["src/store/cart.py"])
    tool = ToolCall(
        name="Bash",
        command="cat src/store/cart.py",
        files=(FileUse(path="src/store/cart.py", operation=Operation.EDIT),),
    )
    reply = scene.happens(Moment.BEFORE_TOOL, tool=tool)
    assert reply.hold == ""
    assert "cart.py is generated" in reply.context

"""A subagent gets what fits its task."""

from __future__ import annotations

from agent_tools import Scene

from loremap.model.hook import Moment, ToolCall

TOKENS = "Tokens.refresh does not ask Redis whether the session still lives"


def delegate(scene: Scene, task: str, kind: str = "explorer") -> None:
    tool = ToolCall(name="Task", use_id=task, task=task, input={"subagent_type": kind})
    scene.happens(Moment.BEFORE_TOOL, tool=tool)


def begin(scene: Scene, id_: str, kind: str = "explorer", **more: object) -> str:
    return scene.happens(Moment.SUBAGENT_START, subagent_id=id_, subagent_kind=kind, **more).context


def test_each_gets_what_fits_its_own_task(scene: Scene) -> None:
    scene.scan()
    scene.remember(TOKENS, kind="gotcha", files=["src/auth/tokens.py"])
    scene.start()
    delegate(scene, "write a haiku about spring rain", "poet")
    delegate(scene, "find out why the token refresh logs customers out")
    told = begin(scene, "a1")
    assert "Modules:\n- auth: " in told
    assert TOKENS in told
    assert begin(scene, "a2", "poet") == ""
    assert begin(scene, "a3") == ""  # nobody said what for


def test_what_a_subagent_was_told_the_session_was_not(scene: Scene) -> None:
    scene.remember(TOKENS, kind="gotcha")
    scene.start()
    delegate(scene, "find out why the token refresh logs customers out")
    assert TOKENS in begin(scene, "a1")
    assert TOKENS in scene.prompt("does the token refresh ask Redis?")
    moments = [one.moment for one in scene.injected()]
    assert moments == ["subagent_start", "prompt"]


def test_a_client_without_such_a_moment(scene: Scene) -> None:
    scene.remember(TOKENS, kind="gotcha")
    scene.start(client="gemini")
    delegate(scene, "find out why the token refresh logs customers out")
    assert begin(scene, "a1", client="gemini") == ""


def test_what_stands_reaches_every_subagent(scene: Scene) -> None:
    pinned = scene.remember("Never edit the files below vendor/")
    with scene.workspaces.at(scene.folder) as lore:
        lore.pin(pinned.id)
    scene.remember("Every module has a one-line docstring", kind="convention")
    scene.start()
    delegate(scene, "write a haiku about spring rain", "poet")
    for told in (begin(scene, "a1", "poet"), begin(scene, "a2")):  # of the second nobody said why
        assert "Never edit the files below vendor/" in told
        assert "Every module has a one-line docstring" in told
    assert "Never edit" not in scene.prompt("which files must not be edited below vendor?")

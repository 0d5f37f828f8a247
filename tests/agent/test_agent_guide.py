"""Which modules a task names, and when its files can be found."""

from __future__ import annotations

import pytest
from agent_tools import Scene

from loremap.agent.retriever import as_question
from loremap.agent.task_modules import modules_named, modules_traced
from loremap.model.hook import Moment
from loremap.model.module import Module, ModuleMap

AUTH = Module(name="auth", core_files=("auth/tokens.py", "auth/sessions.py"))
STORE = Module(name="store", core_files=("store/cart.py",))
DOCS = Module(name="docs", core_files=("docs/conf.py",))


@pytest.mark.parametrize(
    ("named", "located", "most", "modules"),
    [
        ([], [], 2, []),
        ([(AUTH, 3.0), (STORE, 2.0)], [], 2, [AUTH, STORE]),
        ([(AUTH, 3.0), (STORE, 2.0)], [], 1, [AUTH]),
        ([(AUTH, 3.0), (STORE, 1.0)], [], 2, [AUTH]),  # too far behind
        # The files found for the task speak for the other one.
        ([(AUTH, 3.0), (STORE, 2.0)], [("store/cart.py", 9.0)], 2, [STORE, AUTH]),
        # What only files speak for was not named.
        ([(AUTH, 3.0)], [("store/cart.py", 9.0)], 2, [AUTH]),
    ],
)
def test_modules_traced(
    named: list[tuple[Module, float]],
    located: list[tuple[str, float]],
    most: int,
    modules: list[Module],
) -> None:
    assert modules_traced(named, located, most=most) == modules


def test_a_chance_word_names_no_module() -> None:
    known = ModuleMap(project_id="p", modules=(AUTH, STORE, DOCS))
    assert [one.name for one, _ in modules_named("fix the auth tokens", known)] == ["auth"]
    assert modules_named("thanks, carry on", known) == []
    assert modules_named("fix the auth tokens", None) == []


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("  fix it  ", "fix it"),
        ("fix " + "A" * 5_000 + " now", "fix   now"),
        ("word " * 2_000, ("word " * 800).strip()),
    ],
)
def test_what_a_long_text_asks(text: str, asked: str) -> None:
    assert as_question(text) == asked


def test_the_word_counts_are_read_behind_the_prompts(scene: Scene) -> None:
    scene.scan()
    task_modules = scene.session_agent._task_modules
    with scene.workspaces.at(scene.folder) as lore:
        assert not task_modules.is_ready(lore)
    scene.start()
    with scene.workspaces.at(scene.folder) as lore:
        assert task_modules.is_ready(lore)
        found = task_modules.located(lore, "refresh of tokens")()
    assert found[0].path == "src/auth/tokens.py"
    (scene.folder / "src/auth/keys.py").write_text('"""Keys that open vaults."""\n')
    scene.scan()
    with scene.workspaces.at(scene.folder) as lore:
        assert not task_modules.is_ready(lore)
    scene.happens(Moment.STOP)
    with scene.workspaces.at(scene.folder) as lore:
        assert task_modules.is_ready(lore)
        assert task_modules.located(lore, "keys that open vaults")()[0].path == "src/auth/keys.py"

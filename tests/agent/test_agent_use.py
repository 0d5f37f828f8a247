"""What counts as use: what a session's later work refers to, once; being told something does not.
And what was voted down is told to no agent, by whatever way."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from agent_tools import Scene
from sqlalchemy import select

from loremap.agent.usage import commands_of, disowned
from loremap.memory import recalling
from loremap.memory.anchoring import told_here
from loremap.model.clock import short_id
from loremap.model.hook import FileUse, Moment, Operation, ToolCall
from loremap.model.memory import Memory
from loremap.model.signal import Sign, Voice
from loremap.storage import signals
from loremap.storage.tables import projects

TEXT = "Tokens are refreshed before a cart is totalled; run `make carts` to see it."


def told(scene: Scene, text: str = TEXT, **how: object) -> Memory:
    """A memory that a session has from its start."""
    memory = scene.remember(text, kind="convention", **how)
    assert short_id(memory.id) in scene.start() or text[:20] in scene.start()
    return memory


def uses(scene: Scene, memory: Memory) -> int:
    assert scene.session_agent.settle()
    with scene.workspaces.at(scene.folder) as lore:
        return lore.find(memory.id).uses


def done(scene: Scene, command: str = "", edited: str = "", **more: object) -> None:
    files = (FileUse(path=edited, operation=Operation.EDIT),) if edited else ()
    tool = ToolCall(name="Tool", use_id="t9", command=command or None, files=files, success=True)
    scene.happens(Moment.AFTER_TOOL, tool=tool, **more)


def works(scene: Scene, how: str) -> None:
    match how:
        case "words":
            scene.happens(Moment.STOP, said="Tokens are refreshed before the cart is totalled.")
        case "file":
            done(scene, edited=str(scene.folder / "src/store/cart.py"))
        case "command":
            done(scene, command="cd src && make carts | tail")
        case "other words":
            scene.happens(Moment.STOP, said="I renamed a variable.")
        case "other file":
            done(scene, edited=str(scene.folder / "src/auth/tokens.py"))
        case "other command":
            done(scene, command="make install")


@pytest.mark.parametrize(
    ("how", "counted"),
    [
        ("words", 1),
        ("file", 1),
        ("command", 1),
        ("other words", 0),
        ("other file", 0),
        ("other command", 0),
    ],
)
def test_work_that_refers_to_a_memory_uses_it_once(scene: Scene, how: str, counted: int) -> None:
    memory = told(scene, files=["src/store/cart.py"])
    before = memory.confidence
    works(scene, how)
    works(scene, how)
    assert uses(scene, memory) == counted
    with scene.workspaces.at(scene.folder) as lore:
        assert lore.find(memory.id).confidence == pytest.approx(before + 0.05 * counted)
        assert not lore.withheld()
        with lore.store.read() as conn:
            found = signals.of(conn, [memory.id]).get(memory.id, [])
            accesses = conn.execute(select(projects.c.total_accesses)).scalar_one()
    assert [(one.sign, one.voice, one.session_id, one.agent) for one in found] == [
        (Sign.USED, Voice.INFERRED, "s1", "claude")
    ] * counted
    assert accesses == counted


def test_being_told_or_found_is_no_use(scene: Scene) -> None:
    memory = told(scene)
    scene.prompt("How are tokens refreshed before a cart is totalled?")
    with scene.workspaces.at(scene.folder) as lore:
        for _ in range(20):
            lore.recall("tokens refreshed before the cart")
    assert uses(scene, memory) == 0
    with scene.workspaces.engine.store.read() as conn:
        assert conn.execute(select(projects.c.total_recalls)).scalar_one() >= 16


def test_who_wrote_it_in_the_session_does_not_use_it_by_saying_it_again(scene: Scene) -> None:
    scene.start()
    with scene.workspaces.at(scene.folder, session_id="s1", agent="claude") as lore:
        memory = scene._stored(lore, TEXT, {})
    scene.session_agent.stored("s1", [memory.id])
    works(scene, "words")
    assert uses(scene, memory) == 0


def test_what_the_agent_says_does_not_hold_is_voted_against_and_not_used(scene: Scene) -> None:
    memory = told(scene)
    said = f"#{short_id(memory.id)} is outdated: tokens are refreshed, then a cart is totalled"
    for _ in range(2):
        scene.happens(Moment.STOP, said=said)
    assert uses(scene, memory) == 0
    with scene.workspaces.at(scene.folder) as lore:
        assert lore.find(memory.id).unhelpful == 1


@pytest.mark.parametrize(
    ("text", "kind", "commands"),
    [
        ("Run `make lint` before a push.", "fact", [("make", "lint")]),
        ("Never run `npm install` here; `pnpm install` works.", "fact", []),
        ("Never `npm install`. Run `pnpm install`.", "fact", [("pnpm", "install")]),
        ("Run make lint.", "fact", []),
    ],
)
def test_the_commands_a_memory_names(
    scene: Scene, text: str, kind: str, commands: list[tuple[str, ...]]
) -> None:
    assert list(commands_of(scene.remember(text, kind=kind))) == commands


def test_only_what_is_named_is_disowned(scene: Scene) -> None:
    one, other = scene.remember(TEXT), scene.remember("Prices are stored in cents.")
    said = f"#{short_id(one.id)} is wrong. I followed #{short_id(other.id)}."
    assert disowned(said, [one, other]) == (one.id,)
    assert disowned("That memory is wrong.", [one, other]) == ()


# Voted down

WARNING = "Dropping the carts table loses every open order."


def vote_down(scene: Scene, memory: Memory, times: int = 3) -> Memory:
    for number in range(times):
        with scene.workspaces.at(scene.folder, session_id=f"v{number}", agent="codex") as lore:
            lore.feedback(memory.id, helpful=False, wrong=bool(number % 2))
            now = lore.feedback(memory.id, helpful=False, wrong=bool(number % 2))
    return now


def fresh(scene: Scene) -> str:
    return f"fresh {next(scene.numbers)}"


def block(scene: Scene) -> str:
    return scene.start(session_id=fresh(scene))


def line(scene: Scene) -> str:
    tool = ToolCall(name="Bash", use_id="t1", command="droptable carts")
    reply = scene.happens(Moment.BEFORE_TOOL, tool=tool, session_id=fresh(scene))
    return reply.hold + reply.context


def guard(scene: Scene) -> str:
    scene.workspaces.engine.standby.refresh()
    return "".join(one.read_text("utf-8") for one in scene.home.rglob("guard*.json"))


def prompt(scene: Scene) -> str:
    return scene.prompt("What happens when dropping the carts table?", session_id=fresh(scene))


def subagent(scene: Scene) -> str:
    return scene.happens(Moment.SUBAGENT_START, session_id=fresh(scene), subagent_kind="x").context


def recalled(scene: Scene) -> str:
    with scene.workspaces.at(scene.folder) as lore:
        hits = lore.recall("dropping the carts table", gate=False).hits
        return " ".join(hit.memory.content for hit in hits)


def brief(scene: Scene) -> str:
    with scene.workspaces.at(scene.folder) as lore:
        return lore.brief("Drop the carts table in src/store/cart.py").text


def about(scene: Scene) -> str:
    with scene.workspaces.at(scene.folder) as lore:
        return " ".join(hit.memory.content for hit in recalling.about(lore, ["src/store/cart.py"]))


def alerts(scene: Scene) -> str:
    with scene.workspaces.at(scene.folder) as lore:
        return " ".join(one.memory.content for one in lore.check(command="droptable carts"))


def here(scene: Scene) -> str:
    with scene.workspaces.at(scene.folder) as lore:
        return " ".join(hit.memory.content for hit in told_here(lore, lore.list()))


@pytest.mark.parametrize(
    "way", [block, line, guard, prompt, subagent, recalled, brief, about, alerts, here]
)
def test_what_was_voted_down_is_told_by_no_way(scene: Scene, way: Callable[[Scene], str]) -> None:
    scene.scan()
    memory = scene.warn(WARNING, "droptable", files=["src/store/cart.py"], pin=True)
    assert "loses every open order" in way(scene)
    scene.restart()
    assert not vote_down(scene, memory, times=2).voted_down
    assert "loses every open order" in way(scene)
    scene.restart()
    assert vote_down(scene, memory).voted_down
    assert "loses every open order" not in way(scene)


def test_a_kept_block_that_tells_it_goes(scene: Scene) -> None:
    memory = told(scene)
    kept = lambda: [  # noqa: E731
        json.loads(one.read_text("utf-8"))["text"] for one in scene.home.rglob("block*.json")
    ]
    assert any("totalled" in text for text in kept())
    vote_down(scene, memory)
    assert not any("totalled" in text for text in kept())


def test_a_persons_search_still_finds_it(scene: Scene, tmp_path: Path) -> None:
    from loremap.interfaces.cli.present import standing

    memory = scene.remember(TEXT)
    vote_down(scene, memory)
    with scene.workspaces.at(scene.folder) as lore:
        (hit,) = lore.search("tokens refreshed").hits
        assert "voted down" in standing(hit.memory)
        lore.confirm(memory.id)
        assert "voted down" not in standing(lore.find(memory.id))


def test_an_agent_does_not_vote_for_its_own(scene: Scene) -> None:
    with scene.workspaces.at(scene.folder, session_id="s1", agent="claude") as lore:
        memory = scene._stored(lore, TEXT, {})
    with scene.workspaces.at(scene.folder, session_id="s2", agent="claude") as lore:
        assert lore.feedback(memory.id, helpful=True).helpful == 0
        assert lore.feedback(memory.id, helpful=False).unhelpful == 1
        after = lore.feedback(memory.id, helpful=True)
        assert (after.helpful, after.unhelpful) == (0, 0)
    with scene.workspaces.at(scene.folder, session_id="s3", agent="codex") as lore:
        assert lore.feedback(memory.id, helpful=True).helpful == 1

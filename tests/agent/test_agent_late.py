"""Nobody waits: a slow model, a cold one, a verifier that fails, a queue that is full."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest
from agent_tools import Scene, shop_in

from loremap.agent import prompting
from loremap.agent.background import Later, Notes
from loremap.agent.metrics.rules import Measure
from loremap.agent.session_agent import Retrieved
from loremap.embedding.protocol import Embedder, Vectors
from loremap.embedding.slot import EmbedderSlot
from loremap.errors import ModelFailed
from loremap.memory.recall.context import Scored
from loremap.model.hook import Beginning, Moment, ToolCall
from loremap.model.memory import Trigger
from loremap.model.recall import Hit

TOKENS = "Tokens.refresh does not ask Redis whether the session still lives"
ASKED = "does the token refresh ask Redis?"
FORCED = Trigger("literal", "push --force", "command")


class Slow:
    """The real model, which answers when it is let."""

    leaves_machine = False

    def __init__(self, real: Embedder) -> None:
        self.real = real
        self.model, self.dim = real.model, real.dim
        self._let = Event()
        self.answered = Event()

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        assert self._let.wait(60)
        made = self.real.embed(texts, query=query)
        self.answered.set()
        return made

    def answer(self) -> None:
        """Answer what was asked, and what will be."""
        self._let.set()

    def think(self) -> None:
        """Leave everybody without an answer."""
        self._let.clear()


LOGIN = "Customers lose their login when the access key expires"
MEANT = "users get signed off once credentials lapse"
"""Shares no word with what it means: only the model finds it."""


@pytest.fixture
def slow(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> Iterator[Slow]:
    """A session whose model takes longer than its share of the deadline, and words far less."""
    scene.remember(TOKENS, kind="gotcha")
    scene.remember(LOGIN, kind="gotcha")
    for text in ("Prices are in cents", "The build runs on Debian", "Logs are kept for a year"):
        scene.remember(text)
    scene.start()
    slot = scene.workspaces.engine.slot
    real = slot.embedder()
    assert real is not None
    made = Slow(real)
    slot.use(made)
    monkeypatch.setattr(prompting, "MODEL_SHARE", 0.02)
    scene.set("inject.deadline_ms", 10_000)
    yield made
    made.answer()
    slot.use(real)


def asked(scene: Scene, slow: Slow, text: str) -> str:
    """What a prompt is told while the model is at work, which it ends soon after."""
    slow.think()
    told = scene.session_agent.handle(scene.event(Moment.PROMPT, prompt=text)).context
    slow.answer()
    assert scene.session_agent.settle()
    return told


def test_words_answer_where_the_model_is_slow(scene: Scene, slow: Slow) -> None:
    for _ in range(2):
        assert TOKENS in asked(scene, slow, ASKED)
        scene.start(beginning=Beginning.CLEAR)


def test_what_only_a_slow_model_finds_is_there_when_the_person_goes_on(
    scene: Scene, slow: Slow
) -> None:
    assert asked(scene, slow, MEANT) == ""
    assert LOGIN in asked(scene, slow, "go on")
    assert asked(scene, slow, "go on") == ""


def test_a_vector_that_comes_while_words_answer_is_not_forgotten(scene: Scene, slow: Slow) -> None:
    def meanwhile(_query: object, found: list[Scored]) -> list[Scored]:
        slow.answer()  # words are answering by now
        assert slow.answered.wait(10)
        time.sleep(0.05)
        return found

    (folder,) = scene.workspaces._folders.values()
    lore = folder.lore
    assert lore is not None
    lore.reranker = meanwhile
    prompt = scene.event(Moment.PROMPT, prompt=f"{MEANT} in prices")
    assert scene.session_agent.handle(prompt).context == ""
    assert scene.session_agent.settle()
    lore.reranker = None
    assert "Prices are in cents" in scene.prompt("go on")


def test_or_when_the_agent_goes_on(scene: Scene, slow: Slow) -> None:
    assert asked(scene, slow, MEANT) == ""
    assert LOGIN in scene.after("ls")
    assert scene.after("ls", use_id="t2") == ""
    assert asked(scene, slow, "go on") == ""


def test_or_is_about_to_as_far_as_the_client_takes_it_there(scene: Scene, slow: Slow) -> None:
    for client, session in (("claude", "c"), ("opencode", "o")):
        scene.start(client=client, session_id=session)
        slow.think()
        prompt = scene.event(Moment.PROMPT, prompt=MEANT, client=client, session_id=session)
        assert LOGIN not in scene.session_agent.handle(prompt).context
        slow.answer()
        assert scene.session_agent.settle()
    assert LOGIN in scene.before("ls", session_id="c")
    assert scene.before("ls", client="opencode", session_id="o") == ""
    assert LOGIN in scene.after("ls", client="opencode", session_id="o")


def test_but_not_what_was_forgotten_meanwhile(scene: Scene, slow: Slow) -> None:
    assert asked(scene, slow, MEANT) == ""
    with scene.workspaces.at(scene.folder) as lore:
        lore.forget(next(one.id for one in lore.list() if one.content == LOGIN))
    assert scene.after("ls") == ""


def test_or_speaks_of_it_again(scene: Scene, slow: Slow) -> None:
    assert asked(scene, slow, MEANT) == ""
    again = "could it be that their login is lost by a cron job at night?"
    assert LOGIN in asked(scene, slow, again)


def test_but_not_when_they_speak_of_something_else(scene: Scene, slow: Slow) -> None:
    assert asked(scene, slow, MEANT) == ""
    assert asked(scene, slow, "write a haiku about spring rain") == ""
    assert asked(scene, slow, "go on") == ""


def test_an_answer_past_the_deadline_waits_and_is_counted(home: Path, tmp_path: Path) -> None:
    noted: list[str] = []
    made = Scene(
        home, shop_in(tmp_path / "shop"), measured=lambda name, *_, **__: noted.append(name)
    )
    made.remember(TOKENS, kind="gotcha")
    made.start()
    made.set("inject.deadline_ms", 1)
    with made.workspaces.at(made.folder):
        assert made.session_agent.handle(made.event(Moment.PROMPT, prompt=ASKED)).context == ""
    assert made.session_agent.settle()
    assert Measure.LATE in noted
    made.set("inject.deadline_ms", 5_000)
    assert TOKENS in made.prompt("go on")
    made.close()


def test_a_folder_that_is_held_keeps_no_other_waiting(scene: Scene, tmp_path: Path) -> None:
    other = shop_in(tmp_path / "other")
    with scene.workspaces.at(other) as lore:
        lore.remember(TOKENS, kind="gotcha")
        lore.remember("Never force-push.", kind="warning", triggers=[FORCED])
    scene.set("inject.hold", False)
    push = ToolCall(name="Bash", use_id="t1", command="git push --force")
    with scene.workspaces.at(scene.folder), ThreadPoolExecutor(1) as pool:
        # The agent's threads answer while this one holds the folder.
        asked = pool.submit(scene.prompt, ASKED, folder=other, session_id="s2")
        assert TOKENS in asked.result(60)
        warned = scene.event(Moment.BEFORE_TOOL, tool=push, folder=other, session_id="s2")
        told = pool.submit(scene.session_agent.handle, warned).result(60)
    assert "Never force-push." in told.context


def test_others_are_answered_meanwhile(scene: Scene, slow: Slow) -> None:
    slow.answer()
    scene.warn("Never force-push.", "push --force")
    scene.set("inject.hold", False)
    slow.think()
    slow.answered.clear()
    scene.session_agent.handle(scene.event(Moment.PROMPT, prompt=ASKED))
    push = ToolCall(name="Bash", use_id="t1", command="git push --force")
    event = scene.event(Moment.BEFORE_TOOL, tool=push, session_id="s2")
    assert "Never force-push." in scene.session_agent.handle(event).context
    assert not slow.answered.is_set()


def test_a_cold_model_is_not_waited_for(scene: Scene) -> None:
    scene.remember(TOKENS, kind="gotcha")
    engine = scene.workspaces.engine
    real = engine.slot.embedder()
    assert real is not None
    let = Event()
    opened: list[str] = []

    def load() -> Embedder:
        assert let.wait(60)
        opened.append("model")
        return real

    engine.slot = EmbedderSlot(load)
    scene.start()
    told = scene.session_agent.handle(scene.event(Moment.PROMPT, prompt=ASKED)).context
    assert TOKENS in told  # by words alone
    assert not opened
    let.set()
    assert scene.session_agent.settle()
    assert opened == ["model"]


def test_what_only_the_model_finds_is_there_at_the_next_prompt(scene: Scene) -> None:
    scene.remember("Customers lose their login when the access key expires", kind="gotcha")
    for text in ("Prices are in cents", "The build runs on Debian", "Logs are kept for a year"):
        scene.remember(text)
    engine = scene.workspaces.engine
    real = engine.slot.embedder()
    assert real is not None
    scene.start()
    engine.slot = EmbedderSlot(lambda: real)
    asked = "users get signed off once credentials lapse"
    assert scene.prompt(asked) == ""
    assert "Customers lose their login" in scene.prompt("go ahead")


class Judge:
    """A verifier that a test steers."""

    def __init__(self) -> None:
        self.says: Collection[str] | Exception | None = None
        self.open = Event()
        self.open.set()

    is_on = True

    def relevant(self, task: str, hits: Sequence[Hit]) -> Collection[str]:
        self.open.wait(10)
        if isinstance(self.says, Exception):
            raise self.says
        return [hit.memory.id for hit in hits] if self.says is None else self.says


@pytest.fixture
def judge() -> Judge:
    return Judge()


@pytest.fixture
def judged(home: Path, tmp_path: Path, judge: Judge) -> Iterator[Scene]:
    """A session whose findings are looked at by a second one."""
    made = Scene(home, shop_in(tmp_path / "shop"), verifier=judge)
    made.remember(TOKENS, kind="gotcha")
    made.start()
    yield made
    judge.open.set()
    made.close()


def test_a_verifier_lets_through_what_fits(judged: Scene, judge: Judge) -> None:
    assert TOKENS in judged.prompt(ASKED)


@pytest.mark.parametrize("says", [[], ModelFailed("down"), TimeoutError(), ConnectionError()])
def test_a_verifier_that_refuses_or_fails_injects_less(
    judged: Scene, judge: Judge, says: Collection[str] | Exception
) -> None:
    judge.says = says
    assert judged.prompt(ASKED) == ""


def test_a_verifier_cannot_add(judged: Scene, judge: Judge) -> None:
    other = judged.remember("The shop closes at eight")
    judge.says = [other.id]
    assert judged.prompt(ASKED) == ""


def test_a_slow_verifier_is_not_waited_for(
    judged: Scene, judge: Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prompting, "ANSWER_SHARE", 0.02)
    judge.open.clear()
    assert judged.session_agent.handle(judged.event(Moment.PROMPT, prompt=ASKED)).context == ""
    judge.open.set()
    assert judged.session_agent.settle()
    judge.open.clear()  # it is as slow again, and its word of before counts
    again = judged.event(Moment.PROMPT, prompt="go on")
    assert TOKENS in judged.session_agent.handle(again).context


def test_chores_are_done_behind_the_answer(home: Path, tmp_path: Path) -> None:
    seen: list[Retrieved] = []

    def fail(_: Retrieved) -> None:
        raise ZeroDivisionError

    made = Scene(home, shop_in(tmp_path / "shop"), chores=[fail, seen.append])
    failed: list[BaseException] = []
    made.session_agent.caught = lambda _, fault: failed.append(fault)
    memory = made.remember(TOKENS, kind="gotcha")
    made.prompt(ASKED)
    made.prompt("write a haiku about spring rain")
    made.prompt(ASKED, incognito=True, session_id="secret")
    made.close()
    assert [one.given for one in seen] == [(memory.id,), ()]
    assert seen[0].prompt == ASKED
    assert seen[0].found.trace is not None
    assert [type(fault) for fault in failed] == [ZeroDivisionError] * 2


def test_a_full_queue_drops_and_counts() -> None:
    go = Event()
    failed: list[BaseException] = []
    later = Later(name="test", most=2, failed=failed.append)
    assert [later.hand(lambda: bool(go.wait(10)) and None) for _ in range(4)] == [
        True, True, False, False,
    ]  # fmt: skip
    assert later.dropped == 2
    go.set()
    assert later.settle(5)
    later.close()
    assert not later.hand(lambda: None)


def test_notes_are_written_together_and_too_many_are_dropped() -> None:
    go, began = Event(), Event()
    batches: list[list[int]] = []

    def write(notes: Sequence[int]) -> None:
        began.set()
        go.wait(10)
        batches.append(list(notes))

    notes: Notes[int] = Notes(write, name="test", most=3)
    assert notes.hand(1)
    assert began.wait(5)
    assert [notes.hand(number) for number in range(2, 6)] == [True, True, True, False]
    go.set()
    assert notes.settle(5)
    notes.close()
    assert batches[:2] == [[1], [2, 3, 4]]
    assert notes.dropped == 1

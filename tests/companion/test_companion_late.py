"""Nobody waits: a slow model, a cold one, a verifier that fails, a queue that is full."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from threading import Event

import pytest
from companion_tools import Scene, shop_in

from loremap.embedding.protocol import Embedder, Vectors
from loremap.errors import ModelFailed
from loremap.lore.companion.agent import Retrieved
from loremap.lore.companion.errands import Later, Notes
from loremap.model.hook import Beginning
from loremap.model.recall import Hit
from loremap.ops.metrics import Measure
from loremap.retrieval.context import Scored

TOKENS = "Tokens.refresh does not ask Redis whether the session still lives"
ASKED = "does the token refresh ask Redis?"


class Slow:
    """The real model, with a pause before each answer."""

    leaves_machine = False

    def __init__(self, real: Embedder, pause_s: float) -> None:
        self.real, self.pause_s = real, pause_s
        self.model, self.dim = real.model, real.dim

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        time.sleep(self.pause_s)
        return self.real.embed(texts, query=query)


LOGIN = "Customers lose their login when the access key expires"
MEANT = "users get signed off once credentials lapse"
"""Shares no word with what it means: only the model finds it."""


@pytest.fixture
def slow(scene: Scene) -> Iterator[Slow]:
    """A session whose model always takes longer than the deadline."""
    scene.remember(TOKENS, kind="gotcha")
    scene.remember(LOGIN, kind="gotcha")
    for text in ("Prices are in cents", "The build runs on Debian", "Logs are kept for a year"):
        scene.remember(text)
    scene.start()
    seat = scene.residence.house.seat
    real = seat.embedder()
    assert real is not None
    made = Slow(real, 0.6)
    seat.use(made)
    scene.set("inject.deadline_ms", 300)
    yield made
    seat.use(real)


def test_words_answer_where_the_model_is_slow(scene: Scene, slow: Slow) -> None:
    for _ in range(2):
        began = time.perf_counter()
        told = scene.companion.handle(scene.event(_prompt(), prompt=ASKED)).context
        assert time.perf_counter() - began < 0.55
        assert TOKENS in told
        scene.start(beginning=Beginning.CLEAR)


def test_what_only_a_slow_model_finds_is_there_when_the_person_goes_on(
    scene: Scene, slow: Slow
) -> None:
    assert scene.prompt(MEANT) == ""
    assert scene.companion.settle()
    assert LOGIN in scene.prompt("go on")
    assert scene.companion.settle()
    assert scene.prompt("go on") == ""


def test_a_vector_that_comes_while_words_answer_is_not_forgotten(scene: Scene, slow: Slow) -> None:
    came = Event()

    def meanwhile(_query: object, found: list[Scored]) -> list[Scored]:
        came.wait(5)  # words are answering by now
        time.sleep(0.05)
        return found

    def embed(texts: Sequence[str], *, query: bool = False) -> Vectors:
        made = Slow.embed(slow, texts, query=query)
        came.set()
        return made

    slow.embed = embed  # type: ignore[method-assign]
    ((lore, _),) = scene.residence._folders.values()
    lore.reranker = meanwhile
    scene.set("inject.deadline_ms", 900)
    assert scene.companion.handle(scene.event(_prompt(), prompt=f"{MEANT} in prices")).context == ""
    settled(scene)
    assert scene.companion.settle()
    lore.reranker = None
    assert "Prices are in cents" in scene.prompt("go on")


def test_or_speaks_of_it_again(scene: Scene, slow: Slow) -> None:
    assert scene.prompt(MEANT) == ""
    assert scene.companion.settle()
    assert LOGIN in scene.prompt("could it be that their login is lost by a cron job at night?")


def test_but_not_when_they_speak_of_something_else(scene: Scene, slow: Slow) -> None:
    assert scene.prompt(MEANT) == ""
    assert scene.companion.settle()
    assert scene.prompt("write a haiku about spring rain") == ""
    assert scene.companion.settle()
    assert scene.prompt("go on") == ""


def test_an_answer_past_the_deadline_waits_and_is_counted(home: Path, tmp_path: Path) -> None:
    noted: list[str] = []
    made = Scene(
        home, shop_in(tmp_path / "shop"), measured=lambda name, *_, **__: noted.append(name)
    )
    made.remember(TOKENS, kind="gotcha")
    made.start()
    made.set("inject.deadline_ms", 1)
    with made.residence.house.lock:
        assert made.prompt(ASKED) == ""
    settled(made)
    assert Measure.LATE in noted
    made.set("inject.deadline_ms", 5_000)
    assert TOKENS in made.prompt("go on")
    made.close()


def settled(scene: Scene) -> None:
    """Wait until the work that came late is over."""
    until = time.monotonic() + 10
    while scene.companion._inline._free._value < 64 and time.monotonic() < until:
        time.sleep(0.01)


def test_others_are_answered_meanwhile(scene: Scene, slow: Slow) -> None:
    scene.warn("Never force-push.", "push --force")
    scene.set("inject.hold", False)
    scene.companion.handle(scene.event(_prompt(), prompt=ASKED))
    scene.set("inject.deadline_ms", 5_000)
    began = time.perf_counter()
    assert "Never force-push." in scene.before("git push --force", session_id="s2")
    assert time.perf_counter() - began < 0.8


def _prompt():  # type: ignore[no-untyped-def]
    from loremap.model.hook import Moment

    return Moment.PROMPT


def test_a_cold_model_is_not_waited_for(scene: Scene) -> None:
    scene.remember(TOKENS, kind="gotcha")
    house = scene.residence.house
    real = house.seat.embedder()
    assert real is not None
    opened: list[str] = []

    def load() -> Embedder:
        time.sleep(1.0)
        opened.append("model")
        return real

    from loremap.embedding.seat import Seat

    house.seat = Seat(load)
    scene.start()
    began = time.perf_counter()
    told = scene.companion.handle(scene.event(_prompt(), prompt=ASKED)).context
    assert time.perf_counter() - began < 0.8
    assert TOKENS in told  # by words alone
    assert scene.companion.settle()
    assert opened == ["model"]


def test_what_only_the_model_finds_is_there_at_the_next_prompt(scene: Scene) -> None:
    scene.remember("Customers lose their login when the access key expires", kind="gotcha")
    for text in ("Prices are in cents", "The build runs on Debian", "Logs are kept for a year"):
        scene.remember(text)
    house = scene.residence.house
    real = house.seat.embedder()
    assert real is not None
    from loremap.embedding.seat import Seat

    scene.start()
    house.seat = Seat(lambda: real)
    asked = "users get signed off once credentials lapse"
    assert scene.prompt(asked) == ""
    assert "Customers lose their login" in scene.prompt("go ahead")


class Judge:
    """A verifier that a test steers."""

    def __init__(self) -> None:
        self.says: Collection[str] | Exception | None = None
        self.open = Event()
        self.open.set()

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


def test_a_slow_verifier_is_not_waited_for(judged: Scene, judge: Judge) -> None:
    judged.set("inject.deadline_ms", 300)
    judge.open.clear()
    began = time.perf_counter()
    assert judged.companion.handle(judged.event(_prompt(), prompt=ASKED)).context == ""
    assert time.perf_counter() - began < 0.8
    judge.open.set()
    assert judged.companion.settle()
    judge.open.clear()  # it is as slow again, and its word of before counts
    assert TOKENS in judged.companion.handle(judged.event(_prompt(), prompt="go on")).context


def test_chores_are_done_behind_the_answer(home: Path, tmp_path: Path) -> None:
    seen: list[Retrieved] = []

    def fail(_: Retrieved) -> None:
        raise ZeroDivisionError

    made = Scene(home, shop_in(tmp_path / "shop"), chores=[fail, seen.append])
    failed: list[BaseException] = []
    made.companion.caught = lambda _, fault: failed.append(fault)
    memory = made.remember(TOKENS, kind="gotcha")
    made.prompt(ASKED)
    made.prompt("write a haiku about spring rain")
    made.prompt(ASKED, incognito=True, session_id="secret")
    made.close()
    assert [one.given for one in seen] == [(memory.id,), ()]
    assert seen[0].prompt == ASKED
    assert seen[0].trace is not None
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

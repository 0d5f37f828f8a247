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
from loremap.model.recall import Hit

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


@pytest.fixture
def slow(scene: Scene) -> Iterator[Slow]:
    """A session whose model takes a second, and a deadline of a tenth of that."""
    scene.remember(TOKENS, kind="gotcha")
    scene.start()
    seat = scene.residence.house.seat
    real = seat.embedder()
    assert real is not None
    made = Slow(real, 1.0)
    seat.use(made)
    scene.set("inject.deadline_ms", 100)
    yield made
    seat.use(real)


def settled(scene: Scene) -> None:
    """Wait until the work that came late is over."""
    until = time.monotonic() + 10
    while scene.companion._inline._free._value < 64 and time.monotonic() < until:
        time.sleep(0.01)


def test_a_prompt_waits_for_the_deadline_at_most(scene: Scene, slow: Slow) -> None:
    began = time.perf_counter()
    assert scene.prompt(ASKED) == ""
    assert time.perf_counter() - began < 0.5


def test_what_came_late_is_there_at_the_next_prompt(scene: Scene, slow: Slow) -> None:
    assert scene.prompt(ASKED) == ""
    settled(scene)
    slow.pause_s = 0.0
    scene.set("inject.deadline_ms", 5_000)
    assert TOKENS in scene.prompt("go on")
    assert scene.prompt("go on") == ""


def test_and_passes_the_gate_again(scene: Scene, slow: Slow) -> None:
    assert scene.prompt(ASKED) == ""
    settled(scene)
    slow.pause_s = 0.0
    scene.set("inject.deadline_ms", 5_000)
    assert scene.prompt("write a haiku about spring rain") == ""
    assert scene.prompt("go on") == ""


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
    judged.set("inject.deadline_ms", 100)
    judge.open.clear()
    began = time.perf_counter()
    assert judged.prompt(ASKED) == ""
    assert time.perf_counter() - began < 0.6
    judge.open.set()
    settled(judged)
    judged.set("inject.deadline_ms", 5_000)
    assert TOKENS in judged.prompt("go on")


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

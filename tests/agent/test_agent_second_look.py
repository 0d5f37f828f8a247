"""The small model's second look on the way to a prompt: it drops, it never adds, it is never waited
for longer than a prompt may."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from agent_tools import Scene, shop_in

from fake_sidecar import FakeSidecar, Request, raw, running, said, status
from loremap.agent.session_agent import SessionAgent
from loremap.agent.verifying import BySidecar
from loremap.memory import sidecar as metered
from loremap.model.hook import Moment
from loremap.storage import sidecar as rows

TOKENS = "Customers lose their login when tokens expire while they pay"
ASKED = "why do customers lose their login when tokens expire?"


@pytest.fixture
def server() -> Iterator[FakeSidecar]:
    with running() as started:
        yield started


@pytest.fixture
def looked(home: Path, tmp_path: Path, server: FakeSidecar) -> Iterator[Scene]:
    """A session agent wired as the resident's is, and a memory that fits a question."""
    made = Scene(home, shop_in(tmp_path / "shop"))
    made.session_agent.close()
    made.session_agent = SessionAgent(made.workspaces, verifier=BySidecar(made.workspaces.engine))
    for name, value in (("kind", "openai"), ("url", server.url), ("model", "tiny")):
        made.set(f"sidecar.{name}", value)
    made.remember(TOKENS, kind="gotcha")
    made.start()
    yield made
    made.close()


def told(scene: Scene, text: str = ASKED, **more: object) -> str:
    return scene.session_agent.handle(scene.event(Moment.PROMPT, prompt=text, **more)).context


def test_what_fits_is_told_and_what_does_not_is_dropped(looked: Scene, server: FakeSidecar) -> None:
    server.answers = [said({"relevant": [1]}), said({"relevant": []})]
    assert TOKENS in told(looked)
    assert told(looked, session_id="s2") == ""
    (first, second) = server.prompts
    assert TOKENS in first
    assert ASKED in second


@pytest.mark.parametrize(
    "answer",
    [
        {"relevant": [7, 99, -1, 0]},
        {"relevant": ["all"]},
        {"relevant": "1"},
        {"other": [1]},
        {"relevant": [True]},
    ],
)
def test_numbers_that_were_not_shown_name_nothing(
    looked: Scene, server: FakeSidecar, answer: dict[str, object]
) -> None:
    server.usual = said(answer)
    assert told(looked) == ""


@pytest.mark.parametrize("reply", [status(500), status(401), raw(b"garbage"), said("{")])
def test_a_failure_tells_less(looked: Scene, server: FakeSidecar, reply: object) -> None:
    server.answers = [reply, reply]  # type: ignore[list-item]
    assert told(looked) == ""


def test_what_comes_late_waits_for_the_next_prompt(looked: Scene, server: FakeSidecar) -> None:
    from threading import Event

    go = Event()

    def slow(request: Request, asked: dict[str, object]) -> None:
        go.wait(10)
        said({"relevant": [1]})(request, asked)

    server.usual = slow
    looked.set("inject.deadline_ms", 300)
    assert told(looked) == ""
    go.set()
    assert looked.session_agent.settle()
    looked.set("inject.deadline_ms", 5_000)
    assert TOKENS in told(looked, "go on")


def test_at_the_ceiling_rules_stand_alone(looked: Scene, server: FakeSidecar) -> None:
    server.usual = said({"relevant": []})
    looked.set("sidecar.daily_calls", 1)
    assert told(looked) == ""
    assert TOKENS in told(looked, session_id="s2")
    assert TOKENS in told(looked, session_id="s3")
    assert len(server.seen) == 1


@pytest.mark.parametrize("how", ["off", "switched off", "incognito"])
def test_where_it_may_not_look_nothing_is_sent(
    looked: Scene, server: FakeSidecar, how: str
) -> None:
    more: dict[str, object] = {}
    if how == "off":
        looked.set("sidecar.kind", "off")
    elif how == "switched off":
        looked.set("sidecar.verify", False)
    else:
        more = {"incognito": True, "session_id": "secret"}
    assert TOKENS in told(looked, **more)
    assert server.seen == []


def test_one_that_is_down_is_asked_a_few_times_and_then_left_alone(
    looked: Scene, server: FakeSidecar
) -> None:
    server.usual = status(401)
    for number in range(metered.FAILURES + 2):
        assert told(looked, session_id=f"s{number}0") == ""
    assert len(server.seen) == metered.FAILURES
    with looked.workspaces.engine.store.read() as conn:
        assert rows.last_fault(conn, "me") is not None


def test_a_cascade_is_looked_at_too(looked: Scene, server: FakeSidecar) -> None:
    server.answers = [said({"relevant": []}), status(401), said({"relevant": [1]})]
    with looked.workspaces.at(looked.folder) as lore:
        found = [lore.recall(ASKED, recipe="cascade").hits for _ in range(3)]
        lore.recall(ASKED, recipe="hybrid")
    assert [len(hits) for hits in found] == [0, 1, 1], "a person is shown all where it fails"
    assert len(server.seen) == 3

"""Hold-out sessions, incognito ones, and what an agent asks for itself."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from agent_tools import Scene

from loremap.agent.state import is_held_out
from loremap.model.hook import Moment
from loremap.model.session import Tier

TOKENS = "Tokens.refresh does not ask Redis whether the session still lives"
ASKED = "does the token refresh ask Redis?"
LESSON = "Never force-push to main."


@pytest.fixture
def known(scene: Scene) -> Scene:
    """A project that has something to say at every tier."""
    scene.remember(TOKENS, kind="gotcha")
    scene.warn(LESSON, "push --force")
    scene.set("inject.hold", False)
    return scene


def test_a_held_out_session_gets_nothing_and_is_recorded(known: Scene) -> None:
    known.set("metrics.hold_out", 1.0)
    assert known.start() == ""
    known.set("metrics.hold_out", 0.0)  # drawn once
    assert known.prompt(ASKED) == ""
    assert known.before("git push --force") == ""
    known.set("inject.hold", True)
    assert known.before("git push --force", use_id="t2") == ""
    assert known.prompt("hello") == ""
    row = known.session()
    assert row is not None
    assert row.held_out
    assert known.injected() == []
    known.restart()
    assert known.prompt(ASKED) == ""


@pytest.mark.parametrize(
    ("share", "low", "high"), [(0.0, 0, 0), (0.25, 180, 320), (1.0, 1000, 1000)]
)
def test_about_the_share_is_held_out(share: float, low: int, high: int) -> None:
    drawn = [is_held_out(f"session {number}", share) for number in range(1_000)]
    assert low <= sum(drawn) <= high
    assert drawn == [is_held_out(f"session {number}", share) for number in range(1_000)]


def test_an_incognito_session_reads_and_leaves_nothing(known: Scene) -> None:
    store = known.workspaces.engine.store
    with store.read() as conn:
        before = [store.change_seq(conn), *_counts(conn)]
    assert LESSON in known.start(incognito=True)
    assert TOKENS in known.prompt(ASKED, incognito=True)
    assert known.prompt(ASKED, incognito=True) == ""
    assert LESSON in known.before("git push --force", incognito=True)
    known.happens(Moment.STOP, said=TOKENS, incognito=True)
    known.happens(Moment.SESSION_END, incognito=True)
    with store.read() as conn:
        assert [store.change_seq(conn), *_counts(conn)] == before


def _counts(conn) -> list[int]:  # type: ignore[no-untyped-def]
    tables = ("sessions", "injections", "events", "metrics", "audit")
    return [conn.exec_driver_sql(f"SELECT count(*) FROM {table}").scalar_one() for table in tables]


def test_what_is_asked_is_not_repeated_unless_wanted(known: Scene) -> None:
    ask = known.session_agent.asked
    first = ask(known.folder, ASKED, session_id="s1", client="claude")
    assert [hit.memory.content for hit in first.hits] == [TOKENS]
    second = ask(known.folder, ASKED, session_id="s1", client="claude")
    assert (second.hits, second.known) == ((), 1)
    again = ask(known.folder, ASKED, session_id="s1", client="claude", again=True)
    assert len(again.hits) == 1
    assert known.prompt(ASKED) != ""  # the block was owed
    assert TOKENS not in known.prompt(ASKED)
    assert known.session_agent.settle()
    assert {one.tier for one in known.injected()} == {Tier.ASKED, Tier.ALWAYS}


def test_without_a_session_nothing_is_kept(known: Scene) -> None:
    ask = known.session_agent.asked
    for _ in range(2):
        assert len(ask(known.folder, ASKED, session_id=None, client="claude").hits) == 1


def test_kinds_narrow_and_the_gate_holds(known: Scene) -> None:
    ask = known.session_agent.asked
    assert not ask(known.folder, ASKED, session_id="a", client="codex", kinds=["decision"]).hits
    unrelated = ask(known.folder, "spring rain haiku", session_id="a", client="codex")
    assert unrelated.hits == ()


def test_the_brief_in_the_clients_dress(known: Scene) -> None:
    known.scan()
    brief = known.session_agent.brief
    told = brief(known.folder, ASKED, session_id="s1", client="gemini", budget_tokens=800)
    assert told.startswith("# Project memory from Loremap")
    assert "## Modules\n- auth: " in told
    assert TOKENS in told
    assert brief(known.folder, "hi", session_id="s1", client="x", budget_tokens=800) == ""


def test_many_sessions_at_once_each_get_it_once(known: Scene) -> None:
    known.set("inject.deadline_ms", 2_000)

    def turn(number: int) -> list[bool]:
        told = []
        for _ in range(3):
            event = known.event(Moment.PROMPT, prompt=ASKED, session_id=f"many {number % 8}")
            told.append(TOKENS in known.session_agent.handle(event).context)
        return told

    with ThreadPoolExecutor(8) as pool:
        every = [one for told in pool.map(turn, range(8)) for one in told]
    assert known.session_agent.settle()
    assert sum(every) == 8
    rows = [one for number in range(8) for one in known.injected(f"many {number}")]
    assert [one.tier for one in rows].count(Tier.TASK) == 8


def test_what_is_forgotten_for_good_leaves_no_row(known: Scene) -> None:
    assert TOKENS in known.prompt(ASKED)
    memory_id = next(one.memory_id for one in known.injected() if one.tier is Tier.TASK)
    assert memory_id is not None
    with known.workspaces.at(known.folder) as lore:
        lore.forget(memory_id, now_and_forever=True)
    assert memory_id not in {one.memory_id for one in known.injected()}


def test_what_goes_wrong_is_written_where_doctor_looks(known: Scene) -> None:
    from loremap.storage.caught import caught

    known.session_agent.caught = lambda where, fault: caught(known.home, where, fault)
    with known.workspaces.at(known.folder) as lore:
        lore.store.engine.dispose()
    known.home.joinpath("lore.db").rename(known.home / "moved.db")
    assert known.session_agent.handle(known.event(Moment.PROMPT, prompt=ASKED)).context == ""
    assert known.session_agent.settle()
    known.home.joinpath("moved.db").rename(known.home / "lore.db")
    assert "agent, prompt" in (known.home / "caught.jsonl").read_text()

"""The log of events: what is read back, by whom and when, and what is dropped in time."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from loremap.memory.housekeeping import keep_house
from loremap.model.clock import new_id
from loremap.model.event import Event
from loremap.model.hook import FileUse, Moment, Operation
from loremap.model.memory import Actor
from loremap.storage import events
from loremap.storage.sqlite.store import FileStore, open_store

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)
ME = Actor(name="user")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[FileStore]:
    found = open_store(tmp_path / "lore.db", now=NOW)
    yield found
    found.close()


def event(key: str, *, session: str = "s", days_ago: float = 0, project: str = "p") -> Event:
    return Event(
        id=new_id(),
        at=NOW - timedelta(days=days_ago),
        client="claude",
        moment=Moment.AFTER_TOOL,
        session_id=session,
        project_id=project,
        turn_id="turn-1",
        subagent_id="a1",
        subagent_kind="reviewer",
        tool="Edit",
        parameters='{"a": 1}',
        result="done",
        success=False,
        error="no",
        duration_ms=7,
        why="because",
        key=key,
        files=(
            FileUse(path="src/a.py", operation=Operation.EDIT, lines=(3, 9), changed="+1"),
            FileUse(path=f"src/{key}.py", operation=Operation.READ),
        ),
    )


def test_an_event_comes_back_as_it_was(store: FileStore) -> None:
    one = event("k")
    with store.append() as conn:
        assert events.append(conn, [one]) == {one.id}
    with store.read() as conn:
        assert events.of_session(conn, "s") == [one]
        assert events.counts(conn) == {Moment.AFTER_TOOL: 1}


def test_a_key_is_there_once_however_often_it_comes(store: FileStore) -> None:
    with store.append() as conn:
        first = events.append(conn, [event("a"), event("a"), event("b")])
    with store.append() as conn:
        second = events.append(conn, [event("b"), event("c")])
    assert (len(first), len(second)) == (2, 1)
    with store.read() as conn:
        assert [one.key for one in events.of_session(conn, "s")] == ["a", "b", "c"]


def test_by_project_and_time(store: FileStore) -> None:
    with store.append() as conn:
        events.append(
            conn,
            [
                event("old", days_ago=3),
                event("mid", days_ago=2),
                event("new", days_ago=1),
                event("other", project="q", session="t"),
            ],
        )
    since, until = NOW - timedelta(days=2.5), NOW - timedelta(days=1.5)
    with store.read() as conn:
        keys = [one.key for one in events.of_project(conn, "p")]
        between = [one.key for one in events.of_project(conn, "p", since=since, until=until)]
    assert (keys, between) == (["old", "mid", "new"], ["mid"])


def test_writing_events_makes_no_warm_array_look_again(store: FileStore) -> None:
    with store.read() as conn:
        before = store.change_seq(conn)
    with store.append() as conn:
        events.append(conn, [event("a")])
    with store.read() as conn:
        assert store.change_seq(conn) == before


def test_events_older_than_is_kept_are_dropped_with_their_files(store: FileStore) -> None:
    with store.append() as conn:
        events.append(conn, [event("old", days_ago=91), event("new", days_ago=89)])
    assert keep_house(store, grace_days=30, now=NOW, actor=ME, keep_events_days=90) == ()
    with store.read() as conn:
        assert [one.key for one in events.of_session(conn, "s")] == ["new"]
        paths = conn.exec_driver_sql("SELECT path FROM event_files").scalars().all()
    assert sorted(paths) == ["src/a.py", "src/new.py"]

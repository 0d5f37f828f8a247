"""What is asked of the log, on either database; in a file, each question finds its index."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Connection, event
from store_tools import NOW

from loremap.model.clock import new_id
from loremap.model.event import Event
from loremap.model.hook import FileUse, Moment, Operation
from loremap.model.task import TaskStatus
from loremap.storage import episodes, events, tasks
from loremap.storage.store import Store

WEEK = NOW - timedelta(days=7)


def used(path: str, minute: int, **more: Any) -> Event:
    given: dict[str, Any] = {"tool": "Edit", "success": True, "duration_ms": 10} | more
    operation = given.pop("operation", Operation.EDIT)
    return Event(
        id=new_id(),
        at=NOW + timedelta(minutes=minute),
        client="claude",
        moment=Moment.AFTER_TOOL,
        session_id="s",
        project_id="p",
        files=(FileUse(path=path, operation=operation),),
        **given,
    )


@pytest.fixture
def filled(store: Store) -> Store:
    """A store whose log holds a little."""
    with store.append() as conn:
        events.append(
            conn,
            [
                used("src/Auth.py", 1),
                used("src/auth/a.py", 2, operation=Operation.READ, tool="Read", duration_ms=None),
                used("b.py", 3, success=False, duration_ms=30),
                used("c.py", 4, tool="Bash", parameters='{"command": "make"}', success=None),
                used("x.py", -60 * 24 * 8),
            ],
        )
    return store


def test_the_answers(filled: Store) -> None:
    with filled.read() as conn:

        def paths(found: list[Any]) -> list[str]:
            return [one.path for one in found]

        assert paths(episodes.with_file(conn, "p", "b.py", limit=5)) == ["b.py"]
        assert paths(episodes.with_file(conn, "p", "src/auth", limit=5)) == ["src/auth/a.py"]
        assert paths(episodes.with_file(conn, "q", "b.py", limit=5)) == []
        assert paths(episodes.with_word(conn, "p", "AUTH", limit=5)) == [
            "src/auth/a.py",
            "src/Auth.py",
        ]
        assert paths(episodes.with_word(conn, "p", "%", limit=5)) == []
        assert paths(episodes.edits(conn, "p")) == ["x.py", "src/Auth.py", "c.py"]
        assert paths(episodes.edits(conn, "p", limit=1)) == ["c.py"]
        assert len(episodes.of_session(conn, "s", limit=9)) == 5
        rates = [
            (one.tool, one.total, one.successes, one.failures, one.mean_ms)
            for one in episodes.tool_rates(conn, "p", since=WEEK)
        ]
        assert rates == [
            ("Edit", 2, 1, 1, 20.0),
            ("Bash", 1, 0, 0, 10.0),
            ("Read", 1, 1, 0, None),
        ]
        (command,) = episodes.commands(conn, "s", limit=5)
        assert command == ('{"command": "make"}', None, NOW + timedelta(minutes=4))


ASKED = {
    "file": (lambda conn: episodes.with_file(conn, "p", "b.py", limit=5), "event_files_by_path"),
    "word": (
        lambda conn: episodes.with_word(conn, "p", "auth", limit=10),
        "event_files_by_project",
    ),
    "session": (lambda conn: episodes.of_session(conn, "s", limit=9), "event_files_by_session"),
    "edits": (lambda conn: episodes.edits(conn, "p"), "event_files_by_project"),
    "rates": (
        lambda conn: episodes.tool_rates(conn, "p", since=WEEK),
        "COVERING INDEX events_by_project",
    ),
    "commands": (lambda conn: episodes.commands(conn, "s", limit=9), "events_by_session"),
    "tasks": (
        lambda conn: tasks.of_project(conn, "p", statuses=(TaskStatus.ACTIVE,)),
        "tasks_by_",
    ),
    "tasks of a session": (lambda conn: tasks.of_session(conn, "s"), "tasks_by_session"),
}


@pytest.mark.sqlite
@pytest.mark.parametrize("name", ASKED)
def test_no_question_walks_through_the_log(filled: Store, name: str) -> None:
    ask, index = ASKED[name]
    with filled.read() as conn:
        asked = statements_of(conn, ask)
        plans = [plan_of(conn, *one) for one in asked]
    assert plans, "nothing was asked"
    assert index in plans[0]
    assert not [plan for plan in plans if "SCAN" in plan]


def statements_of(conn: Connection, ask: Any) -> list[tuple[str, Any]]:
    said: list[tuple[str, Any]] = []

    def note(_conn: Any, _cursor: Any, sql: str, given: Any, _context: Any, _many: bool) -> None:
        if sql.startswith("SELECT"):
            said.append((sql, given))

    event.listen(conn, "before_cursor_execute", note)
    try:
        ask(conn)
    finally:
        event.remove(conn, "before_cursor_execute", note)
    return said


def plan_of(conn: Connection, sql: str, given: Any) -> str:
    """How SQLite finds the answer."""
    return "; ".join(row[3] for row in conn.exec_driver_sql(f"EXPLAIN QUERY PLAN {sql}", given))

"""Tasks in the store: renewed as a session goes on, a person's word kept, events linked to them."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import update
from sqlalchemy.exc import DBAPIError
from store_tools import NOW

from loremap.model.clock import new_id
from loremap.model.event import Event
from loremap.model.hook import FileUse, Moment, Operation
from loremap.model.task import Intent, SetBy, Task, TaskStatus
from loremap.storage import events, tables, tasks
from loremap.storage.store import Store

LATER = NOW + timedelta(hours=1)


def task(id_: str = "a" * 32, **fields: Any) -> Task:
    given: dict[str, Any] = {
        "session_id": "s",
        "description": f"task {id_[:1]}",
        "status": TaskStatus.ACTIVE,
        "started_at": NOW,
        "intent": Intent.CODE_WRITING,
        "files_touched": ("a.py",),
        "tools_used": {"Edit": 2},
        "outcome": "changed a.py",
        "branch": "main",
    }
    return Task(id=id_, **(given | fields))


def put(store: Store, *found: Task, now: datetime = NOW) -> None:
    with store.append() as conn:
        tasks.put(conn, "s", found, now)


def held(store: Store, session_id: str = "s") -> list[Task]:
    with store.read() as conn:
        return tasks.of_session(conn, session_id)


def test_a_task_comes_back_as_it_was_and_is_renewed_only_where_it_changed(store: Store) -> None:
    one = task()
    put(store, one)
    put(store, one, now=LATER)
    assert held(store) == [replace(one, updated_at=NOW)]
    put(store, replace(one, outcome="changed b.py"), now=LATER)
    assert held(store) == [replace(one, outcome="changed b.py", updated_at=LATER, version=2)]


def test_a_task_that_is_no_longer_found_goes_unless_a_person_had_a_hand_in_it(store: Store) -> None:
    first, second = task("a" * 32), task("b" * 32)
    put(store, first, second)
    said = replace(second, status=TaskStatus.FAILED, completed_at=LATER, set_by=SetBy.PERSON)
    with store.append() as conn:
        assert tasks.save(conn, said, LATER)
        assert not tasks.save(conn, said, LATER), "somebody was quicker"
    put(store, now=LATER)
    assert [one.id for one in held(store)] == [second.id]
    put(store, replace(second, outcome="changed c.py"), now=LATER)
    (kept,) = held(store)
    assert (kept.status, kept.outcome) == (TaskStatus.FAILED, "changed c.py")


def test_which_tasks_are_open_here(store: Store) -> None:
    put(
        store,
        task("a" * 32, status=TaskStatus.PAUSED),
        task("b" * 32, started_at=LATER),
        task("c" * 32, status=TaskStatus.COMPLETED, completed_at=LATER),
    )
    with store.read() as conn:
        open_ones = tasks.of_project(
            conn, None, statuses=(TaskStatus.ACTIVE, TaskStatus.PAUSED), limit=5
        )
        assert [one.id[0] for one in open_ones] == ["b", "a"]
        assert tasks.of_project(conn, "another") == []
        assert [one.id[0] for one in tasks.ending_with(conn, None, "cccc")] == ["c"]


def event(seq: int, moment: Moment = Moment.AFTER_TOOL, **more: Any) -> Event:
    at = NOW + timedelta(seconds=seq)
    return Event(id=new_id(), at=at, client="claude", moment=moment, session_id="s", **more)


def test_an_event_says_for_which_task_it_was_done_and_is_changed_in_nothing_else(
    store: Store,
) -> None:
    use = FileUse(path="src/a.py", operation=Operation.EDIT)
    with store.append() as conn:
        events.append(
            conn,
            [
                event(1, Moment.PROMPT, text="fix it"),
                event(2, Moment.PROMPT, text="of a subagent", subagent_id="x"),
                event(3, tool="Edit", files=(use,)),
            ],
        )
        stops = tasks.stops(conn, "s")
        assert [(said, id_) for _, said, id_ in stops] == [("fix it", None), ("", None), ("", None)]
        for id_ in ("a" * 32, "b" * 32):
            tasks.link(conn, {stops[0][0]: id_, stops[2][0]: id_})
        assert [one.task_id for one in events.of_session(conn, "s")] == ["b" * 32, None, "b" * 32]
    tasks_of_person = task("b" * 32, files_touched=(), tools_used={}, set_by=SetBy.PERSON)
    with store.append() as conn:
        tasks.add(conn, tasks_of_person, NOW)
        tasks.note_done(conn, tasks_of_person.id, LATER)
    (one,) = held(store)
    assert (one.files_touched, one.tools_used) == (("src/a.py",), {"Edit": 1})


def test_nothing_else_of_an_event_is_ever_rewritten(store: Store) -> None:
    with store.append() as conn:
        events.append(conn, [event(1, tool="Edit")])
    for column in tables.events.c:
        if column.name == "task_id":
            continue
        with pytest.raises(DBAPIError, match="only appended to"), store.append() as conn:
            conn.execute(update(tables.events).values({column.name: column}))


def test_old_tasks_go_but_for_those_a_person_left_open(store: Store) -> None:
    put(store, task("a" * 32), task("b" * 32, set_by=SetBy.PERSON), task("c" * 32))
    put(store, task("a" * 32), task("b" * 32), task("c" * 32, outcome="more"), now=LATER)
    with store.append() as conn:
        assert tasks.prune(conn, before=LATER) == 1
    assert [one.id[0] for one in held(store)] == ["b", "c"]


def test_a_task_that_says_what_was_erased_goes_and_its_events_know_of_none(store: Store) -> None:
    said = "The blue queue drops\njobs after a day, because of the scheduler that runs at night"
    put(
        store,
        task("a" * 32, description="remember: The blue queue drops jobs after a day, because of…"),
        task("b" * 32, description="the queue is slow"),
    )
    with store.append() as conn:
        events.append(conn, [event(1, tool="Edit")])
        (stop,) = tasks.stops(conn, "s")
        tasks.link(conn, {stop[0]: "a" * 32})
        tasks.erase_saying(conn, [said[:40], ""])
        assert tasks.stops(conn, "s")[0][2] is None
    assert [one.id[0] for one in held(store)] == ["b"]

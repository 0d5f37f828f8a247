"""Sessions in the store: when each was heard of last, who is at work, how those that ended went."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import insert
from store_tools import NOW

from loremap.model.clock import new_id
from loremap.model.event import Event
from loremap.model.finding import Finding, KeptFinding
from loremap.model.hook import FileUse, Moment, Operation
from loremap.model.kind import Kind
from loremap.model.session import Session, Work
from loremap.model.turn import Speaker
from loremap.storage import at_work, events, findings, learning, sessions
from loremap.storage.store import Store
from loremap.storage.tables import projects

PROJECT = "p"
SINCE = NOW - timedelta(minutes=10)


def session(name: str, **more: Any) -> Session:
    began = NOW - timedelta(hours=1)
    given = {"project_id": PROJECT} | more
    return Session(id=name, client="claude", created_at=began, **given)


def begin(store: Store, name: str, **more: Any) -> None:
    with store.append() as conn:
        sessions.upsert(conn, session(name, **more))


def edit(store: Store, name: str, path: str = "a.py", *, minutes: float = 1, **more: Any) -> Event:
    use = FileUse(path=path, operation=more.pop("operation", Operation.EDIT))
    given = {"moment": Moment.AFTER_TOOL, "tool": "Edit", "success": True, "files": (use,)} | more
    event = Event(
        id=new_id(),
        at=NOW - timedelta(minutes=minutes),
        client="claude",
        session_id=name,
        **given,
    )
    with store.append() as conn:
        events.append(conn, [event])
    return event


@pytest.fixture(autouse=True)
def project(store: Store) -> None:
    """A project of the store; sessions refer to it."""
    with store.append() as conn:
        conn.execute(insert(projects).values(id=PROJECT, name="shop", created_at=0, updated_at=0))


def others(store: Store, session_id: str = "me") -> list[str]:
    with store.read() as conn:
        return [one.id for one in at_work.others(conn, PROJECT, session_id, since=SINCE)]


def unread(store: Store) -> list[tuple[str, int, int]]:
    with store.read() as conn:
        found = learning.unread(conn, since=NOW - timedelta(days=14))
    return [(one.session.id, one.fresh, one.seq) for one in found]


def test_who_is_at_work_was_heard_of_lately_and_has_not_ended(store: Store) -> None:
    for name in ("me", "long ago", "ended", "held out", "first", "last", "elsewhere"):
        begin(
            store,
            name,
            ended_at=NOW if name == "ended" else None,
            held_out=name == "held out",
            project_id=None if name == "elsewhere" else PROJECT,
        )
        edit(store, name, minutes={"long ago": 11, "first": 5}.get(name, 1))
    assert others(store) == ["last", "first"]
    assert sorted(others(store, "first")) == ["last", "me"]


def test_a_session_is_heard_of_by_its_last_event_whichever_was_written_first(store: Store) -> None:
    edit(store, "s", minutes=3)
    begin(store, "s")
    edit(store, "s", minutes=30)  # a reference that was taken up later
    with store.read() as conn:
        found = sessions.find(conn, "s")
    assert found is not None
    assert found.heard_at == NOW - timedelta(minutes=3)
    assert unread(store) == [("s", 2, 2)]


def test_what_others_change_is_known_by_its_last_time(store: Store) -> None:
    begin(store, "one")
    edit(store, "one", minutes=11)
    assert changed(store) == []
    edit(store, "one", minutes=4)
    edit(store, "one", minutes=2)
    edit(store, "one", "read.py", operation=Operation.READ)
    edit(store, "one", "failed.py", success=False)
    edit(store, "one", "asked.py", moment=Moment.BEFORE_TOOL)
    edit(store, "one", "b.py", minutes=1, success=None)
    assert changed(store) == [("b.py", 1), ("a.py", 2)]
    assert changed(store, paths={"a.py", "c.py"}) == [("a.py", 2)]


def changed(store: Store, paths: set[str] | None = None) -> list[tuple[str, int]]:
    with store.read() as conn:
        found = at_work.used(conn, ["one"], since=SINCE, paths=paths)
    return [(one.path, (NOW - one.at) // timedelta(minutes=1)) for one in found]


def test_what_others_found_is_no_memory_yet_and_their_own(store: Store) -> None:
    for name in ("one", "fork"):
        begin(store, name)
    texts = ("open", "became", "refused")
    kept = [finding(text) for text in texts] + [finding("stopped", Kind.WORK_STATE)]
    with store.append() as conn:
        findings.put(conn, "one", kept, NOW)
        findings.settle(conn, kept[1], memory_id="m")
        findings.settle(conn, kept[2], refused="said before")
        findings.copy(conn, "one", "fork")
        said = [one.finding.content for one in at_work.found(conn, ["one", "fork"])]
        findings.put(conn, "fork", [], NOW)
        inherited = findings.of_session(conn, "fork")
    assert said == ["open"]
    assert len(inherited) == len(kept), "a fork's own transcript does not say them again"


def test_a_fork_and_its_parent_make_one_memory_of_what_both_found(store: Store) -> None:
    for name in ("one", "fork"):
        begin(store, name)
    kept = [finding(text) for text in ("open", "became")]
    own = [replace(one, session_id="fork") for one in kept]
    with store.append() as conn:
        findings.put(conn, "one", kept, NOW)
        findings.settle(conn, kept[1], memory_id="m")
        findings.put(conn, "fork", own, NOW)
        assert findings.of_kin(conn, "fork") == [], "nothing says yet that it is a fork"
        sessions.note_parent(conn, "fork", "one")
        begun_again = replace(session("fork"), parent_id=None)
        sessions.upsert(conn, begun_again)
        assert findings.of_kin(conn, "fork") == [(own[1], "m")]
        findings.settle(conn, own[1], memory_id="m")
        assert findings.of_kin(conn, "fork") == [], "it is settled"


def finding(text: str, kind: Kind = Kind.GOTCHA) -> KeptFinding:
    one = Finding(kind=kind, content=text, quote=text, said_by=Speaker.PERSON, first=0, last=0)
    return KeptFinding(session_id="one", finding=one, fingerprint=text)


WORK = Work(
    summary="Asked: “x”",
    changed=("a.py",),
    passed=("make",),
    failing=("make test",),
    stopped=("The review is missing.",),
)


def test_how_a_session_went_is_told_once_it_is_over(store: Store) -> None:
    begin(store, "one")
    edit(store, "one")
    with store.append() as conn:
        learning.note_read(conn, "one", seq=1, work=WORK)
    assert (recaps(store), unread(store)) == ([], [("one", 0, 1)])
    with store.append() as conn:
        learning.note_finished(conn, "one", seq=1, learned_at=NOW)
    assert (recaps(store), unread(store)) == ([WORK], [])
    edit(store, "one")
    assert (recaps(store), unread(store)) == ([], [("one", 1, 2)]), "it goes on"
    with store.append() as conn:
        learning.note_finished(conn, "one", seq=2, learned_at=None)
        learning.erase_saying(conn, ["The review is missing."])
    assert recaps(store) == []


def recaps(store: Store) -> list[Work]:
    with store.read() as conn:
        since = NOW - timedelta(days=1)
        found = learning.recaps(conn, PROJECT, since=since, but=["me"], limit=9)
    return [one.work for one in found]

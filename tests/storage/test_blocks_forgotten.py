"""What is forgotten leaves the blocks that sessions keep, and no session brings it back."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from store_tools import ME, NOW, holding, memory, store_at

from loremap.memory.housekeeping import keep_house
from loremap.model.clock import new_id
from loremap.model.event import Event
from loremap.model.hook import Moment
from loremap.model.memory import Memory, Status
from loremap.model.session import Injection, Session, Tier
from loremap.storage import events, injections, memories, sessions
from loremap.storage.store import Store

SAID = "Never deploy <quokka> & friends on a Friday afternoon, they bite"
AS_XML = "<project_memory>\n- [WARNING] Never deploy &lt;quokka> &amp; friends on a Friday…\n"
OTHER = "<project_memory>\n- [FACT] The build needs Node 20.\n</project_memory>"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = store_at(tmp_path)
    yield opened
    opened.close()


def kept(store: Store, content: str = SAID, **fields: object) -> Memory:
    one = memory(content, **fields)
    with store.write(now=NOW, actor=ME) as tx:
        memories.insert_memory(tx, one)
    return one


def session(id_: str, block: str, at: datetime = NOW) -> Session:
    return Session(id=id_, client="claude", created_at=at, last_at=at, always_on=block)


def given(session_id: str, memory_id: str | None, at: datetime = NOW) -> Injection:
    return Injection(
        id=new_id(), at=at, session_id=session_id, project_id=None, client="claude",
        moment="session_start", tier=Tier.ALWAYS, memory_id=memory_id, tokens=9,
    )  # fmt: skip


def write(store: Store, *rows: Session, notes: tuple[Injection, ...] = ()) -> None:
    with store.append() as conn:
        for one in rows:
            sessions.upsert(conn, one)
        injections.put(conn, notes)


def block(store: Store, id_: str) -> str:
    with store.read() as conn:
        found = sessions.find(conn, id_)
    assert found is not None
    return found.always_on


@pytest.mark.parametrize("noted", [True, False], ids=["noted", "text only"])
def test_erased_from_blocks_and_from_every_byte(store: Store, tmp_path: Path, noted: bool) -> None:
    one = kept(store)
    text = "<project_memory>\n- what bites: quokka\n" if noted else AS_XML
    write(
        store,
        session("told", text),
        session("other", OTHER),
        notes=(given("told", one.id),) if noted else (),
    )
    copy = store.back_up()
    assert "quokka" in holding(tmp_path, ["quokka"])[copy.relative_to(tmp_path).as_posix()]

    assert store.erase([one.id], now=NOW, actor=ME)

    assert (block(store, "told"), block(store, "other")) == ("", OTHER)
    assert holding(tmp_path, ["quokka"]) == {}


@pytest.mark.parametrize(
    "older",
    [
        ["ALTER TABLE events DROP COLUMN why"],
        ["DROP TABLE injections", "DROP TABLE event_files", "DROP TABLE events",
         "ALTER TABLE sessions DROP COLUMN always_on"],
    ],
    ids=["a column less", "before sessions were kept"],
)  # fmt: skip
def test_a_backup_of_an_older_version_is_cleaned_too(
    store: Store, tmp_path: Path, older: list[str]
) -> None:
    one = kept(store)
    told = Event(id="e", at=NOW, client="claude", moment=Moment.PROMPT, session_id="s", text=SAID)
    with store.append() as conn:
        events.append(conn, [told])
    copy = store.back_up()
    with sqlite3.connect(copy) as raw:
        for line in older:
            raw.execute(line)
    raw.close()
    assert store.erase([one.id], now=NOW, actor=ME)
    assert copy.exists()
    assert holding(tmp_path, ["quokka"]) == {}


def test_what_a_memory_said_before_it_was_edited_goes_too(store: Store, tmp_path: Path) -> None:
    one = kept(store)
    now = replace(one, content="Deploy whenever you like.", summary="Deploy whenever you like.")
    with store.write(now=NOW, actor=ME) as tx:
        memories.update_memory(tx, one, now, action="update")
    write(store, session("told", AS_XML))
    told = Event(id="e", at=NOW, client="claude", moment=Moment.PROMPT, session_id="s", text=SAID)
    with store.append() as conn:
        events.append(conn, [told])
    assert store.erase([one.id], now=NOW, actor=ME)
    assert holding(tmp_path, ["quokka"]) == {}


def test_a_resident_that_still_has_the_block_does_not_write_it_again(
    store: Store, tmp_path: Path
) -> None:
    one = kept(store)
    write(store, session("told", AS_XML))
    store.erase([one.id], now=NOW, actor=ME)
    ended = replace(session("told", AS_XML), ended_at=NOW)
    with store.append() as conn:
        sessions.upsert(conn, ended, told=[one.id])
    assert block(store, "told") == ""
    with store.append() as conn:
        sessions.upsert(conn, ended, told=None)  # it knows the text only
    assert block(store, "told") == ""
    with store.append() as conn:
        sessions.upsert(conn, replace(ended, always_on=OTHER), told=[])
    assert block(store, "told") == OTHER
    assert holding(tmp_path, ["quokka"]) == {}


@pytest.mark.parametrize(
    ("change", "holds"),
    [
        ({}, True),
        ({"uses": 9, "pinned": True}, True),
        ({"deleted_at": NOW}, False),
        ({"status": Status.SUPERSEDED}, False),
        ({"status": Status.RETRACTED}, False),
        ({"summary": "Deploy any day", "content": "Deploy any day"}, False),
    ],
)
def test_a_block_holds_while_all_it_tells_does(
    store: Store, change: dict[str, object], holds: bool
) -> None:
    one = kept(store, summary="Never deploy <quokka> & friends on a Friday")
    told = session("told", AS_XML)
    write(store, told)
    with store.write(now=NOW + timedelta(minutes=1), actor=ME) as tx:
        memories.update_memory(tx, one, replace(one, **change), action="update")  # type: ignore[arg-type]
    with store.read() as conn:
        assert sessions.block_holds(conn, told, [one.id]) is holds
        unknown = holds or "content" in change  # an edit is not seen by who knows no ids
        assert sessions.block_holds(conn, told, None) is unknown
        assert sessions.block_holds(conn, session("told", ""), None), "nothing to be given"


def test_a_block_does_not_hold_once_it_was_erased(store: Store) -> None:
    one = kept(store)
    told = session("told", AS_XML)
    write(store, told)
    store.erase([one.id], now=NOW, actor=ME)
    with store.read() as conn:
        assert not sessions.block_holds(conn, told, [one.id])
        assert not sessions.block_holds(conn, told, None)


def test_another_side_of_a_conflict_is_told_by_a_block_as_well(store: Store) -> None:
    side = kept(store)
    told = session("told", AS_XML)
    write(store, told)
    with store.write(now=NOW + timedelta(minutes=1), actor=ME) as tx:
        memories.update_memory(tx, side, replace(side, deleted_at=tx.now), action="remove")
    with store.read() as conn:
        assert not sessions.block_holds(conn, told, [])


def days_ago(days: int) -> datetime:
    return NOW - timedelta(days=days)


def test_sessions_are_kept_as_long_as_events_are(store: Store) -> None:
    rows = {
        "old": session("old", OTHER, days_ago(91)),
        "new": session("new", OTHER, days_ago(89)),
        "goes on": replace(session("goes on", OTHER, days_ago(200)), last_at=days_ago(3)),
        "has events": session("has events", OTHER, days_ago(200)),
        "was given": session("was given", OTHER, days_ago(200)),
    }
    notes = [given(id_, None, one.created_at) for id_, one in rows.items()]
    notes += [given("was given", None, days_ago(2)), given("never seen", None, days_ago(95))]
    write(store, *rows.values(), notes=tuple(notes))
    late = Event(
        id="e", at=days_ago(1), client="claude", moment=Moment.STOP, session_id="has events"
    )
    with store.append() as conn:
        events.append(conn, [late])
    assert keep_house(store, grace_days=30, now=NOW, actor=ME, keep_events_days=90) == ()
    with store.read() as conn:
        assert [id_ for id_ in rows if sessions.find(conn, id_) is None] == ["old"]
        counts = {id_: injections.count(conn, id_) for id_ in (*rows, "never seen")}
    assert counts == {
        "old": 0, "new": 1, "goes on": 1, "has events": 1, "was given": 2, "never seen": 0,
    }  # fmt: skip

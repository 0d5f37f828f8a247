"""Rows of memories: every field comes back, nobody overwrites unseen, a changed byte is noticed."""

from __future__ import annotations

from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import insert
from sqlalchemy.exc import IntegrityError
from store_tools import ME, NOW, memory, store_at

from loremap.errors import BadInput, Damaged, NotFound
from loremap.model.clock import to_ms
from loremap.model.kind import Kind
from loremap.model.memory import (
    Memory,
    Origin,
    Procedure,
    Provenance,
    Scope,
    Status,
    Trigger,
    Visibility,
)
from loremap.model.record import from_record
from loremap.storage import changes, memories
from loremap.storage.memories import Filter
from loremap.storage.store import Store
from loremap.storage.tables import projects
from loremap.storage.transaction import Tx
from loremap.storage.warm import Warm

LETTERS = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
"""What reaches a store: NUL is cleaned away on every way in."""
TEXT = st.text(LETTERS, max_size=40)
NAME = st.text(LETTERS, min_size=1, max_size=20)
NAMES = st.sets(NAME, max_size=3).map(lambda found: tuple(sorted(found)))
SHARE = st.floats(0, 1)
COUNT = st.integers(0, 1 << 31)
TIME = st.datetimes(datetime(1970, 1, 2), datetime(9000, 1, 1)).map(  # noqa: DTZ001  zone below
    lambda at: at.replace(microsecond=at.microsecond // 1000 * 1000, tzinfo=UTC)
)


def maybe(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | strategy


ANY_MEMORY = st.builds(
    Memory,
    id=st.uuids().map(lambda found: found.hex),
    kind=st.sampled_from(Kind),
    content=TEXT,
    summary=TEXT,
    status=st.sampled_from(Status),
    scope=st.sampled_from(Scope),
    project_id=st.sampled_from([None, "here"]),
    created_at=TIME,
    updated_at=TIME,
    last_accessed_at=TIME,
    origin=st.sampled_from(Origin),
    fingerprint=st.uuids().map(lambda found: found.hex),
    tenant_id=st.just("local"),
    owner_id=NAME,
    created_by=NAME,
    visibility=st.sampled_from(Visibility),
    confidence=SHARE,
    importance=SHARE,
    trust=st.floats(0, 2),
    pinned=st.booleans(),
    tainted=st.booleans(),
    uses=COUNT,
    repetitions=COUNT,
    confirmations=COUNT,
    helpful=COUNT,
    unhelpful=COUNT,
    session_id=maybe(TEXT),
    message_start=maybe(COUNT),
    message_end=maybe(COUNT),
    agent=maybe(TEXT),
    branch=maybe(TEXT),
    commit_id=maybe(TEXT),
    source_file=maybe(TEXT),
    seasonal=maybe(TEXT),
    recency_weight=SHARE,
    superseded_by=maybe(TEXT),
    retracted_reason=maybe(TEXT),
    valid_until=maybe(TIME),
    promoted_at=maybe(TIME),
    judged_at=maybe(TIME),
    deleted_at=maybe(TIME),
    version=st.just(1),
    files=NAMES,
    tags=NAMES,
    triggers=st.lists(
        st.builds(
            Trigger,
            st.sampled_from(["literal", "glob", "regex"]),
            NAME,
            st.sampled_from(["any", "command", "file", "text"]),
        ),
        max_size=3,
    ).map(tuple),
    procedure=maybe(
        st.builds(
            Procedure,
            NAME,
            TEXT,
            st.lists(TEXT, max_size=2).map(tuple),
            st.lists(TEXT, max_size=2).map(tuple),
            st.lists(TEXT, max_size=2).map(tuple),
        )
    ),
)


def add_project(tx: Tx, id_: str) -> None:
    at = to_ms(NOW)
    tx.conn.execute(insert(projects).values(id=id_, name=id_, created_at=at, updated_at=at))


@pytest.fixture
def two_projects(store: Store) -> Store:
    with store.write(now=NOW, actor=ME) as tx:
        add_project(tx, "here")
        add_project(tx, "there")
    return store


@given(one=ANY_MEMORY, other=ANY_MEMORY)
@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_every_field_comes_back_from_the_row_and_from_history(
    two_projects: Store, one: Memory, other: Memory
) -> None:
    changed = replace(other, id=one.id)
    with two_projects.write(now=NOW, actor=ME) as tx:
        row = memories.insert_memory(tx, one)
        assert memories.get(tx.conn, one.id) == one
        assert memories.by_rows(tx.conn, [row]) == {row: one}
        after = memories.update_memory(tx, one, changed, action="undo")
        assert after == replace(changed, version=2, updated_at=NOW)
        assert memories.get(tx.conn, one.id) == after
        made, updated = changes.history_of(tx.conn, one.id)
        assert made.before is None
        assert updated.before is not None
        assert from_record(updated.before) == one
        memories.erase(tx, [one.id])


def test_the_round_trip_covers_every_field_of_a_memory() -> None:
    made = memory()
    assert {field.name for field in fields(made)} == {
        name
        for name in ANY_MEMORY.wrapped_strategy.kwargs  # type: ignore[attr-defined]
    }


def test_the_chain_of_sources_comes_back_in_order(store: Store) -> None:
    one = memory()
    chain = [
        Provenance(Origin.WEB, NOW, "s1", "a snippet", "read on a page", "docs/a.md", 7),
        Provenance(Origin.USER_STATED, NOW + timedelta(seconds=1), None, "", "said", None, None),
    ]
    with store.write(now=NOW, actor=ME) as tx:
        memories.insert_memory(tx, one, chain)
    with store.read() as conn:
        assert memories.provenance_of(conn, one.id) == chain


def test_a_change_based_on_an_older_version_writes_nothing(store: Store) -> None:
    one = memory()
    with store.write(now=NOW, actor=ME) as tx:
        memories.insert_memory(tx, one)
    with store.write(now=NOW, actor=ME) as tx:
        first = memories.update_memory(tx, one, replace(one, pinned=True), action="pin")
    assert first.version == 2
    with store.read() as conn:
        seq, trail = store.change_seq(conn), changes.trail(conn, limit=99)
    with (  # noqa: PT012  the whole change is to be undone
        pytest.raises(BadInput, match="changed by someone else"),
        store.write(now=NOW, actor=ME) as tx,
    ):
        memories.insert_memory(tx, memory("Another thing in the same change."))
        memories.update_memory(tx, one, replace(one, content="lost"), action="update")
    with store.read() as conn:
        assert memories.get(conn, one.id) == first
        assert store.change_seq(conn) == seq
        assert changes.trail(conn, limit=99) == trail
        assert memories.count(conn, Filter(everywhere=True)) == 1


def test_an_update_dates_itself_and_replaces_words_files_and_tags(store: Store) -> None:
    one = memory("Alpha omega", tags=("old", "kept"), files=("a.py",))
    later = NOW + timedelta(hours=1)
    with store.write(now=NOW, actor=ME) as tx:
        row = memories.insert_memory(tx, one)
    with store.write(now=later, actor=ME) as tx:
        changed = replace(one, content="Delta", tags=("kept", "new"), files=("b.py",))
        memories.update_memory(tx, one, changed, action="update")
    with store.read() as conn:
        found = memories.get(conn, one.id)
        assert (found.updated_at, found.created_at) == (later, NOW)
        assert (found.tags, found.files) == (("kept", "new"), ("b.py",))
        assert memories.rows_with_tag(conn, "new") == [row]
        assert memories.rows_with_tag(conn, "old") == []
        known = conn.exec_driver_sql("SELECT name FROM tags ORDER BY name").scalars().all()
        assert known == ["kept", "new"]
        warm = Warm(None)
        warm.refresh(conn, seq=store.change_seq(conn))
        said = set(warm.words(conn, at_once=True).vocabulary())
        assert {"delta", "kept", "new", "b", "py"} <= said
        assert not {"alpha", "omega", "old", "a"} & said


@pytest.mark.parametrize(
    ("difference", "stands_beside"),
    [
        ({}, False),
        ({"status": Status.CANDIDATE}, False),  # candidates and confirmed ones are both active
        ({"kind": Kind.GOTCHA, "tags": ("x",)}, False),  # only the text counts
        ({"owner_id": "other"}, True),
        ({"project_id": "there", "scope": Scope.PROJECT}, True),
        ({"project_id": None}, True),
        ({"status": Status.SUPERSEDED}, True),
        ({"status": Status.RETRACTED}, True),
        ({"deleted_at": NOW}, True),
    ],
)
def test_one_active_memory_per_owner_place_and_text(
    two_projects: Store, difference: dict[str, Any], stands_beside: bool
) -> None:
    one = memory(project_id="here", scope=Scope.PROJECT)
    with two_projects.write(now=NOW, actor=ME) as tx:
        memories.insert_memory(tx, one)

    def add() -> None:
        with two_projects.write(now=NOW, actor=ME) as tx:
            twin = memory(**({"project_id": "here", "scope": Scope.PROJECT} | difference))
            memories.insert_memory(tx, twin)

    if stands_beside:
        add()
    else:
        with pytest.raises(IntegrityError, match=r"(?i)unique"):
            add()
    with two_projects.read() as conn:
        held = conn.exec_driver_sql("SELECT count(*) FROM memories").scalar_one()
        assert held == (2 if stands_beside else 1)


@pytest.mark.parametrize("place", [None, "here"])
def test_the_twin_of_a_text_is_found(two_projects: Store, place: str | None) -> None:
    one = memory(project_id=place)
    with two_projects.write(now=NOW, actor=ME) as tx:
        memories.insert_memory(tx, one)
        assert memories.same_fingerprint(tx.conn, memory(project_id=place)) == one
        assert memories.same_fingerprint(tx.conn, memory(project_id="there")) is None


DAMAGE = [
    ("content", "replace(content, 'Node 20', 'Node 22')"),
    ("summary", "summary || ' '"),
    ("kind", "'fakt'"),
    ("scope", "'project'"),
    ("origin", "'user_edit'"),
    ("fingerprint", "'0' || substr(fingerprint, 2)"),
    ("procedure", "'{}'"),
    ("created_at", "created_at + 1"),
    ("owner_id", "'you'"),
    ("attached", """'[["evil.py"],[],[]]'"""),
    ("checksum", "'g' || substr(checksum, 2)"),
]


@pytest.mark.sqlite  # a server refuses such text
def test_text_that_is_no_utf8_any_more_is_noticed_and_withheld(store: Store) -> None:
    _damaged_rows_are_withheld(
        store, "content", "CAST(x'FF' || substr(CAST(content AS BLOB), 2) AS TEXT)"
    )


@pytest.mark.parametrize(("column", "changed"), DAMAGE)
def test_a_row_that_is_not_what_was_written_is_noticed_and_withheld(
    store: Store, column: str, changed: str
) -> None:
    _damaged_rows_are_withheld(store, column, changed)


def _damaged_rows_are_withheld(store: Store, column: str, changed: str) -> None:
    one, other = memory(fingerprint="1" * 64), memory("Untouched.")
    with store.write(now=NOW, actor=ME) as tx:
        row, other_row = (memories.insert_memory(tx, each) for each in (one, other))
    with store.engine.connect() as conn, conn.begin():
        conn.exec_driver_sql(f"UPDATE memories SET {column} = {changed} WHERE row = {row}")
    with store.read() as conn:
        assert memories.damaged(conn) == [one.id]
        assert memories.by_rows(conn, [row, other_row]) == {other_row: other}
        assert memories.page(conn, Filter(everywhere=True), limit=9) == ([other], [one.id])
        with pytest.raises(Damaged, match="checksum") as caught:
            memories.get(conn, one.id)
        assert "lore backup restore" in caught.value.hint


def test_an_intact_store_has_no_damaged_rows(store: Store) -> None:
    with store.write(now=NOW, actor=ME) as tx:
        memories.insert_memory(tx, memory(procedure=Procedure("p", "t", ("a", "b"))))
    with store.read() as conn:
        assert memories.damaged(conn) == []


def test_touching_counts_a_use_and_leaves_version_and_history(store: Store) -> None:
    one, later = memory(), NOW + timedelta(days=2)
    with store.write(now=NOW, actor=ME) as tx:
        memories.insert_memory(tx, one)
    with store.write(now=later, actor=ME) as tx:
        memories.touch(tx, [one.id, "gone"])
    with store.read() as conn:
        assert memories.get(conn, one.id) == replace(one, uses=1, last_accessed_at=later)
        assert len(changes.history_of(conn, one.id)) == 1


def test_erasing_leaves_a_tombstone_and_nothing_else(store: Store) -> None:
    one = memory(tags=("only",), files=("only.py",), kind=Kind.GOTCHA, triggers=(
        Trigger("literal", "only"),
    ))  # fmt: skip
    other = memory("Stays.", tags=("shared",))
    with store.write(now=NOW, actor=ME) as tx:
        row = memories.insert_memory(tx, one, [Provenance(Origin.FILE, NOW)])
        memories.insert_memory(tx, other)
        memories.update_memory(tx, one, replace(one, pinned=True), action="pin")
    with store.write(now=NOW, actor=ME) as tx:
        memories.erase(tx, [one.id])
    with store.read() as conn:
        with pytest.raises(NotFound):
            memories.get(conn, one.id)
        counted = {
            table: conn.exec_driver_sql(f"SELECT count(*) FROM {table}").scalar_one()
            for table in "memories memory_files memory_tags tags triggers provenance "
            "history memory_text".split()
        }
        assert counted == {
            "memories": 1, "memory_files": 0, "memory_tags": 1, "tags": 1, "triggers": 0,
            "provenance": 0, "history": 1, "memory_text": 1,
        }  # fmt: skip
        left = conn.exec_driver_sql("SELECT memory_id, row FROM erasures").all()
        assert left == [(one.id, row)]
    with store.write(now=NOW, actor=ME) as tx:
        assert memories.insert_memory(tx, memory("New.")) > row, "a row number is used once"


def test_what_one_connection_writes_another_reads(tmp_path: Path) -> None:
    writer, reader = store_at(tmp_path), store_at(tmp_path)
    one = memory()
    with writer.write(now=NOW, actor=ME) as tx:
        memories.insert_memory(tx, one)
        with reader.read() as conn:
            assert memories.by_ids(conn, [one.id]) == [], "not before it is committed"
    with reader.read() as conn:
        assert memories.get(conn, one.id) == one
    writer.close()
    reader.close()

"""Numbered steps forward, each whole or not at all, with a copy of the data kept first."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, inspect
from store_tools import ME, NOW, QUICK, memory, store_at

from loremap.errors import MigrationFailed, StoreError, TooNew
from loremap.model.memory import Memory
from loremap.storage import memories, tables
from loremap.storage.memories import Filter
from loremap.storage.migrate import MIGRATIONS, Migration
from loremap.storage.sqlite.backup import backup_paths
from loremap.storage.sqlite.store import FileStore, check_integrity, open_store

LAST = MIGRATIONS[-1].number


def reopened(folder: Path, *steps: Migration) -> FileStore:
    return open_store(folder / "lore.db", options=QUICK, now=NOW, migrations=(*MIGRATIONS, *steps))


def filled(folder: Path, *made: Memory) -> None:
    store = store_at(folder)
    with store.write(now=NOW, actor=ME) as tx:
        for one in made:
            memories.insert_memory(tx, one)
    store.close()


def adds(table: str, column: str, type_: str = "TEXT") -> Callable[[Connection], None]:
    def apply(conn: Connection) -> None:
        conn.exec_driver_sql(f"ALTER TABLE {table} ADD COLUMN {column} {type_}")

    return apply


def breaks_after(first: Callable[[Connection], None]) -> Callable[[Connection], None]:
    def apply(conn: Connection) -> None:
        first(conn)
        conn.exec_driver_sql("DELETE FROM memories")
        conn.exec_driver_sql("CREATE TABLE half_done (x)")
        raise ValueError("something was not as expected")

    return apply


def columns(store: FileStore, table: str) -> set[str]:
    with store.read() as conn:
        return {column["name"] for column in inspect(conn).get_columns(table)}


def test_the_schema_the_migrations_make_is_the_one_the_program_uses(store: FileStore) -> None:
    with store.read() as conn:
        seen = inspect(conn)
        for table in tables.metadata.sorted_tables:
            stored = {column["name"]: column for column in seen.get_columns(table.name)}
            assert set(stored) == {column.name for column in table.columns}, table.name
            for column in table.columns:
                made, numbered = stored[column.name], bool(column.info.get("numbered"))
                type_ = "INTEGER" if numbered else str(column.type.compile(conn.dialect))
                assert str(made["type"]) == type_, column
                assert made["nullable"] == (column.nullable or numbered), column
                assert (made["default"] is None) == (column.server_default is None), column
            keyed = seen.get_pk_constraint(table.name)["constrained_columns"]
            numbers = [column.name for column in table.columns if column.info.get("numbered")]
            own = [key.name for key in table.primary_key.columns if key.name != "tenant_id"]
            assert keyed == numbers or (not numbers and keyed == own), table.name
            indexed = conn.exec_driver_sql(
                "SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name = ? "
                "AND name NOT LIKE 'sqlite_autoindex%'",
                (table.name,),
            )
            assert set(indexed.scalars()) == {index.name for index in table.indexes}, table.name
            linked = {
                (key["constrained_columns"][0], key["referred_table"])
                for key in seen.get_foreign_keys(table.name)
            }
            assert linked == {
                (key.parent.name, key.column.table.name)
                for key in table.foreign_keys
                if key.parent.name != "tenant_id"
            }, table.name
    check_integrity(store, whole=True)


def test_each_migration_leaves_its_record(store: FileStore) -> None:
    with store.read() as conn:
        recorded = conn.exec_driver_sql("SELECT number, name FROM migrations ORDER BY number")
        assert recorded.all() == [(step.number, step.name) for step in MIGRATIONS]
    assert store.version() == LAST
    assert [step.number for step in MIGRATIONS] == list(range(1, LAST + 1))


def test_a_store_with_data_is_copied_before_it_is_migrated(tmp_path: Path) -> None:
    one = memory()
    filled(tmp_path, one)
    store = reopened(tmp_path, Migration(LAST + 1, "more", adds("memories", "more")))
    assert store.version() == LAST + 1
    assert "more" in columns(store, "memories")
    with store.read() as conn:
        assert memories.get(conn, one.id) == one
    store.close()
    (copy,) = backup_paths(tmp_path / "backups")
    (tmp_path / "before").mkdir()
    shutil.copy(copy, tmp_path / "before" / "lore.db")
    before = store_at(tmp_path / "before")
    assert before.version() == LAST
    assert "more" not in columns(before, "memories")
    with before.read() as conn:
        assert memories.get(conn, one.id) == one
    before.close()


def test_an_empty_store_needs_no_copy(tmp_path: Path) -> None:
    store_at(tmp_path).close()
    reopened(tmp_path, Migration(LAST + 1, "more", adds("tags", "more"))).close()
    assert not (tmp_path / "backups").exists()


def test_a_migration_that_fails_half_way_leaves_the_store_as_it_was(tmp_path: Path) -> None:
    one = memory()
    filled(tmp_path, one)
    good = Migration(LAST + 1, "good", adds("tags", "good"))
    bad = Migration(LAST + 2, "bad", breaks_after(adds("memories", "bad")))
    with pytest.raises(MigrationFailed) as caught:
        reopened(tmp_path, good, bad)
    said = str(caught.value)
    assert f"Migration {LAST + 2} (bad)" in said
    assert f"still at version {LAST + 1}" in said
    assert "lore.db.bak.1" in said
    assert "\n" not in said
    store = store_at(tmp_path)  # the program from before
    assert store.version() == LAST + 1
    with store.read() as conn:
        assert memories.get(conn, one.id) == one
        assert not inspect(conn).has_table("half_done")
        names = conn.exec_driver_sql("SELECT name FROM migrations").scalars().all()
    assert "bad" not in names
    assert "bad" not in columns(store, "memories")
    with store.write(now=NOW, actor=ME) as tx:
        memories.insert_memory(tx, memory("The store goes on."))
    store.close()


@pytest.mark.parametrize("value", ["99.1", "0.10000"])
def test_an_older_program_leaves_a_newer_store_alone(tmp_path: Path, value: str) -> None:
    filled(tmp_path, memory())
    store = store_at(tmp_path)
    with store.engine.connect() as conn, conn.begin():
        conn.exec_driver_sql("UPDATE migrations SET oldest_program = ?", (value,))
        conn.exec_driver_sql(f"PRAGMA user_version = {LAST + 7}")
    store.close()
    before, dated = (tmp_path / "lore.db").read_bytes(), (tmp_path / "lore.db").stat().st_mtime_ns
    with pytest.raises(TooNew, match=f"needs version {value}") as caught:
        reopened(tmp_path, Migration(LAST + 8, "more", adds("tags", "more")))
    assert "pip install -U loremap" in caught.value.hint
    assert (tmp_path / "lore.db").read_bytes() == before
    assert (tmp_path / "lore.db").stat().st_mtime_ns == dated
    assert {path.name for path in tmp_path.iterdir()} == {"lore.db", "lore.db.known"}


def test_a_migration_says_which_program_may_still_use_the_store(tmp_path: Path) -> None:
    filled(tmp_path, memory())
    step = Migration(LAST + 1, "breaking", adds("tags", "more"), oldest_program="98.0")
    reopened(tmp_path, step).close()
    with pytest.raises(TooNew, match=r"needs version 98\.0"):
        store_at(tmp_path)


def test_a_newer_store_that_older_programs_may_use_is_used(tmp_path: Path) -> None:
    filled(tmp_path, memory())
    reopened(tmp_path, Migration(LAST + 1, "more", adds("tags", "more"))).close()
    store = store_at(tmp_path)
    with store.write(now=NOW, actor=ME) as tx:
        memories.insert_memory(tx, memory("Written by the older program.", tags=("x",)))
    assert store.version() == LAST + 1
    store.close()


STEP = st.tuples(
    st.sampled_from(["memories", "tags", "links", "projects", "sessions"]),
    st.sampled_from(["TEXT", "INTEGER NOT NULL DEFAULT 7", "REAL DEFAULT 0.5", "BLOB"]),
)


@given(
    steps=st.lists(STEP, min_size=1, max_size=5),
    stops=st.lists(st.integers(0, 5), max_size=3),
    broken=st.none() | st.integers(0, 4),
)
@settings(max_examples=12, deadline=None)
def test_any_way_to_the_newest_version_ends_in_the_same_store(
    steps: list[tuple[str, str]], stops: list[int], broken: int | None
) -> None:
    """However often a user upgrades in between, and whichever step fails once."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        one, other = memory("Known from the start."), memory("Also.", tags=("t",))
        filled(folder, one, other)
        good = [
            Migration(LAST + 1 + number, f"step {number}", adds(table, f"new_{number}", type_))
            for number, (table, type_) in enumerate(steps)
        ]
        for stop in sorted(stops):
            reopened(folder, *good[:stop]).close()
        if broken is not None and broken < len(good):
            bad = [*good]
            bad[broken] = Migration(good[broken].number, "broken", breaks_after(good[broken].apply))
            reached = max([0, *(min(stop, len(good)) for stop in stops)])
            if broken >= reached:
                with pytest.raises(MigrationFailed):
                    reopened(folder, *bad)
                half = reopened(folder, *good[:broken])
                assert half.version() == LAST + broken
                half.close()
        store = reopened(folder, *good)
        assert store.version() == LAST + len(good)
        for number, (table, _) in enumerate(steps):
            assert f"new_{number}" in columns(store, table)
        with store.read() as conn:
            found = memories.listing(conn, Filter(everywhere=True), limit=9)
            assert {each.id: each for each in found} == {one.id: one, other.id: other}
            numbers = conn.exec_driver_sql("SELECT number FROM migrations ORDER BY number")
            assert numbers.scalars().all() == list(range(1, LAST + len(good) + 1))
        check_integrity(store, whole=True)
        store.close()


def test_a_store_of_before_the_first_release_is_left_alone_and_named(tmp_path: Path) -> None:
    filled(tmp_path, memory())
    store = store_at(tmp_path)
    with store.engine.connect() as conn, conn.begin():
        conn.exec_driver_sql("ALTER TABLE migrations DROP COLUMN oldest_program")
    store.close()
    before = (tmp_path / "lore.db").read_bytes()
    with pytest.raises(StoreError, match="before the first release") as caught:
        store_at(tmp_path)
    assert "lore init --new" in caught.value.hint
    assert (tmp_path / "lore.db").read_bytes() == before

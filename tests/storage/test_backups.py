"""Rolling backups: whole, numbered, few; made by one process at a time; put back without loss."""

from __future__ import annotations

import shutil
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from store_tools import ME, NOW, QUICK, Child, memory, store_at

from loremap.errors import NotFound, ReadOnly
from loremap.memory.housekeeping import keep_house
from loremap.storage import memories
from loremap.storage.memories import Filter
from loremap.storage.options import Key
from loremap.storage.sqlite.backup import backup_paths, restore
from loremap.storage.sqlite.store import FileStore, check_integrity

KEY = Key("77" * 32, "88" * 16)


def add(store: FileStore, text: str) -> None:
    with store.write(now=NOW, actor=ME) as tx:
        memories.insert_memory(tx, memory(text))


def contents(folder: Path, file: Path, key: Key | None = None) -> list[str]:
    """What a copy says when it stands in for a store."""
    shutil.rmtree(folder / "looked", ignore_errors=True)
    (folder / "looked").mkdir()
    shutil.copy(file, folder / "looked" / "lore.db")
    store = store_at(folder / "looked", key=key)
    check_integrity(store, whole=True)
    with store.read() as conn:
        found = memories.listing(conn, Filter(everywhere=True), limit=99)
    store.close()
    return sorted(one.content for one in found)


@pytest.mark.parametrize("key", [None, KEY], ids=["plain", "encrypted"])
def test_the_newest_three_are_kept_and_each_is_one_whole_file(
    tmp_path: Path, key: Key | None
) -> None:
    store = store_at(tmp_path, key=key)
    for number in range(5):
        add(store, f"Text {number}")
        assert store.back_up() == tmp_path / "backups" / "lore.db.bak.1"
    names = [path.name for path in backup_paths(store.backups)]
    assert names == ["lore.db.bak.1", "lore.db.bak.2", "lore.db.bak.3"]
    assert {path.name for path in store.backups.iterdir()} == set(names), "no logs beside them"
    for age, path in enumerate(backup_paths(store.backups)):
        assert contents(tmp_path, path, key) == [f"Text {number}" for number in range(5 - age)]
    store.close()


def test_fewer_backups_are_kept_when_the_user_wants_fewer(tmp_path: Path) -> None:
    for most in (4, 2):
        store = store_at(tmp_path, options=replace(QUICK, backups=most))
        for number in range(5):
            add(store, f"{most} {number}")
            store.back_up()
        assert len(backup_paths(store.backups)) == most
        store.close()


def test_a_backup_is_made_of_what_is_committed_while_the_store_is_in_use(store: FileStore) -> None:
    add(store, "Committed.")
    with store.read() as conn:
        assert memories.count(conn, Filter(everywhere=True)) == 1
        copy = store.back_up()
    assert contents(store.path.parent, copy) == ["Committed."]


def test_what_a_killed_backup_left_is_cleared_away(store: FileStore) -> None:
    add(store, "Whole.")
    store.backups.mkdir()
    for name in ("lore.db.bak.1234abcd.new", "lore.db.bak.1234abcd.new-journal"):
        (store.backups / name).write_bytes(b"half")
    (store.backups / "lore.db.bak.note").write_bytes(b"the user's own")
    store.back_up()
    assert {path.name for path in store.backups.iterdir()} == {"lore.db.bak.1", "lore.db.bak.note"}


def test_a_folder_that_cannot_be_made_is_an_error_of_ours(store: FileStore) -> None:
    store.backups.write_text("in the way", "utf-8")
    with pytest.raises(ReadOnly, match="cannot be written") as caught:
        store.back_up()
    assert "\n" not in str(caught.value)


def _back_up_often(pipe: Any, folder: Path, times: int) -> None:
    store = store_at(folder, options=replace(QUICK, busy_timeout_ms=30_000))
    for number in range(times):
        add(store, f"Process {pipe.fileno()} {number} {id(store)}")
        store.back_up()
    store.close()
    pipe.send("done")


def test_processes_that_back_up_at_once_leave_whole_backups(tmp_path: Path) -> None:
    store_at(tmp_path).close()
    with Child(_back_up_often, tmp_path, 8) as one, Child(_back_up_often, tmp_path, 8) as other:
        assert (one.says(), other.says()) == ("done", "done")
    found = backup_paths(tmp_path / "backups")
    assert [path.name[-1] for path in found] == ["1", "2", "3"]
    sizes = [len(contents(tmp_path, path)) for path in found]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] == 16
    assert {path.name for path in (tmp_path / "backups").iterdir()} == {p.name for p in found}


def test_restoring_keeps_what_was_there_with_its_log(tmp_path: Path) -> None:
    store = store_at(tmp_path)
    add(store, "Old.")
    store.back_up()
    add(store, "New.")
    state = {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
    store.close()
    assert "lore.db-wal" in state
    for name, data in state.items():  # as a killed process leaves it: "New." is in the log only
        (tmp_path / name).write_bytes(data)
    aside = restore(tmp_path / "lore.db", tmp_path / "backups", 1)
    again = store_at(tmp_path)
    with again.read() as conn:
        found = [one.content for one in memories.listing(conn, Filter(everywhere=True), limit=9)]
    again.close()
    assert found == ["Old."]
    shelf = tmp_path / "shelf"
    shelf.mkdir()
    for suffix in ("", "-wal"):
        aside.with_name(aside.name + suffix).replace(shelf / f"lore.db{suffix}")
    assert contents(tmp_path, _merged(shelf)) == ["New.", "Old."]


def _merged(folder: Path) -> Path:
    store_at(folder).close()
    return folder / "lore.db"


def test_a_backup_that_is_not_there_is_named_with_those_that_are(tmp_path: Path) -> None:
    store = store_at(tmp_path)
    add(store, "x")
    store.back_up()
    store.close()
    with pytest.raises(NotFound, match="There are: 1") as caught:
        restore(tmp_path / "lore.db", tmp_path / "backups", 4)
    assert "There is no backup 4" in str(caught.value)


def test_a_lost_store_is_restored(tmp_path: Path) -> None:
    store = store_at(tmp_path)
    add(store, "Kept.")
    store.back_up()
    store.close()
    (tmp_path / "lore.db").unlink()
    restore(tmp_path / "lore.db", tmp_path / "backups", 1)
    assert contents(tmp_path, tmp_path / "lore.db") == ["Kept."]


@pytest.fixture
def used(store: FileStore) -> FileStore:
    add(store, "Something to keep.")
    return store


def test_the_house_is_kept_once_a_day(used: FileStore) -> None:
    start = datetime(2026, 1, 1, tzinfo=UTC)
    for hours, backups in [(0, 1), (1, 1), (23, 1), (25, 2), (26, 2), (50, 3)]:
        now = start + timedelta(hours=hours)
        assert keep_house(used, grace_days=30, now=now, actor=ME) == ()
        assert len(backup_paths(used.backups)) == backups, hours


def test_an_empty_store_has_no_house_to_keep(store: FileStore) -> None:
    assert keep_house(store, grace_days=30, now=NOW, actor=ME) == ()
    assert not store.backups.exists()


def test_the_house_that_cannot_be_kept_stops_nobody(used: FileStore) -> None:
    used.backups.write_text("in the way", "utf-8")
    (note,) = keep_house(used, grace_days=30, now=NOW, actor=ME)
    assert note.startswith("Housekeeping was put off: The backup folder")
    other = store_at(used.path.parent)
    with other.write(now=NOW, actor=ME):
        (note,) = keep_house(used, grace_days=30, now=NOW + timedelta(days=2), actor=ME)
    assert "Another process is writing" in note
    other.close()


def test_only_what_was_forgotten_long_enough_ago_is_erased(store: FileStore) -> None:
    now = datetime(2026, 6, 1, tzinfo=UTC)
    for days, text in [(29, "recent"), (31, "old")]:
        with store.write(now=NOW, actor=ME) as tx:
            memories.insert_memory(tx, memory(text, deleted_at=now - timedelta(days=days)))
    add(store, "alive")
    assert keep_house(store, grace_days=30, now=now, actor=ME) == ()
    with store.read() as conn:
        left = conn.exec_driver_sql("SELECT content FROM memories ORDER BY content").scalars().all()
    assert left == ["alive", "recent"]


def _keep_house_now(pipe: Any, folder: Path) -> None:
    store = store_at(folder, options=replace(QUICK, busy_timeout_ms=30_000))
    pipe.send("ready")
    pipe.recv()
    pipe.send(keep_house(store, grace_days=30, now=NOW + timedelta(days=1), actor=ME))
    store.close()


def test_one_process_keeps_the_house_for_all(tmp_path: Path) -> None:
    store = store_at(tmp_path)
    add(store, "Something to keep.")
    store.close()
    with Child(_keep_house_now, tmp_path) as one, Child(_keep_house_now, tmp_path) as other:
        assert (one.says(), other.says()) == ("ready", "ready")
        one.tell("go")
        other.tell("go")
        assert (one.says(), other.says()) == ((), ())
    assert len(backup_paths(tmp_path / "backups")) == 1

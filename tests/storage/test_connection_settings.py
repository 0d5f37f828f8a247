"""How the file is opened: log, locks, durability, rights; and the errors in our own words."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from sqlcipher3 import dbapi2 as driver
from store_tools import ME, NOW, Child, memory, store_at

from loremap.errors import Busy, Damaged, DiskFull, KeyWrong, Moved, ReadOnly, StoreError
from loremap.storage import memories
from loremap.storage.options import Key, Options
from loremap.storage.sqlite.connect import in_our_words
from loremap.storage.store import Store


@pytest.mark.parametrize("key", [None, Key("ab" * 32, "cd" * 16)])
def test_every_connection_is_tuned(tmp_path: Path, key: Key | None) -> None:
    store = store_at(tmp_path, key=key, options=Options(busy_timeout_ms=1234))
    with store.read() as first, store.read() as second:  # two at once, so two of them are looked at
        for conn in (first, second):
            pragmas = {
                name: conn.exec_driver_sql(f"PRAGMA {name}").scalar_one()
                for name in "journal_mode synchronous foreign_keys secure_delete busy_timeout "
                "temp_store cache_size".split()
            }
            assert pragmas == {
                "journal_mode": "wal",
                "synchronous": 2,  # full: a commit survives a power loss
                "foreign_keys": 1,
                "secure_delete": 1,
                "busy_timeout": 1234,
                "temp_store": 2,  # in memory: nothing is spilled to a disk
                "cache_size": -65_536,
            }
    store.close()


def test_less_durable_is_the_users_choice(tmp_path: Path) -> None:
    store = store_at(tmp_path, options=Options(synchronous="normal"))
    with store.read() as conn:
        assert conn.exec_driver_sql("PRAGMA synchronous").scalar_one() == 1
    store.close()


@pytest.mark.skipif(os.name != "posix", reason="rights are POSIX's")
@pytest.mark.parametrize("umask", [0o000, 0o022])
def test_only_the_owner_can_read_the_files(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        store = store_at(tmp_path)
        with store.write(now=NOW, actor=ME) as tx:
            memories.insert_memory(tx, memory())
        store.back_up()
        files = [path for path in tmp_path.rglob("*") if path.is_file()]
        rights = {path.name: stat.S_IMODE(path.stat().st_mode) for path in files}
    finally:
        os.umask(before)
    store.close()
    assert set(rights) == {
        "lore.db", "lore.db-wal", "lore.db-shm", "lore.db.known", "lore.db.bak.1",
    }  # fmt: skip
    assert set(rights.values()) == {0o600}


@pytest.mark.skipif(os.name != "posix", reason="rights are POSIX's")
@pytest.mark.parametrize("rights", [0o640, 0o604, 0o660])
def test_a_store_that_others_could_read_is_the_owners_alone_again(
    tmp_path: Path, rights: int
) -> None:
    store_at(tmp_path).close()
    file = tmp_path / "lore.db"
    file.chmod(rights)
    store_at(tmp_path).close()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_writer_holds_the_lock_from_its_first_moment(tmp_path: Path) -> None:
    first, second = store_at(tmp_path), store_at(tmp_path)
    with first.write(now=NOW, actor=ME):
        with pytest.raises(Busy) as caught, second.write(now=NOW, actor=ME):
            pytest.fail("two writers at once")
        with second.read() as conn:
            assert second.change_seq(conn) == 0, "a reader is not kept waiting"
    assert "\n" not in str(caught.value)
    with second.write(now=NOW, actor=ME) as tx:
        assert tx.seq == 2
    first.close()
    second.close()


def test_a_write_asks_for_the_lock_before_it_reads(store: Store) -> None:
    said: list[str] = []
    with store.engine.connect() as conn:  # the one connection that the pool has
        raw = conn.connection.driver_connection
        assert raw is not None
        raw.set_trace_callback(said.append)
    with store.write(now=NOW, actor=ME):
        pass
    with store.read() as conn:
        store.change_seq(conn)
    begun = [statement.split(";")[0].strip() for statement in said if "BEGIN" in statement]
    assert begun == ["BEGIN IMMEDIATE", "BEGIN DEFERRED"]


def _hold_the_lock(pipe: object, folder: Path, seconds: float) -> None:
    import time

    store = store_at(folder)
    with store.write(now=NOW, actor=ME):
        pipe.send("held")  # type: ignore[attr-defined]
        time.sleep(seconds)
    store.close()


def test_a_writer_waits_for_another_process(tmp_path: Path) -> None:
    store = store_at(tmp_path, options=Options(busy_timeout_ms=20_000))
    with Child(_hold_the_lock, tmp_path, 0.5) as other:
        assert other.says() == "held"
        with store.write(now=NOW, actor=ME) as tx:
            assert tx.seq == 2, "after the other one"
    store.close()


def test_a_reader_sees_one_state_throughout(store: Store) -> None:
    with store.read() as conn:
        before = store.change_seq(conn)
        with store.write(now=NOW, actor=ME) as tx:
            memories.insert_memory(tx, memory())
        assert store.change_seq(conn) == before
        assert conn.exec_driver_sql("SELECT count(*) FROM memories").scalar_one() == 0
    with store.read() as conn:
        assert store.change_seq(conn) == before + 1


def test_a_store_whose_file_was_replaced_takes_no_more_writes(tmp_path: Path) -> None:
    store = store_at(tmp_path)
    with store.write(now=NOW, actor=ME) as tx:
        memories.insert_memory(tx, memory())
    store.back_up().replace(store.path)
    with pytest.raises(Moved), store.write(now=NOW, actor=ME):
        pytest.fail("written to a file without a name")
    with pytest.raises(Moved), store.read() as conn:
        store.change_seq(conn)
    store.close()


@pytest.mark.parametrize(
    ("said", "keyed", "meant"),
    [
        ("database is locked", False, Busy),
        ("database table is locked: memories", False, Busy),
        ("database or disk is full", False, DiskFull),
        ("attempt to write a readonly database", False, ReadOnly),
        ("unable to open database file", False, ReadOnly),
        ("file is not a database", True, KeyWrong),
        ("file is not a database", False, Damaged),
        ("database disk image is malformed", False, Damaged),
        ("disk I/O error", False, StoreError),
    ],
)
def test_what_the_driver_says_is_said_in_one_line(
    said: str, keyed: bool, meant: type[StoreError]
) -> None:
    fault = in_our_words(driver.OperationalError(said), Path("/data/lore.db"), keyed=keyed)
    assert type(fault) is meant
    assert "\n" not in str(fault)
    assert len(str(fault)) < 300


def test_a_folder_in_the_stores_place_is_an_error_of_ours(tmp_path: Path) -> None:
    (tmp_path / "lore.db").mkdir()
    with pytest.raises(StoreError, match="cannot be read"):
        store_at(tmp_path)

"""A server keeps tenants apart by itself, whatever a query asks for."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import replace

import psycopg
import pytest
from sqlalchemy import insert, select, text
from sqlalchemy.exc import DBAPIError
from store_tools import ME, NOW, memory

from loremap.errors import Busy, StoreError
from loremap.model.memory import Actor
from loremap.storage import changes, memories, tables
from loremap.storage.dialect import CutOff, dialect_of
from loremap.storage.memories import Filter
from loremap.storage.postgres.store import ServerStore, open_server
from loremap.storage.warm import Warm
from postgres_tools import Server


@pytest.fixture
def ours(postgres: str) -> Iterator[ServerStore]:
    """A store with one memory."""
    store = open_server(postgres, tenant_id="ours", now=NOW)
    with store.write(now=NOW, actor=Actor(tenant_id="ours")) as tx:
        memories.insert_memory(tx, memory("Ours alone.", tenant_id="ours", tags=("x",)))
    yield store
    store.close()


@pytest.fixture
def theirs(postgres: str) -> Iterator[ServerStore]:
    """The store of another tenant in the same database."""
    store = open_server(postgres, tenant_id="theirs", now=NOW)
    yield store
    store.close()


def test_a_query_that_forgets_the_tenant_sees_its_own_rows_only(
    ours: ServerStore, theirs: ServerStore
) -> None:
    everything = {
        name: select(table) for name, table in tables.metadata.tables.items() if name != "meta"
    }
    with theirs.read() as conn:
        seen = {name: conn.execute(query).all() for name, query in everything.items()}
        seen["memory_text"] = conn.execute(text("SELECT * FROM memory_text")).all()
    assert {name for name, rows in seen.items() if rows} == {"migrations"}
    with theirs.append() as conn:
        changed = conn.execute(text("UPDATE memories SET content = 'theirs'"))
        removed = conn.execute(text("DELETE FROM tags"))
        assert (changed.rowcount, removed.rowcount) == (0, 0)
    with ours.read() as conn:
        (held,) = memories.listing(conn, Filter(tenant_id="ours", everywhere=True), limit=9)
        assert (held.content, held.tags) == ("Ours alone.", ("x",))


def test_a_row_cannot_be_given_to_another_tenant(ours: ServerStore, theirs: ServerStore) -> None:
    with pytest.raises(DBAPIError, match="row-level security"), theirs.append() as conn:
        conn.execute(insert(tables.tags).values(tenant_id="ours", name="y", created_at=0))


def test_who_says_no_tenant_sees_and_writes_nothing(server: Server, ours: ServerStore) -> None:
    with psycopg.connect(server.url) as conn:
        assert conn.execute("SELECT count(*) FROM memories").fetchone() == (0,)
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            conn.execute("INSERT INTO tags (name, created_at) VALUES ('y', 0)")


def test_every_tenant_counts_its_own_changes_and_rows(
    ours: ServerStore, theirs: ServerStore
) -> None:
    actor = Actor(tenant_id="theirs")
    with theirs.write(now=NOW, actor=actor) as tx:
        assert tx.seq == 1
        made = [memory(f"Theirs {n}.", tenant_id="theirs") for n in range(3)]
        assert [memories.insert_memory(tx, each) for each in made] == [1, 2, 3]
    with theirs.read() as conn:
        assert [entry.seq for entry in changes.trail(conn, limit=9)] == [3, 2, 1]
    theirs.erase([made[2].id], now=NOW, actor=actor)
    with theirs.write(now=NOW, actor=actor) as tx:
        again = memories.insert_memory(tx, memory("Another.", tenant_id="theirs"))
    assert again == 4  # a number that was erased names nothing else


def test_a_role_that_sees_all_rows_is_refused(server: Server) -> None:
    with pytest.raises(StoreError, match="sees every tenant's rows"):
        open_server(server.admin, tenant_id="local", now=NOW)


def test_a_server_that_is_not_there_is_said_so() -> None:
    with pytest.raises(StoreError, match="cannot be reached") as caught:
        open_server("postgresql://lore@127.0.0.1:1/lore", tenant_id="local", now=NOW)
    assert "\n" not in str(caught.value)


def test_writers_of_a_tenant_take_turns_and_lose_nothing(postgres: str) -> None:
    def write(name: str) -> None:
        store = open_server(postgres, tenant_id="local", now=NOW)
        for number in range(20):
            with store.write(now=NOW, actor=ME) as tx:
                memories.insert_memory(tx, memory(f"{name} says {number}."))
        store.close()

    threads = [threading.Thread(target=write, args=(name,)) for name in ("one", "two", "three")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    store = open_server(postgres, tenant_id="local", now=NOW)
    with store.read() as conn:
        assert memories.count(conn, Filter(everywhere=True)) == 60
        assert store.change_seq(conn) == 60
        warm = Warm(None)
        warm.refresh(conn, seq=60)
        assert sorted(warm["row"].tolist()) == list(range(1, 61))
    store.close()


def test_a_writer_that_waits_too_long_is_told(postgres: str) -> None:
    one = open_server(postgres, tenant_id="local", now=NOW)
    other = open_server(postgres, tenant_id="local", now=NOW, busy_timeout_ms=200)
    with one.write(now=NOW, actor=ME):
        with pytest.raises(Busy), other.write(now=NOW, actor=ME):
            pass
        elsewhere = open_server(postgres, tenant_id="elsewhere", now=NOW, busy_timeout_ms=200)
        with elsewhere.write(now=NOW, actor=replace(ME, tenant_id="elsewhere")) as tx:
            assert tx.seq == 1
        elsewhere.close()
    for store in (one, other):
        store.close()


def test_a_reader_sees_one_state_throughout(postgres: str) -> None:
    store = open_server(postgres, tenant_id="local", now=NOW)
    with store.read() as conn:
        assert memories.count(conn, Filter(everywhere=True)) == 0
        with store.write(now=NOW, actor=ME) as tx:
            memories.insert_memory(tx, memory())
        assert memories.count(conn, Filter(everywhere=True)) == 0
    store.close()


def test_a_statement_that_takes_too_long_is_cut_off_and_the_rest_goes_on(postgres: str) -> None:
    store = open_server(postgres, tenant_id="local", now=NOW)
    with store.read() as conn:
        bound = dialect_of(conn).time_bound
        with pytest.raises(CutOff), bound(conn, until=time.perf_counter() + 0.1):
            conn.execute(text("SELECT pg_sleep(60)"))
        with pytest.raises(CutOff), bound(conn, until=time.perf_counter() - 1):
            raise AssertionError("its time was over before")
        with bound(conn, until=time.perf_counter() + 60):
            assert conn.execute(text("SELECT 7")).scalar_one() == 7
        assert conn.execute(text("SHOW statement_timeout")).scalar_one() == "0"
    store.close()

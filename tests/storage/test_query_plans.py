"""What every write asks is looked up in an index, however many memories there are."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import Connection
from store_tools import ME, NOW, memory

from loremap.storage import memories
from loremap.storage.sqlite import connect, dialect, text_index
from loremap.storage.store import Store
from loremap.storage.warm import Warm


def plan_of(conn: Connection, sql: str, given: Any) -> str:
    """How SQLite finds the answer."""
    return "; ".join(row[3] for row in conn.exec_driver_sql(f"EXPLAIN QUERY PLAN {sql}", given))


def test_a_refresh_does_not_walk_through_all_memories(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[tuple[str, Any]] = []

    def noting(conn: Connection, sql: str, *given: object) -> list[Any]:
        said.append((sql, given))
        return connect.asked(conn, sql, *given)

    for module in (dialect, text_index):
        monkeypatch.setattr(module, "asked", noting)
    held = Warm("model")
    with store.read() as conn:
        held.refresh(conn, seq=0)
        held.words(conn, at_once=True)
        said.clear()
        held.refresh(conn, seq=1)
        held.words(conn)
        assert len(said) == 7
        assert not [sql for sql, given in said if "SCAN m" in plan_of(conn, sql, given)]


def test_the_search_for_a_twin_does_not_walk_through_all_memories(store: Store) -> None:
    one = memory()
    with store.write(now=NOW, actor=ME) as tx:
        memories.insert_memory(tx, one)
    with store.read() as conn:
        assert memories.same_fingerprint(conn, one) == one
        twin = str(memories._SAME_TEXT.compile(store.engine))
        plan = plan_of(conn, twin, ("tenant", "owner", "project", "fingerprint"))
        assert "memories_once (tenant_id=? AND owner_id=? AND <expr>=? AND fingerprint=?)" in plan

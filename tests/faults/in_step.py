"""Whether all that belongs to a memory is there, however its writer ended."""

from __future__ import annotations

from collections.abc import Mapping

from loremap.app import Lore
from loremap.storage import memories
from loremap.storage.indexed import COLUMNS, indexed
from loremap.storage.sqlite.store import check_integrity


def assert_in_step(lore: Lore, said: Mapping[str, set[str]]) -> None:
    """The file is whole; every memory has its words, vector, history and trail; and each id of
    `said` says one of the texts it may say."""
    check_integrity(lore.store, whole=True)
    with lore.store.engine.connect() as conn:
        # Compares the index with the words it was made from, and raises where they differ.
        conn.exec_driver_sql(
            "INSERT INTO memory_text(memory_text, rank) VALUES ('integrity-check', 1)"
        )
    with lore.store.read() as conn:
        ids = conn.exec_driver_sql("SELECT row, id FROM memories").all()
        rows = {row: id_ for row, id_ in ids}
        found = memories.by_rows(conn, list(rows))
        assert len(found) == len(rows), "a row is damaged"
        wanted = {
            row: tuple(" ".join(terms) for terms in indexed(memory).values())
            for row, memory in found.items()
        }
        columns = ", ".join(COLUMNS)
        held = conn.exec_driver_sql(f"SELECT rowid, {columns} FROM memory_text")
        assert {row: tuple(terms) for row, *terms in held} == wanted
        embedded = conn.exec_driver_sql("SELECT DISTINCT memory_id, fingerprint FROM vectors").all()
        assert {tuple(pair) for pair in embedded} == {
            (memory.id, memory.fingerprint) for memory in found.values()
        }
        versions = {memory.id: memory.version for memory in found.values()}
        kept = conn.exec_driver_sql(
            "SELECT memory_id, max(version) FROM history GROUP BY memory_id"
        )
        assert {id_: version for id_, version in kept} == versions
        if conn.exec_driver_sql("SELECT min(seq) FROM audit").scalar() == 1:  # nothing trimmed yet
            told = conn.exec_driver_sql(
                "SELECT memory_id, count(*) FROM audit "
                "WHERE memory_id IN (SELECT id FROM memories) GROUP BY memory_id"
            )
            assert {id_: count for id_, count in told} == versions
    held = {memory.id: memory.content for memory in found.values()}
    lost = {id_: texts for id_, texts in said.items() if held.get(id_) not in texts}
    assert not lost

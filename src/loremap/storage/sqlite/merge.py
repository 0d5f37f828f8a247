"""Brings what was read of a damaged file into a whole store made from a backup."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    Boolean,
    Column,
    Connection,
    RowMapping,
    Table,
    delete,
    func,
    insert,
    select,
    update,
)
from sqlalchemy.exc import IntegrityError

from loremap.storage import memories, relations, tables
from loremap.storage.indexed import indexed
from loremap.storage.sqlite import text_index
from loremap.storage.sqlite.salvage import Row, Salvaged, is_erasure, is_id, is_link, is_memory
from loremap.storage.transaction import Tx

DERIVED = frozenset({"memory_files", "memory_tags", "tags", "triggers"})
"""Made from the rows of memories again."""
LEFT_OUT = frozenset(
    {
        "meta", "migrations", "vectors", "memory_clusters", "clusters", "mentions", "facts_read",
    }
)  # fmt: skip
"""What belongs to the file, and what a model makes again."""
SEALED = frozenset({"memories", "links", "erasures"})
KEYED = frozenset(
    {
        "projects", "project_aliases", "aliases", "modules", "sessions", "entities", "facts",
        "inferred_tags", "proposals", "gaps", "tasks", "patterns", "pattern_sightings",
    }
)  # fmt: skip
"""Rows of these are changed in place: the newer one holds."""


@dataclass(frozen=True, slots=True)
class Merged:
    """What became of the memories."""

    brought: int
    """Newer in the damaged file than in the backup, or only there."""
    lost: tuple[str, ...]
    """Ids that were known and are in neither."""
    older: tuple[str, ...]
    """Ids of which only an earlier version is left."""


def merge(tx: Tx, found: Salvaged) -> Merged:
    """Bring `found` into the store, which holds the newest backup."""
    tx.conn.exec_driver_sql("PRAGMA defer_foreign_keys = ON")  # orphans are dropped at the end
    graves = [row for row in found.rows.get("erasures", ()) if is_erasure(row)]
    _erase(tx, graves)
    erased = set(tx.conn.execute(select(tables.erasures.c.memory_id)).scalars())
    for table in tables.metadata.sorted_tables:
        if table.name not in DERIVED | LEFT_OUT | SEALED:
            _bring_rows(tx.conn, table, found)
    brought = _bring_memories(tx, found, erased=erased)
    _bring_links(tx.conn, found)
    _drop_orphans(tx.conn)
    return _summed_up(tx.conn, found, erased=erased, brought=brought)


def _bring_memories(tx: Tx, found: Salvaged, *, erased: set[str]) -> int:
    """Put every memory in place that is newer than what the backup has of it; how many."""
    versions = _versions(tx.conn)
    same = set(tx.conn.execute(select(tables.memories.c.checksum)).scalars())
    return sum(
        _bring_memory(tx, row)
        for row in found.rows.get("memories", ())
        if row.get("checksum") not in same
        and is_memory(row)
        and row["id"] not in erased
        and row["version"] >= versions.get(row["id"], 0)
    )


def _versions(conn: Connection) -> dict[str, int]:
    query = select(tables.memories.c.id, tables.memories.c.version)
    return {id_: version for id_, version in conn.execute(query)}


def _erase(tx: Tx, graves: list[Row]) -> None:
    """What was erased since the backup stays erased."""
    held = set(tx.conn.execute(select(tables.memories.c.id)).scalars())
    memories.remove_rows(tx.conn, [row["memory_id"] for row in graves if row["memory_id"] in held])
    known = set(tx.conn.execute(select(tables.erasures.c.memory_id)).scalars())
    for row in graves:
        if row["memory_id"] not in known:
            tx.conn.execute(insert(tables.erasures).values(row | {"seq": tx.seq}))


def _bring_memory(tx: Tx, row: Row) -> bool:
    """Put one row in place of what the backup has of it; whether that changed anything."""
    table = tables.memories
    known = tx.conn.execute(select(table.c.row).where(table.c.id == row["id"])).scalar()
    values = row | {"seq": tx.seq}
    values.pop("row")
    with tx.conn.begin_nested() as step:
        try:
            number = _put(tx.conn, values, known=known)
            (memory,) = memories.by_rows(tx.conn, [number]).values()
            memories.attach_again(tx, [memory.id])
            text_index.unindex(tx.conn, [number])
            text_index.index(tx.conn, number, indexed(memory))
        except IntegrityError:  # its text was said again since, and stands under another id
            step.rollback()
            return False
    return True


def _put(conn: Connection, values: Row, *, known: int | None) -> int:
    table = tables.memories
    if known is not None:
        conn.execute(update(table).where(table.c.row == known).values(**values))
        return known
    return int(conn.execute(insert(table).values(**values).returning(table.c.row)).scalar_one())


def _bring_rows(conn: Connection, table: Table, found: Salvaged) -> None:
    """Add the rows that the backup lacks; one that is kept in place takes the newer values."""
    keys = [column.name for column in table.primary_key.columns]
    held = {_key(row, keys): dict(row) for row in conn.execute(select(table)).mappings()}
    fitting = [row for row in found.rows.get(table.name, ()) if _fits(row, table)]
    fresh = {_key(row, keys): row for row in fitting if _key(row, keys) not in held}
    if fresh:
        conn.execute(insert(table).prefix_with("OR IGNORE"), list(fresh.values()))
    for row in fitting if table.name in KEYED else ():
        if held.get(_key(row, keys), row) != row:
            where = [table.c[name] == row[name] for name in keys]
            _tried(conn, update(table).where(*where).values(**row))


def _tried(conn: Connection, statement: Any) -> None:
    with conn.begin_nested() as step:
        try:
            conn.execute(statement)
        except IntegrityError:  # another row has its place
            step.rollback()


def _key(row: Mapping[str, Any] | RowMapping, keys: list[str]) -> tuple[Any, ...]:
    return tuple(row.get(name) for name in keys)


def _fits(row: Row, table: Table) -> bool:
    """Whether a row has every value it must have, each of its column's type."""
    return set(row) <= set(table.c.keys()) and all(
        _may_be(row.get(column.name), column) for column in table.c
    )


def _may_be(value: object, column: Column[Any]) -> bool:
    if value is None:
        return bool(column.nullable) or column.server_default is not None
    if isinstance(column.type, Boolean):
        return value in (0, 1)
    if isinstance(value, str) and not _is_text(value):
        return False
    return isinstance(value, _TYPES.get(type(column.type).__name__, object))


_TYPES: dict[str, Any] = {
    "Text": str, "BigInteger": int, "Float": (int, float), "LargeBinary": bytes,
}  # fmt: skip
_OF_MEMORIES = frozenset(
    name for name, table in tables.metadata.tables.items()
    if "memory_id" in table.c and table.c.memory_id.foreign_keys
)  # fmt: skip
"""Tables whose rows are there only while their memory is."""


def _is_text(value: str) -> bool:
    return not any("\ud800" <= sign <= "\udfff" for sign in value)


def _bring_links(conn: Connection, found: Salvaged) -> None:
    links = tables.links
    for held in conn.execute(select(links)).all():
        if not relations.is_intact(held):
            conn.execute(delete(links).where(*_same_link(held._asdict())))
    for row in found.rows.get("links", ()):
        if is_link(row):
            conn.execute(delete(links).where(*_same_link(row)))
            conn.execute(insert(links).values(**row))


def _same_link(row: Row) -> list[Any]:
    return [tables.links.c[name] == row[name] for name in ("source_id", "target_id", "relation")]


def _drop_orphans(conn: Connection) -> None:
    """Take out rows that belong to something that was lost."""
    for table, row, *_ in conn.exec_driver_sql("PRAGMA foreign_key_check").all():
        conn.exec_driver_sql(f'DELETE FROM "{table}" WHERE rowid = ?', (row,))


def _summed_up(conn: Connection, found: Salvaged, *, erased: set[str], brought: int) -> Merged:
    held = _versions(conn)
    known = _known_versions(found)
    lost = sorted(id_ for id_ in known if id_ not in held and id_ not in erased)
    older = sorted(id_ for id_, version in known.items() if held.get(id_, version) < version)
    return Merged(brought, tuple(lost), tuple(older))


def _known_versions(found: Salvaged) -> dict[str, int]:
    """Every memory that any row of the damaged file tells of, and its newest version told."""
    known: dict[str, int] = {}
    for name, rows in found.rows.items():
        column = "id" if name == "memories" else "memory_id"
        for row in rows if name == "memories" or name in _OF_MEMORIES else ():
            id_, version = str(row.get(column)), row.get("version", 0)
            if is_id(id_):
                told = version if name in ("memories", "history") else 0
                told = told if isinstance(told, int) and told < 2**31 else 0
                known[id_] = max(known.get(id_, 0), told)
    return known


def unread(conn: Connection, found: Salvaged) -> dict[str, tuple[int, int]]:
    """Of every table that could not be read whole and of which less was read than the backup
    holds: both counts."""
    counts = {}
    for name in sorted(found.unread - LEFT_OUT):
        table = tables.metadata.tables[name]
        had = conn.execute(select(func.count()).select_from(table)).scalar_one()
        read = len(found.rows.get(name, ()))
        if read < had:
            counts[name] = (had, read)
    return counts

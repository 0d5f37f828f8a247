"""Small facts about the store itself, by key."""

from __future__ import annotations

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from loremap.storage.tables import meta

CHANGE_SEQ = "change_seq"
"""How many writes there were."""
_SAME = meta.c.key == bindparam("of_key")
_READ = select(meta.c.value).where(_SAME)
_SET = update(meta).where(_SAME).values(value=bindparam("to_value"))
_ADD = insert(meta)
"""Put together once, because every write and recall asks them."""


def fact(conn: Connection, key: str) -> str | None:
    """What is noted under `key`."""
    return conn.execute(_READ, {"of_key": key}).scalar()


def set_fact(conn: Connection, key: str, value: str) -> None:
    """Note `value` under `key`."""
    if not conn.execute(_SET, {"of_key": key, "to_value": value}).rowcount:
        conn.execute(_ADD, {"key": key, "value": value})


def drop_fact(conn: Connection, key: str, *, value: str | None = None) -> None:
    """Forget what is noted under `key`, or only that it is `value`."""
    same = meta.c.key == key
    conn.execute(delete(meta).where(same if value is None else same & (meta.c.value == value)))

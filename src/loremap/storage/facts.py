"""Small facts about the store itself, by key."""

from __future__ import annotations

from sqlalchemy import Connection, delete, insert, select, update

from loremap.storage.tables import meta

CHANGE_SEQ = "change_seq"
"""How many writes there were."""


def fact(conn: Connection, key: str) -> str | None:
    """What is noted under `key`."""
    return conn.execute(select(meta.c.value).where(meta.c.key == key)).scalar()


def set_fact(conn: Connection, key: str, value: str) -> None:
    """Note `value` under `key`."""
    if not conn.execute(update(meta).where(meta.c.key == key).values(value=value)).rowcount:
        conn.execute(insert(meta).values(key=key, value=value))


def drop_fact(conn: Connection, key: str, *, value: str | None = None) -> None:
    """Forget what is noted under `key`, or only that it is `value`."""
    same = meta.c.key == key
    conn.execute(delete(meta).where(same if value is None else same & (meta.c.value == value)))

"""Rows other than memories as they were before a change, so that it can be undone."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Table,
    UniqueConstraint,
    and_,
    delete,
    func,
    insert,
    select,
    update,
)
from sqlalchemy.exc import IntegrityError

from loremap.errors import BadInput
from loremap.storage.tables import (
    clusters,
    conflicts,
    inferred_tags,
    memory_clusters,
    metadata,
    projects,
    row_history,
)
from loremap.storage.transaction import Tx, note_told

Row = dict[str, Any]
_BYTES = "base64"


@contextmanager
def kept(
    tx: Tx,
    table: Table,
    where: ColumnElement[bool],
    *,
    columns: Sequence[str] = (),
    project_id: str | None = None,
    memory_id: str | None = None,
) -> Iterator[None]:
    """Write down which rows of `table` are changed meanwhile, and what they were.

    Only `columns` are kept and put back, where given; else whole rows.
    """
    before = _rows(tx.conn, table, where, columns)
    yield
    after = _rows(tx.conn, table, where, columns)
    for key in dict.fromkeys((*before, *after)):
        if before.get(key) != after.get(key):
            tx.conn.execute(
                insert(row_history).values(
                    change_id=tx.change_id,
                    project_id=project_id,
                    memory_id=memory_id,
                    table_name=table.name,
                    row_key=key,
                    before=_json(before[key]) if key in before else None,
                )
            )


def made(
    tx: Tx, table: Table, key: Row, *, memory_id: str | None, project_id: str | None = None
) -> None:
    """Write down that a row was made, so that undoing takes it away."""
    tx.conn.execute(
        insert(row_history).values(
            change_id=tx.change_id,
            project_id=project_id,
            memory_id=memory_id,
            table_name=table.name,
            row_key=_json(key),
        )
    )


def note_rows(
    tx: Tx, table: Table, rows: Sequence[tuple[Row, Row | None]], *, project_id: str | None
) -> None:
    """Write down many rows that were changed at once: the key of each, and what it was before, None
    where the change made it."""
    if rows:
        tx.conn.execute(
            insert(row_history),
            [
                {
                    "change_id": tx.change_id,
                    "project_id": project_id,
                    "memory_id": None,
                    "table_name": table.name,
                    "row_key": _json(key),
                    "before": None if before is None else _json(before),
                }
                for key, before in rows
            ],
        )


def forget(conn: Connection, ids: Sequence[str]) -> None:
    """Drop what is kept of rows that were about erased memories: a conflict quotes both sides, and
    a cluster is called by words of its members."""
    conn.execute(delete(row_history).where(row_history.c.memory_id.in_(ids)))
    query = select(row_history.c.seq, row_history.c.before).where(
        row_history.c.table_name == conflicts.name, row_history.c.before.contains("memory_b")
    )
    erased = set(ids)
    gone = [seq for seq, before in conn.execute(query) if json.loads(before)["memory_b"] in erased]
    of_many = select(row_history.c.seq, row_history.c.row_key).where(
        row_history.c.table_name.in_((inferred_tags.name, memory_clusters.name))
    )
    gone += [seq for seq, key in conn.execute(of_many) if json.loads(key)["memory_id"] in erased]
    named = and_(row_history.c.table_name == clusters.name, row_history.c.before.is_not(None))
    conn.execute(delete(row_history).where(named))
    conn.execute(delete(row_history).where(row_history.c.seq.in_(gone)))


def put_back(tx: Tx, change_id: str) -> set[str]:
    """Make the rows that a change altered what they were; returns the names of their tables."""
    wanted = row_history.c.change_id == change_id
    entries = tx.conn.execute(
        select(row_history).where(wanted).order_by(row_history.c.seq.desc())
    ).all()
    try:
        # What the change made goes first, so that what it replaced can take its place again.
        for entry in sorted(entries, key=lambda entry: entry.before is not None):
            if _changed_since(tx.conn, entry.table_name, entry.row_key, entry.seq, change_id):
                raise BadInput("That was changed again since, from elsewhere; nothing was undone.")
            table = metadata.tables[entry.table_name]
            before = None
            if entry.before is not None:
                before = json.loads(entry.before, object_hook=_unpacked)
            _put_row(tx, table, json.loads(entry.row_key), before)
    except IntegrityError as fault:
        raise BadInput("What it was about is gone; nothing was undone.") from fault
    mark_undone(tx, change_id)
    altered = {entry.table_name for entry in entries}
    if projects.name in altered:
        note_told(tx)
    return altered


def mark_undone(tx: Tx, change_id: str) -> None:
    """Note that a change was undone, so that the next undo goes further back."""
    wanted = row_history.c.change_id == change_id
    tx.conn.execute(update(row_history).where(wanted).values(undone=True))


def _put_row(tx: Tx, table: Table, key: Row, before: Row | None) -> None:
    """Make a row what it was, under a version that nobody has seen."""
    conn = tx.conn
    if before is None:
        conn.execute(delete(table).where(_same(table, key)))
        return
    fresh = {"version": _version_after(tx, table, key)} if "version" in table.c else {}
    if conn.execute(update(table).where(_same(table, key)).values(before | fresh)).rowcount:
        return
    if {*key, *before} != set(table.c.keys()):
        return  # a part of a row that is no longer there
    for unique in table.constraints:
        if isinstance(unique, UniqueConstraint):
            names = {column.name: (key | before)[column.name] for column in unique.columns}
            conn.execute(delete(table).where(_same(table, names)))
    conn.execute(insert(table).values(key | before | fresh))


def _version_after(tx: Tx, table: Table, key: Row) -> int:
    """A version above every one that a row had: modules count up, all else is given the number of
    the write."""
    held = tx.conn.execute(select(table.c.version).where(_same(table, key))).scalar()
    return max(int(held or 0) + 1, tx.seq)


def _rows(
    conn: Connection, table: Table, where: ColumnElement[bool], columns: Sequence[str]
) -> dict[str, Row]:
    """The rows by their key."""
    keys = [column.name for column in table.primary_key.columns]
    found = {}
    for row in conn.execute(select(table).where(where)).mappings():
        rest = columns or [name for name in row if name not in keys]
        found[_json({name: row[name] for name in keys})] = {name: row[name] for name in rest}
    return found


def _changed_since(conn: Connection, table: str, key: str, seq: int, change_id: str) -> bool:
    later = select(func.count()).where(
        row_history.c.table_name == table,
        row_history.c.row_key == key,
        row_history.c.seq > seq,
        row_history.c.change_id != change_id,
        row_history.c.undone.is_(False),
    )
    return bool(conn.execute(later).scalar_one())


def _same(table: Table, values: Row) -> ColumnElement[bool]:
    return and_(*(table.c[name] == value for name, value in values.items()))


def _json(values: Row) -> str:
    return json.dumps(values, ensure_ascii=False, sort_keys=True, default=_packed)


def _packed(value: object) -> dict[str, str]:
    """Bytes, such as a vector, as JSON can hold them."""
    if not isinstance(value, bytes):
        raise TypeError(f"no column holds a {type(value).__name__}")
    return {_BYTES: b64encode(value).decode()}


def _unpacked(held: dict[str, Any]) -> Any:
    return b64decode(held[_BYTES]) if held.keys() == {_BYTES} else held

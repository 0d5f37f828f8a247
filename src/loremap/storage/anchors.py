"""Rows of anchors: where in the code each memory holds."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, bindparam, delete, insert, inspect, select
from sqlalchemy.sql import Executable

from loremap.model.anchor import Anchor, AnchorKind
from loremap.model.clock import to_ms
from loremap.storage.row_history import kept
from loremap.storage.tables import anchors, memories
from loremap.storage.transaction import Tx

Anchors = dict[str, tuple[Anchor, ...]]
"""The anchors of memories, by id; what has none is left out."""

_COLUMNS = (
    anchors.c.memory_id,
    anchors.c.path,
    anchors.c.kind,
    anchors.c.symbol,
    anchors.c.digest,
    anchors.c.span,
    anchors.c.head,
    anchors.c.dirty,
)
_ORDER = (anchors.c.memory_id, anchors.c.position)
_OF = (
    select(*_COLUMNS)
    .where(anchors.c.memory_id.in_(bindparam("ids", expanding=True)))
    .order_by(*_ORDER)
)
"""Put together once, because every recall asks it."""


def renew(tx: Tx, memory_id: str, taken: Sequence[Anchor]) -> None:
    """Anchor a memory to `taken` and to nothing else."""
    of_memory = anchors.c.memory_id == memory_id
    with kept(tx, anchors, of_memory, memory_id=memory_id):
        tx.conn.execute(delete(anchors).where(of_memory))
        put(tx, memory_id, taken)


def put(tx: Tx, memory_id: str, taken: Sequence[Anchor]) -> None:
    """Anchor a new memory to `taken`."""
    if not taken:
        return
    tx.conn.execute(
        insert(anchors),
        [
            {
                "memory_id": memory_id,
                "position": position,
                "path": anchor.path,
                "symbol": anchor.symbol,
                "kind": anchor.kind.value,
                "digest": anchor.digest,
                "span": anchor.span,
                "head": anchor.head,
                "dirty": anchor.dirty,
                "at": to_ms(tx.now),
            }
            for position, anchor in enumerate(taken)
        ],
    )


def of(conn: Connection, memory_ids: Sequence[str]) -> Anchors:
    """The anchors of some memories."""
    if not memory_ids or not _is_kept(conn):
        return {}
    return _gathered(conn, _OF, {"ids": list(memory_ids)})


def of_project(conn: Connection, project_id: str) -> Anchors:
    """The anchors of every memory of a project."""
    if not _is_kept(conn):
        return {}
    query = (
        select(*_COLUMNS)
        .join(memories, memories.c.id == anchors.c.memory_id)
        .where(memories.c.project_id == project_id)
        .order_by(*_ORDER)
    )
    return _gathered(conn, query, {})


def anchored(conn: Connection) -> frozenset[str]:
    """The ids of all memories that have anchors."""
    if not _is_kept(conn):
        return frozenset()
    return frozenset(conn.execute(select(anchors.c.memory_id).distinct()).scalars())


def _is_kept(conn: Connection) -> bool:
    """Whether this store has anchors; one that an older version wrote and nobody may change has
    not, and is still to be read."""
    return inspect(conn).has_table(anchors.name)


def _gathered(conn: Connection, query: Executable, given: dict[str, list[str]]) -> Anchors:
    found: dict[str, list[Anchor]] = {}
    for id_, path, kind, symbol, digest, span, head, dirty in conn.execute(query, given):
        found.setdefault(id_, []).append(
            Anchor(
                path=path,
                kind=AnchorKind(kind),
                symbol=symbol,
                digest=digest,
                span=span,
                head=head,
                dirty=dirty,
            )
        )
    return {id_: tuple(held) for id_, held in found.items()}

"""Vectors of memories, each tagged with the model that made it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, and_, bindparam, delete, exists, func, insert, select

from loremap.model.memory import ACTIVE
from loremap.storage.tables import memories, vectors
from loremap.storage.transaction import Tx

Matrix = NDArray[np.float32]

_DROP = delete(vectors).where(
    vectors.c.memory_id == bindparam("of_memory"), vectors.c.model == bindparam("of_model")
)
_PUT = insert(vectors)
_STAMP = select(func.count(), func.max(vectors.c.seq))
"""Put together once, because every new memory says them."""


@dataclass(frozen=True, slots=True)
class Unembedded:
    """A memory without a vector of the model in use."""

    id: str
    content: str
    fingerprint: str


def put(tx: Tx, memory_id: str, *, fingerprint: str, model: str, chunks: Matrix) -> None:
    """Store the vectors of one memory's chunks in place of what this model made before."""
    tx.conn.execute(_DROP, {"of_memory": memory_id, "of_model": model})
    tx.conn.execute(
        _PUT,
        [
            {
                "memory_id": memory_id,
                "model": model,
                "chunk": position,
                "dim": chunks.shape[1],
                "vector": np.ascontiguousarray(chunk, dtype=np.float32).tobytes(),
                "fingerprint": fingerprint,
                "seq": tx.seq,
            }
            for position, chunk in enumerate(chunks)
        ],
    )


def without(conn: Connection, model: str, *, limit: int) -> list[Unembedded]:
    """Memories that still speak and have no current vector of `model`."""
    current = exists().where(
        and_(
            vectors.c.memory_id == memories.c.id,
            vectors.c.model == model,
            vectors.c.fingerprint == memories.c.fingerprint,
        )
    )
    query = (
        select(memories.c.id, memories.c.content, memories.c.fingerprint)
        .where(memories.c.status.in_(ACTIVE), memories.c.deleted_at.is_(None), ~current)
        .order_by(memories.c.row.desc())
        .limit(limit)
    )
    return [Unembedded(*row) for row in conn.execute(query)]


def texts_of(conn: Connection, ids: Sequence[str]) -> dict[str, str]:
    """The fingerprints of memories that are still there."""
    query = select(memories.c.id, memories.c.fingerprint).where(memories.c.id.in_(ids))
    return {id_: fingerprint for id_, fingerprint in conn.execute(query)}


def count_without(conn: Connection, model: str) -> int:
    """How many memories that still speak have no vector of `model`."""
    embedded = (
        select(vectors.c.memory_id)
        .where(vectors.c.model == model, vectors.c.fingerprint == memories.c.fingerprint)
        .where(vectors.c.memory_id == memories.c.id)
    )
    query = (
        select(func.count())
        .select_from(memories)
        .where(memories.c.status.in_(ACTIVE), memories.c.deleted_at.is_(None), ~embedded.exists())
    )
    return int(conn.execute(query).scalar_one())


def spaces(conn: Connection) -> dict[str, int]:
    """How many memories have vectors of each model."""
    query = select(vectors.c.model, func.count()).where(vectors.c.chunk == 0)
    return {model: number for model, number in conn.execute(query.group_by(vectors.c.model))}


def stamp(conn: Connection) -> tuple[int, int]:
    """By what one sees that vectors were made or dropped."""
    number, seq = conn.execute(_STAMP).one()
    return int(number), int(seq or 0)


def drop_other_spaces(tx: Tx, model: str) -> int:
    """Remove the vectors of every model but this one."""
    return int(tx.conn.execute(delete(vectors).where(vectors.c.model != model)).rowcount)


def dim_of(conn: Connection, model: str) -> int:
    """The dimension of the vectors a model has made; 0 if there are none."""
    query = select(vectors.c.dim).where(vectors.c.model == model).limit(1)
    return int(conn.execute(query).scalar() or 0)


def drop_other_dimensions(tx: Tx, model: str, dim: int) -> int:
    """Remove what a model of the same name made in another dimension."""
    other = and_(vectors.c.model == model, vectors.c.dim != dim)
    return int(tx.conn.execute(delete(vectors).where(other)).rowcount)


def whole_of(conn: Connection, memory_id: str) -> tuple[str, bytes] | None:
    """The model and the vector of what a memory says as a whole, the newest; None without one."""
    query = (
        select(vectors.c.model, vectors.c.vector)
        .where(vectors.c.memory_id == memory_id, vectors.c.chunk == 0)
        .order_by(vectors.c.seq.desc())
        .limit(1)
    )
    row = conn.execute(query).first()
    return None if row is None else (str(row.model), bytes(row.vector))


def current(conn: Connection, model: str, ids: Sequence[str]) -> dict[str, Matrix]:
    """The stored chunks of some memories."""
    query = (
        select(vectors.c.memory_id, vectors.c.vector, vectors.c.dim)
        .where(vectors.c.model == model, vectors.c.memory_id.in_(ids))
        .order_by(vectors.c.memory_id, vectors.c.chunk)
    )
    found: dict[str, list[Matrix]] = {}
    for id_, vector, _ in conn.execute(query):
        found.setdefault(id_, []).append(np.frombuffer(vector, dtype=np.float32))
    return {id_: np.vstack(chunks) for id_, chunks in found.items()}

"""Rows of injections: what was put into which session and why; never what a memory says."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import datetime

from sqlalchemy import Connection, Row, bindparam, delete, func, insert, select, update

from loremap.model.clock import from_ms, optional_ms, optional_time, to_ms
from loremap.model.session import Injection, Tier
from loremap.storage.tables import injections

_REJECTED = select(injections.c.memory_id).where(
    injections.c.session_id == bindparam("session_id"),
    injections.c.rejected_at.is_not(None),
    injections.c.memory_id.is_not(None),
)
"""Put together once, because every prompt asks it."""


def put(conn: Connection, given: Sequence[Injection]) -> None:
    """Note what was given."""
    if given:
        conn.execute(insert(injections), [_values(one) for one in given])


def strike(conn: Connection, ids: Iterable[str]) -> None:
    """Remove what was noted as given and reached nobody."""
    conn.execute(delete(injections).where(injections.c.id.in_(list(ids))))


def since(conn: Connection, session_id: str, at: datetime | None) -> list[Injection]:
    """What a session was given from `at` on, oldest first."""
    query = select(injections).where(injections.c.session_id == session_id)
    if at is not None:
        query = query.where(injections.c.at >= to_ms(at))
    return [_injection(row) for row in conn.execute(query.order_by(injections.c.seq))]


def last(
    conn: Connection, *, project_id: str | None = None, session_id: str | None = None
) -> list[Injection]:
    """What was given last, at one moment of one session, of a project or anywhere; `lore last`."""
    query = select(injections)
    if project_id is not None:
        query = query.where(injections.c.project_id == project_id)
    if session_id is not None:
        query = query.where(injections.c.session_id == session_id)
    newest = conn.execute(query.order_by(injections.c.seq.desc()).limit(1)).first()
    if newest is None:
        return []
    together = query.where(
        injections.c.session_id == newest.session_id, injections.c.at == newest.at
    )
    return [_injection(row) for row in conn.execute(together.order_by(injections.c.seq))]


def recent(conn: Connection, *, project_id: str | None = None, limit: int = 50) -> list[Injection]:
    """What was given lately, newest first."""
    query = select(injections)
    if project_id is not None:
        query = query.where(injections.c.project_id == project_id)
    found = conn.execute(query.order_by(injections.c.seq.desc()).limit(limit))
    return [_injection(row) for row in found]


def reject(conn: Connection, ids: Iterable[str], at: datetime) -> int:
    """Note that a person did not want these; how many were not rejected before."""
    query = update(injections).where(
        injections.c.id.in_(list(ids)), injections.c.rejected_at.is_(None)
    )
    return conn.execute(query.values(rejected_at=to_ms(at))).rowcount


def rejected_in(conn: Connection, session_id: str) -> set[str]:
    """The memories that a person rejected in a session."""
    return set(conn.execute(_REJECTED, {"session_id": session_id}).scalars())


def refer(conn: Connection, session_id: str, memory_ids: Iterable[str], at: datetime) -> int:
    """Note that later output of the session used these memories; how many rows that makes."""
    query = update(injections).where(
        injections.c.session_id == session_id,
        injections.c.memory_id.in_(list(memory_ids)),
        injections.c.referenced_at.is_(None),
    )
    return conn.execute(query.values(referenced_at=to_ms(at))).rowcount


def count(conn: Connection, session_id: str) -> int:
    """How many rows a session has."""
    query = select(func.count()).where(injections.c.session_id == session_id)
    return int(conn.execute(query).scalar_one())


def erase(conn: Connection, memory_ids: Sequence[str]) -> None:
    """Remove the rows of memories that are forgotten for good."""
    conn.execute(delete(injections).where(injections.c.memory_id.in_(memory_ids)))


def _values(one: Injection) -> dict[str, object]:
    return {
        "id": one.id,
        "at": to_ms(one.at),
        "session_id": one.session_id,
        "project_id": one.project_id,
        "client": one.client,
        "moment": one.moment,
        "tier": one.tier.value,
        "memory_id": one.memory_id,
        "tokens": one.tokens,
        "why": one.why,
        "score": one.score,
        "rejected_at": optional_ms(one.rejected_at),
        "referenced_at": optional_ms(one.referenced_at),
        "patterns": json.dumps(one.patterns),
    }


def _injection(row: Row[object]) -> Injection:
    held = row._mapping
    return Injection(
        id=held["id"],
        at=from_ms(held["at"]),
        session_id=held["session_id"],
        project_id=held["project_id"],
        client=held["client"],
        moment=held["moment"],
        tier=Tier(held["tier"]),
        memory_id=held["memory_id"],
        tokens=held["tokens"],
        why=held["why"],
        score=held["score"],
        rejected_at=optional_time(held["rejected_at"]),
        referenced_at=optional_time(held["referenced_at"]),
        patterns=tuple(json.loads(held["patterns"])),
    )

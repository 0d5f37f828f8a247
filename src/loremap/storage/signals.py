"""What speaks for and against memories, kept as long as they are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import Connection, Row, Select, and_, insert, select

from loremap.model.clock import from_ms, new_id, to_ms
from loremap.model.signal import Sign, Signal, Voice
from loremap.storage import row_history
from loremap.storage.tables import signals
from loremap.storage.transaction import Tx


def add(tx: Tx, found: Iterable[Signal]) -> int:
    """Write signals down, so that undoing the write takes them away; returns how many were new. A
    session speaks once: what it has said of a memory before is not said again."""
    return sum(_add(tx, one) for one in found)


def _add(tx: Tx, one: Signal) -> bool:
    if one.session_id is not None and tx.conn.execute(_said_before(one)).first() is not None:
        return False
    key = {"tenant_id": tx.actor.tenant_id, "id": new_id()}
    tx.conn.execute(
        insert(signals).values(
            **key,
            memory_id=one.memory_id,
            sign=one.sign.value,
            voice=one.voice.value,
            actor=one.actor,
            session_id=one.session_id,
            agent=one.agent,
            at=to_ms(one.at),
        )
    )
    row_history.made(tx, signals, key, memory_id=one.memory_id)
    return True


def _said_before(one: Signal) -> Select[tuple[str]]:
    return select(signals.c.id).where(
        and_(
            signals.c.memory_id == one.memory_id,
            signals.c.sign == one.sign.value,
            signals.c.session_id == one.session_id,
            signals.c.actor == one.actor,
        )
    )


def of(conn: Connection, ids: Sequence[str]) -> dict[str, list[Signal]]:
    """The signals of memories, oldest first, by id."""
    found: dict[str, list[Signal]] = {}
    if ids:
        query = select(signals).where(signals.c.memory_id.in_(ids)).order_by(signals.c.at)
        for row in conn.execute(query):
            found.setdefault(row.memory_id, []).append(_signal(row))
    return found


def _signal(row: Row[tuple[object, ...]]) -> Signal:
    held = row._mapping
    return Signal(
        memory_id=held["memory_id"],
        sign=Sign(held["sign"]),
        voice=Voice(held["voice"]),
        at=from_ms(held["at"]),
        actor=held["actor"],
        session_id=held["session_id"],
        agent=held["agent"],
    )

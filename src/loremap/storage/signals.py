"""What speaks for and against memories, kept as long as they are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import ColumnElement, Connection, Row, Select, and_, delete, insert, select

from loremap.model.clock import from_ms, new_id, to_ms
from loremap.model.signal import VOTES, Sign, Signal, Voice
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


def vote_of(conn: Connection, voter: Signal) -> Sign | None:
    """What the voter has said of that memory in that session before."""
    if voter.session_id is None:
        return None
    said = conn.execute(select(signals.c.sign).where(_votes(voter))).scalar()
    return None if said is None else Sign(said)


def withdraw(tx: Tx, voter: Signal) -> None:
    """Take back what the voter has said of that memory in that session before."""
    with row_history.kept(tx, signals, _votes(voter), memory_id=voter.memory_id):
        tx.conn.execute(delete(signals).where(_votes(voter)))


def _votes(voter: Signal) -> ColumnElement[bool]:
    return and_(
        signals.c.memory_id == voter.memory_id,
        signals.c.session_id == voter.session_id,
        signals.c.actor == voter.actor,
        signals.c.sign.in_([sign.value for sign in VOTES]),
    )


def noted_in(conn: Connection, session_id: str, sign: Sign) -> set[str]:
    """The memories of which a session has given that sign."""
    query = select(signals.c.memory_id).where(
        signals.c.session_id == session_id, signals.c.sign == sign.value
    )
    return set(conn.execute(query).scalars())


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

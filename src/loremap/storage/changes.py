"""The history of memories and the audit trail, read back."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, Row, and_, func, or_, select, update

from loremap.model.act import Act, Deed
from loremap.model.clock import from_ms
from loremap.model.memory import Change
from loremap.storage.tables import audit, history, memories, row_history
from loremap.storage.transaction import Tx

_NEWEST = select(func.max(audit.c.seq))
"""Put together once, because every prompt asks it."""


@dataclass(frozen=True, slots=True)
class Event:
    """One entry of the audit trail."""

    seq: int
    at: datetime
    action: str
    actor: str
    memory_id: str | None
    project_id: str | None
    detail: str


def history_of(conn: Connection, memory_id: str) -> list[Change]:
    """What happened to a memory, oldest first."""
    query = select(history).where(history.c.memory_id == memory_id).order_by(history.c.seq)
    return [_change(row) for row in conn.execute(query)]


def changes_of(conn: Connection, change_id: str) -> list[Change]:
    """All that one write changed, newest first."""
    query = select(history).where(history.c.change_id == change_id).order_by(history.c.seq.desc())
    return [_change(row) for row in conn.execute(query)]


def last_act(
    conn: Connection,
    *,
    project_id: str | None = None,
    memory_id: str | None = None,
    by: Collection[str] = (),
    not_by: Collection[str] = (),
) -> Act | None:
    """The newest act that still stands: on a memory, or in a project and on the global ones; where
    actors are named, only theirs, or anybody else's."""
    here = or_(memories.c.project_id == project_id, memories.c.project_id.is_(None))
    ids = select(memories.c.id).where(here if memory_id is None else memories.c.id == memory_id)
    of_memories = select(history.c.change_id).where(
        history.c.undone.is_(False), history.c.action != "undo", history.c.memory_id.in_(ids)
    )
    of_rows = select(row_history.c.change_id).where(
        row_history.c.undone.is_(False),
        row_history.c.memory_id.in_(ids)
        if memory_id is not None
        else or_(
            row_history.c.memory_id.in_(ids),
            row_history.c.memory_id.is_(None)
            & or_(row_history.c.project_id == project_id, row_history.c.project_id.is_(None)),
        ),
    )
    stands = or_(audit.c.change_id.in_(of_memories), audit.c.change_id.in_(of_rows))
    if memory_id is None:
        gone = or_(audit.c.project_id == project_id, audit.c.project_id.is_(None))
        stands = or_(stands, and_(audit.c.action == "erase", gone))
    if by or not_by:
        stands = and_(stands, audit.c.actor.in_(by) if by else audit.c.actor.not_in(not_by))
    newest = select(audit.c.change_id).where(stands).order_by(audit.c.seq.desc()).limit(1)
    change_id = conn.execute(newest).scalar()
    return None if change_id is None else _act(conn, change_id)


def _act(conn: Connection, change_id: str) -> Act:
    query = select(audit).where(audit.c.change_id == change_id).order_by(audit.c.seq)
    rows = conn.execute(query).all()
    return Act(
        change_id,
        from_ms(rows[0].at),
        rows[0].actor,
        tuple(Deed(row.action, row.memory_id, row.detail) for row in rows),
    )


def changed_later(conn: Connection, change_id: str) -> list[str]:
    """The memories of a change that were changed after it, by something that still stands."""
    last = (
        select(history.c.memory_id, func.max(history.c.seq).label("seq"))
        .where(history.c.change_id == change_id)
        .group_by(history.c.memory_id)
        .subquery()
    )
    query = (
        select(history.c.memory_id)
        .join(last, and_(history.c.memory_id == last.c.memory_id, history.c.seq > last.c.seq))
        .where(history.c.undone.is_(False), history.c.action != "undo")
        .order_by(history.c.seq)
    )
    return list(conn.execute(query).scalars())


def mark_undone(tx: Tx, change_id: str) -> None:
    """Note that a change was undone, so that the next undo goes further back."""
    tx.conn.execute(update(history).where(history.c.change_id == change_id).values(undone=True))


def newest(conn: Connection) -> int:
    """The number of the newest entry of the audit trail, which every change of a memory leaves
    and no use of one."""
    return int(conn.execute(_NEWEST).scalar() or 0)


def trail(
    conn: Connection,
    *,
    limit: int,
    memory_id: str | None = None,
    actions: Sequence[str] = (),
) -> list[Event]:
    """The newest entries of the audit trail, newest first."""
    query = select(audit).order_by(audit.c.seq.desc()).limit(limit)
    if memory_id is not None:
        query = query.where(audit.c.memory_id == memory_id)
    if actions:
        query = query.where(audit.c.action.in_(actions))
    return [
        Event(
            row.seq, from_ms(row.at), row.action, row.actor, row.memory_id, row.project_id,
            row.detail,
        )
        for row in conn.execute(query)
    ]  # fmt: skip


def _change(row: Row[tuple[object, ...]]) -> Change:
    values = row._mapping
    return Change(
        change_id=values["change_id"],
        memory_id=values["memory_id"],
        version=values["version"],
        action=values["action"],
        at=from_ms(values["at"]),
        actor=values["actor"],
        before=None if values["before"] is None else json.loads(values["before"]),
        undone=bool(values["undone"]),
    )

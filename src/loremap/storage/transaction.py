"""A write in progress: its connection, its number, and the trail it leaves."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, delete, func, insert, select

from loremap.model.clock import to_ms
from loremap.model.memory import Actor, Memory
from loremap.model.record import to_record
from loremap.storage.facts import fact, set_fact
from loremap.storage.tables import AUDIT_KEPT, AUDIT_LIMIT, audit, history

ACTIONS = frozenset(
    "add remove update promote evict pin unpin compact finalize restore undo erase confirm link "
    "unlink tag alias fact conflict resolve redact refuse settings key project decline".split()
)
"""What the audit trail may say was done: what a user or an agent can do."""
_LOGGED, _KEPT = insert(audit).returning(audit.c.seq), insert(history)
"""Put together once, because every write says them."""
_LOGGED_ALL, _NEWEST = insert(audit), select(func.max(audit.c.seq))
_OLDEST = select(func.min(audit.c.seq))
_STAMP = "standby_stamp"


@dataclass(frozen=True, slots=True)
class Tx:
    """One write transaction."""

    conn: Connection
    seq: int
    """The store's change counter after this write."""
    change_id: str
    """Joins all that this write changes, so that it can be undone as one."""
    now: datetime
    actor: Actor


def log(
    tx: Tx,
    action: str,
    *,
    memory_id: str | None = None,
    project_id: str | None = None,
    detail: str = "",
) -> None:
    """Write to the audit trail, before the change it tells of; `detail` holds no content."""
    if action not in ACTIONS:
        raise ValueError(f"the audit trail knows no action {action!r}")
    newest = tx.conn.execute(
        _LOGGED,
        {
            "tenant_id": tx.actor.tenant_id,
            "owner_id": tx.actor.owner_id,
            "at": to_ms(tx.now),
            "action": action,
            "actor": tx.actor.name,
            "memory_id": memory_id,
            "project_id": project_id,
            "change_id": tx.change_id,
            "detail": detail,
        },
    ).scalar_one()
    _trim(tx.conn, newest=int(newest))


def log_all(tx: Tx, entries: Sequence[tuple[str, str | None, str | None, str]]) -> None:
    """The same for many: what was done, to which memory, of which project, with its detail."""
    if unknown := {action for action, *_ in entries} - ACTIONS:
        raise ValueError(f"the audit trail knows no actions {sorted(unknown)}")
    tx.conn.execute(
        _LOGGED_ALL,
        [
            {
                "tenant_id": tx.actor.tenant_id,
                "owner_id": tx.actor.owner_id,
                "at": to_ms(tx.now),
                "action": action,
                "actor": tx.actor.name,
                "memory_id": memory_id,
                "project_id": project_id,
                "change_id": tx.change_id,
                "detail": detail,
            }
            for action, memory_id, project_id, detail in entries
        ],
    )
    _trim(tx.conn, newest=int(tx.conn.execute(_NEWEST).scalar_one()))


def _trim(conn: Connection, *, newest: int) -> None:
    oldest = int(conn.execute(_OLDEST).scalar_one())
    if newest - oldest + 1 > AUDIT_LIMIT:
        conn.execute(delete(audit).where(audit.c.seq <= newest - AUDIT_KEPT))


def keep(tx: Tx, memory: Memory, action: str, *, before: Memory | None) -> None:
    """Write what `memory` was before this change into its history."""
    tx.conn.execute(
        _KEPT,
        {
            "change_id": tx.change_id,
            "memory_id": memory.id,
            "version": memory.version,
            "action": action,
            "at": to_ms(tx.now),
            "actor": tx.actor.name,
            "before": None if before is None else json.dumps(to_record(before), ensure_ascii=False),
        },
    )


def note_told(tx: Tx) -> None:
    """Note that this write may change what hooks tell by themselves."""
    set_fact(tx.conn, _STAMP, f"{tx.seq} {tx.change_id}")


def told_stamp(conn: Connection) -> str:
    """Which write was the last that may have changed what hooks tell by themselves; empty where
    none did."""
    return fact(conn, _STAMP) or ""

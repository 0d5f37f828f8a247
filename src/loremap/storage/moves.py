"""Many memories moved along their lives in one write, some times faster than one by one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlalchemy import Connection, bindparam, insert, select, update

from loremap.model.clock import to_ms
from loremap.model.life import may_move
from loremap.model.memory import Memory
from loremap.model.record import to_record
from loremap.model.told import is_told
from loremap.storage.memories import row_values
from loremap.storage.tables import history, memories
from loremap.storage.transaction import Tx, log_all, note_told

_MOVED = ("status", "retracted_reason", "valid_until", "promoted_at", "judged_at", "importance")
_WRITTEN = (*_MOVED, "version", "updated_at", "checksum", "seq")
_UPDATE = (
    update(memories)
    .where(memories.c.id == bindparam("of_id"))
    .values({name: bindparam(f"to_{name}") for name in _WRITTEN})
)
_KEPT = insert(history)


@dataclass(frozen=True, slots=True)
class Move:
    """A memory at the version that it has in this write, and as it is from now on."""

    before: Memory
    after: Memory
    action: str
    detail: str = ""


def versions(conn: Connection, ids: Sequence[str]) -> dict[str, int]:
    """The versions of memories, by id; what is gone is left out."""
    query = select(memories.c.id, memories.c.version).where(memories.c.id.in_(ids))
    return {id_: version for id_, version in conn.execute(query)}


def move_all(tx: Tx, moves: Sequence[Move]) -> None:
    """Write where memories stand in their lives, and how important they are, with history and audit
    as for one; what they say stays."""
    for one in moves:
        _refuse_other(one)
    if not moves:
        return
    log_all(tx, [(one.action, one.before.id, one.before.project_id, one.detail) for one in moves])
    written = [
        replace(one.after, version=one.before.version + 1, updated_at=tx.now) for one in moves
    ]
    rows = [row_values(memory) | {"seq": tx.seq} for memory in written]
    tx.conn.execute(
        _UPDATE,
        [{"of_id": row["id"], **{f"to_{name}": row[name] for name in _WRITTEN}} for row in rows],
    )
    tx.conn.execute(
        _KEPT,
        [
            {
                "change_id": tx.change_id,
                "memory_id": one.before.id,
                "version": one.before.version + 1,
                "action": one.action,
                "at": to_ms(tx.now),
                "actor": tx.actor.name,
                "before": json.dumps(to_record(one.before), ensure_ascii=False),
            }
            for one in moves
        ],
    )
    if any(is_told(one.before) or is_told(one.after) for one in moves):
        note_told(tx)


def _refuse_other(one: Move) -> None:
    before, after = one.before, one.after
    if not may_move(before.status, after.status, one.action):
        raise ValueError(f"no {one.action!r} makes a {before.status} memory {after.status}")
    if replace(after, **{name: getattr(before, name) for name in _MOVED}) != before:
        raise ValueError("a move changes where a memory stands, and not what it says")

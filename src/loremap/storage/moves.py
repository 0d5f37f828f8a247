"""Many memories moved along their lives in one write, some times faster than one by one."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from operator import attrgetter

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
_WRITTEN = (*_MOVED, "version", "updated_at", "checksum")
_UPDATE = (
    update(memories)
    .where(memories.c.id == bindparam("of_id"))
    .values({name: bindparam(f"to_{name}") for name in (*_WRITTEN, "seq")})
)
_KEPT = insert(history)
_says = attrgetter(*(field.name for field in fields(Memory) if field.name not in _MOVED))


@dataclass(frozen=True, slots=True)
class Move:
    """A memory at the version that it has in this write, and as it is from now on."""

    before: Memory
    after: Memory
    action: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Ready:
    """A move as it is written, put together before the store is held."""

    move: Move
    after: Memory
    row: Mapping[str, object]
    before: str
    is_told: bool


def is_move(before: Memory, after: Memory) -> bool:
    """Whether a memory changes where it stands in its life, and not what it says."""
    return bool(_says(after) == _says(before))


def ready(move: Move, now: datetime) -> Ready:
    """A move that is written at that time; what is no move is refused."""
    _refuse_other(move)
    after = replace(move.after, version=move.before.version + 1, updated_at=now)
    values = row_values(after)
    return Ready(
        move,
        after,
        {"of_id": after.id, **{f"to_{name}": values[name] for name in _WRITTEN}},
        json.dumps(to_record(move.before), ensure_ascii=False),
        is_told(move.before) or is_told(after),
    )


def versions(conn: Connection, ids: Sequence[str]) -> dict[str, int]:
    """The versions of memories, by id; what is gone is left out."""
    query = select(memories.c.id, memories.c.version).where(memories.c.id.in_(ids))
    return {id_: version for id_, version in conn.execute(query)}


def move_all(tx: Tx, moves: Sequence[Ready]) -> None:
    """Write where memories stand in their lives, and how important they are, with history and audit
    as for one; what they say stays."""
    if not moves:
        return
    made = [one.move for one in moves]
    log_all(tx, [(one.action, one.before.id, one.before.project_id, one.detail) for one in made])
    tx.conn.execute(_UPDATE, [{**one.row, "to_seq": tx.seq} for one in moves])
    tx.conn.execute(
        _KEPT,
        [
            {
                "change_id": tx.change_id,
                "memory_id": one.move.before.id,
                "version": one.after.version,
                "action": one.move.action,
                "at": to_ms(tx.now),
                "actor": tx.actor.name,
                "before": one.before,
            }
            for one in moves
        ],
    )
    if any(one.is_told for one in moves):
        note_told(tx)


def _refuse_other(one: Move) -> None:
    before, after = one.before, one.after
    if not may_move(before.status, after.status, one.action):
        raise ValueError(f"no {one.action!r} makes a {before.status} memory {after.status}")
    if not is_move(before, after):
        raise ValueError("a move changes where a memory stands, and not what it says")

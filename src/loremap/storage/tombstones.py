"""Tombstones: fingerprints of what was forgotten, withdrawn or declined, so that it is not learned
again. They hold none of its words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from sqlalchemy import ColumnElement, Connection, and_, bindparam, delete, insert, select

from loremap.model.clock import from_ms, to_ms
from loremap.model.memory import Memory
from loremap.storage.row_history import kept
from loremap.storage.tables import memories, tombstones
from loremap.storage.transaction import Tx, log


class Grave(StrEnum):
    """Why something is not learned again."""

    FORGOTTEN = "forgotten"
    RETRACTED = "withdrawn as wrong"
    DECLINED = "declined"


@dataclass(frozen=True, slots=True)
class Tombstone:
    """What became of a statement, and when."""

    why: Grave
    at: datetime


_STANDING = select(tombstones.c.why, tombstones.c.at).where(
    tombstones.c.owner_id == bindparam("owner"),
    tombstones.c.project_id.in_(("", bindparam("project"))),
    tombstones.c.fingerprint == bindparam("fingerprint"),
)
"""Put together once, because every new memory asks it."""


def over(conn: Connection, memory: Memory) -> Tombstone | None:
    """The tombstone of what `memory` says, in its project or everywhere."""
    asked = {
        "owner": memory.owner_id,
        "project": memory.project_id or "",
        "fingerprint": memory.fingerprint,
    }
    row = conn.execute(_STANDING, asked).first()
    return None if row is None else Tombstone(Grave(row.why), from_ms(row.at))


def lay(tx: Tx, memory: Memory, why: Grave) -> None:
    """See to it that no agent and no file teaches again what `memory` says."""
    _put(tx, memory.owner_id, memory.project_id, memory.fingerprint, why)


def lift(tx: Tx, memory: Memory) -> None:
    """Let what `memory` says be learned again; a person said it."""
    if over(tx.conn, memory) is None:
        return
    same = _same(memory.owner_id, memory.project_id, memory.fingerprint)
    everywhere = _same(memory.owner_id, None, memory.fingerprint)
    with kept(tx, tombstones, same | everywhere, project_id=memory.project_id, memory_id=memory.id):
        tx.conn.execute(delete(tombstones).where(same | everywhere))


def lay_over(tx: Tx, ids: Sequence[str]) -> None:
    """See to it that no agent and no file teaches again what is about to be erased."""
    said = select(memories.c.owner_id, memories.c.project_id, memories.c.fingerprint)
    for owner, project, fingerprint in tx.conn.execute(said.where(memories.c.id.in_(ids))).all():
        _put(tx, owner, project, fingerprint, Grave.FORGOTTEN)


def decline(tx: Tx, project_id: str, fingerprints: Iterable[str]) -> None:
    """Note what the user did not want of what a project's files say."""
    log(tx, "decline", project_id=project_id)
    for fingerprint in fingerprints:
        _put(tx, tx.actor.owner_id, project_id, fingerprint, Grave.DECLINED)


def fingerprints(conn: Connection, project_id: str) -> set[str]:
    """The fingerprints of what is not learned again in a project."""
    query = select(tombstones.c.fingerprint).where(tombstones.c.project_id.in_(("", project_id)))
    return set(conn.execute(query).scalars())


def _put(tx: Tx, owner_id: str, project_id: str | None, fingerprint: str, why: Grave) -> None:
    same = _same(owner_id, project_id, fingerprint)
    with kept(tx, tombstones, same, project_id=project_id):
        tx.conn.execute(delete(tombstones).where(same))
        tx.conn.execute(
            insert(tombstones).values(
                tenant_id=tx.actor.tenant_id,
                owner_id=owner_id,
                project_id=project_id or "",
                fingerprint=fingerprint,
                why=why.value,
                at=to_ms(tx.now),
                actor=tx.actor.name,
            )
        )


def _same(owner_id: str, project_id: str | None, fingerprint: str) -> ColumnElement[bool]:
    return and_(
        tombstones.c.owner_id == owner_id,
        tombstones.c.project_id == (project_id or ""),
        tombstones.c.fingerprint == fingerprint,
    )

"""Tombstones: fingerprints of what was forgotten, withdrawn or declined, so that it is not learned
again; of what a person called wrong also a vector and hashes. They hold none of its words."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, and_, bindparam, delete, insert, select

from loremap.model.clock import from_ms, to_ms
from loremap.model.memory import Memory
from loremap.storage.facts import fact, set_fact
from loremap.storage.row_history import kept
from loremap.storage.tables import memories, tombstones
from loremap.storage.transaction import Tx, log

NOTHING_KNOWN = "[]"


class Grave(StrEnum):
    """Why something is not learned again."""

    FORGOTTEN = "forgotten"
    RETRACTED = "withdrawn as wrong"
    DECLINED = "declined"


_KEY = "tombstone_key"
MAX_COMPARED = 2_000
"""With so many of the newest a new statement is compared."""


@dataclass(frozen=True, slots=True)
class Tombstone:
    """What became of a statement, and when."""

    why: Grave
    at: datetime
    id: str = ""
    """The fingerprint, by whose beginning a person names it."""
    project_id: str = ""
    """Where it holds; empty everywhere."""
    known: Known | None = None
    """What its neighbours are known by, where they are refused too."""


@dataclass(frozen=True, slots=True)
class Known:
    """What a withdrawn statement is known by, without its words."""

    memory_id: str
    kind: str
    lesson: Mapping[str, object]
    """Its words as hashes."""
    model: str | None = None
    vector: bytes | None = None


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


def key(conn: Connection) -> str | None:
    """The key under which this store hashes the words of what was withdrawn; None before that."""
    return fact(conn, _KEY)


def made_key(tx: Tx) -> str:
    """That key, made where there is none."""
    held = key(tx.conn)
    if held is None:
        held = secrets.token_hex(16)
        set_fact(tx.conn, _KEY, held)
    return held


def neighbours(conn: Connection, memory: Memory) -> list[Tombstone]:
    """The tombstones that a new memory is compared with, in its project or everywhere."""
    query = _ALL.where(
        tombstones.c.owner_id == memory.owner_id,
        tombstones.c.project_id.in_(("", memory.project_id or "")),
        tombstones.c.terms != NOTHING_KNOWN,
    )
    return [_tombstone(row) for row in conn.execute(query.limit(MAX_COMPARED))]


def memory_under(conn: Connection, owner_id: str, reference: str) -> str | None:
    """The id of the one memory that was called wrong and whose id ends so; it may be erased."""
    asked = reference.strip().lower()
    query = _ALL.where(tombstones.c.owner_id == owner_id, tombstones.c.terms != NOTHING_KNOWN)
    known = {
        grave.known.memory_id for row in conn.execute(query) if (grave := _tombstone(row)).known
    }
    found = [id_ for id_ in known if asked and id_.endswith(asked)]
    return found[0] if len(found) == 1 else None


def listed(conn: Connection, project_id: str | None) -> list[Tombstone]:
    """The tombstones of a project and those that hold everywhere, newest first."""
    query = _ALL.where(tombstones.c.project_id.in_(("", project_id or "")))
    return [_tombstone(row) for row in conn.execute(query)]


_ALL = select(tombstones).order_by(tombstones.c.at.desc())


def _tombstone(row: Row[Any]) -> Tombstone:
    known = None
    if row.terms != NOTHING_KNOWN:
        held = json.loads(row.terms)
        known = Known(held["memory"], held["kind"], held["lesson"], row.model, row.vector)
    return Tombstone(Grave(row.why), from_ms(row.at), row.fingerprint, row.project_id, known)


def lay(tx: Tx, memory: Memory, why: Grave, known: Known | None = None) -> None:
    """See to it that no agent and no file teaches again what `memory` says; with what is `known`
    of it, nor in other words."""
    _put(tx, memory.owner_id, memory.project_id, memory.fingerprint, why, known)


def take_away(tx: Tx, graves: Sequence[Tombstone], *, memory_id: str | None = None) -> None:
    """Let be learned again what lies under some tombstones."""
    for grave in graves:
        same = _same(tx.actor.owner_id, grave.project_id, grave.id)
        project = grave.project_id or None
        with kept(tx, tombstones, same, project_id=project, memory_id=memory_id):
            tx.conn.execute(delete(tombstones).where(same))


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


def _put(
    tx: Tx,
    owner_id: str,
    project_id: str | None,
    fingerprint: str,
    why: Grave,
    known: Known | None = None,
) -> None:
    same = _same(owner_id, project_id, fingerprint)
    wrong = and_(same, tombstones.c.why == Grave.RETRACTED.value)
    if known is None and tx.conn.execute(select(tombstones.c.why).where(wrong)).first():
        return  # what was called wrong stays so, also where it is forgotten
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
                **_columns(known),
            )
        )


def _columns(known: Known | None) -> dict[str, object]:
    if known is None:
        return {}
    said = {"memory": known.memory_id, "kind": known.kind, "lesson": known.lesson}
    return {"model": known.model, "vector": known.vector, "terms": json.dumps(said)}


def _same(owner_id: str, project_id: str | None, fingerprint: str) -> ColumnElement[bool]:
    return and_(
        tombstones.c.owner_id == owner_id,
        tombstones.c.project_id == (project_id or ""),
        tombstones.c.fingerprint == fingerprint,
    )

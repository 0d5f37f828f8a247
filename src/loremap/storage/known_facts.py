"""Rows of facts, the memories they were read from, and which memories were read."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    and_,
    delete,
    exists,
    func,
    insert,
    or_,
    select,
    update,
)

from loremap.errors import Ambiguous, NotFound, Stale
from loremap.model.clock import from_ms, optional_ms, optional_time, short_id, to_ms
from loremap.model.fact import Fact, FactSource
from loremap.model.memory import ACTIVE, Memory, Scope, Status, Visibility
from loremap.storage import row_history
from loremap.storage.entities import AT_ONCE, Shelf
from loremap.storage.memories import by_ids as memories_by_ids
from loremap.storage.tables import fact_sources, facts, facts_read, memories, memory_tags
from loremap.storage.transaction import Tx, log

_TIMES = ("last_accessed_at", "valid_from")
_SAME = (
    "id", "owner_id", "project_id", "subject_id", "predicate", "object_id", "object_value",
    "confidence", "access_count", "superseded_by", "retracted_reason",
)  # fmt: skip


# Looking


def of_place(conn: Connection, shelf: Shelf, *, statuses: Sequence[Status] = ACTIVE) -> list[Fact]:
    """The facts of a place with a status of these, the newest first; among them those that others
    of the same tenant share."""
    query = (
        select(facts)
        .where(_is_in(shelf), facts.c.status.in_([status.value for status in statuses]))
        .order_by(facts.c.valid_from.desc(), facts.c.id.desc())
    )
    return [_fact(row) for row in conn.execute(query)]


def told(conn: Connection, shelf: Shelf, *, statuses: Sequence[Status] = ACTIVE) -> list[Fact]:
    """Those of them that a memory still says, or that a person stated."""
    found = of_place(conn, shelf, statuses=statuses)
    silent = silent_of(conn, [one.id for one in found])
    return [one for one in found if one.id not in silent]


def silent_of(conn: Connection, ids: Sequence[str]) -> set[str]:
    """Those of these facts that were read from memories of which none speaks any more."""
    found: set[str] = set()
    for start in range(0, len(ids), AT_ONCE):
        some = ids[start : start + AT_ONCE]
        of = select(fact_sources.c.fact_id).where(fact_sources.c.fact_id.in_(some))
        speaking = of.join(memories, memories.c.id == fact_sources.c.memory_id).where(_speaks())
        found |= set(conn.execute(of).scalars()) - set(conn.execute(speaking).scalars())
    return found


def sources_of(conn: Connection, ids: Sequence[str]) -> dict[str, list[str]]:
    """The ids of the memories that facts were read from, by fact, the first first."""
    found: dict[str, list[str]] = {}
    for start in range(0, len(ids), AT_ONCE):
        query = (
            select(fact_sources.c.fact_id, fact_sources.c.memory_id)
            .where(fact_sources.c.fact_id.in_(ids[start : start + AT_ONCE]))
            .order_by(fact_sources.c.at, fact_sources.c.memory_id)
        )
        for fact_id, memory_id in conn.execute(query):
            found.setdefault(fact_id, []).append(memory_id)
    return found


def of_memories(conn: Connection, ids: Sequence[str]) -> list[str]:
    """The ids of the facts that were read from any of these memories."""
    query = select(fact_sources.c.fact_id).where(fact_sources.c.memory_id.in_(ids)).distinct()
    return list(conn.execute(query).scalars())


def get(conn: Connection, id_: str) -> Fact | None:
    """The fact with that whole id."""
    row = conn.execute(select(facts).where(facts.c.id == id_)).first()
    return None if row is None else _fact(row)


def named(conn: Connection, shelf: Shelf, reference: str) -> Fact:
    """The fact of a place that an id, or the end of one, stands for."""
    end = reference.strip().lower()
    query = select(facts).where(_is_in(shelf), facts.c.id.endswith(end, autoescape=True))
    found = [_fact(row) for row in conn.execute(query.order_by(facts.c.id).limit(10))]
    if not end or not found:
        raise NotFound(f"There is no fact {reference!r}.", hint="`lore facts` shows what there is.")
    if len(found) > 1:
        raise Ambiguous(
            f"{reference!r} may be any of {len(found)} facts.",
            hint="Give more of the end of its id.",
            candidates=tuple((one.id, one.predicate) for one in found),
        )
    return found[0]


def of_subjects(conn: Connection, ids: Sequence[str]) -> list[Fact]:
    """All that was ever said of some entities, the newest first."""
    found: list[Fact] = []
    for start in range(0, len(ids), AT_ONCE):
        query = select(facts).where(facts.c.subject_id.in_(ids[start : start + AT_ONCE]))
        found += map(_fact, conn.execute(query.order_by(facts.c.valid_from.desc())))
    return found


# Writing


def add(tx: Tx, found: Sequence[Fact]) -> None:
    """Store new facts, so that undoing takes them away."""
    if not found:
        return
    tx.conn.execute(insert(facts), [_values(one, tx) for one in found])
    for one in found:
        key = {"tenant_id": tx.actor.tenant_id, "id": one.id}
        row_history.made(tx, facts, key, memory_id=None, project_id=one.project_id or None)


def state(tx: Tx, fact: Fact) -> None:
    """Store a fact that a person states."""
    log(tx, "fact", project_id=fact.project_id or None, detail=f"add {fact.id}")
    add(tx, [fact])


def add_sources(tx: Tx, found: Iterable[tuple[str, str, int]]) -> None:
    """Note which memories say facts too: of each the fact, the memory, its time."""
    rows = [dict(zip(("fact_id", "memory_id", "at"), one, strict=True)) for one in set(found)]
    if rows:
        tx.conn.execute(insert(fact_sources), rows)


def drop_sources(tx: Tx, memory_id: str, *, keep: Collection[str]) -> list[str]:
    """Note that a memory no longer says any facts but `keep`; the facts nothing says then. Who said
    such a fact last stays noted, so that it is erased with that memory."""
    of = and_(fact_sources.c.memory_id == memory_id, fact_sources.c.fact_id.not_in(keep))
    gone = list(tx.conn.execute(select(fact_sources.c.fact_id).where(of)).scalars())
    said_by = sources_of(tx.conn, gone)
    elsewhere = [id_ for id_ in gone if len(said_by[id_]) > 1]
    if elsewhere:
        mine = fact_sources.c.memory_id == memory_id
        tx.conn.execute(delete(fact_sources).where(mine, fact_sources.c.fact_id.in_(elsewhere)))
    return [id_ for id_ in gone if id_ not in elsewhere]


def change(tx: Tx, before: Fact, after: Fact, *, action: str) -> None:
    """Write `after` in place of `before`; raises where it was changed meanwhile."""
    log(tx, "fact", project_id=before.project_id or None, detail=f"{action} {before.id}")
    here = facts.c.id == before.id
    with row_history.kept(tx, facts, here, project_id=before.project_id or None):
        changed = tx.conn.execute(
            update(facts)
            .where(here, facts.c.version == before.version)
            .values(**_values(after, tx))
        )
    if not changed.rowcount:
        raise Stale(
            f"Fact {short_id(before.id)} was changed by someone else meanwhile; "
            "nothing was written.",
            hint=f"Look at it again: lore fact show {short_id(before.id)}.",
        )


def used(tx: Tx, memory_ids: Collection[str]) -> None:
    """Count one use of each fact that was read from any of these memories."""
    if memory_ids:
        of = select(fact_sources.c.fact_id).where(fact_sources.c.memory_id.in_(memory_ids))
        tx.conn.execute(
            update(facts)
            .where(facts.c.id.in_(of), facts.c.status.in_([status.value for status in ACTIVE]))
            .values(access_count=facts.c.access_count + 1, last_accessed_at=to_ms(tx.now))
        )


# Reading memories


def unread(conn: Connection, shelf: Shelf, *, rules: int, limit: int) -> list[Memory]:
    """Memories whose words were not read for facts by these rules, the oldest first."""
    done = exists().where(
        facts_read.c.memory_id == memories.c.id,
        facts_read.c.fingerprint == memories.c.fingerprint,
        facts_read.c.rules == rules,
    )
    query = (
        select(memories.c.id)
        .where(_is_readable(shelf), ~done)
        .order_by(memories.c.created_at, memories.c.row)
        .limit(limit)
    )
    return memories_by_ids(conn, list(conn.execute(query).scalars()))


def waiting(conn: Connection, shelf: Shelf) -> dict[str, frozenset[str]]:
    """Memories that said something of what was not known then: by id, the keys of that."""
    query = (
        select(facts_read.c.memory_id, facts_read.c.waits)
        .join(memories, memories.c.id == facts_read.c.memory_id)
        .where(facts_read.c.waits != "", _is_readable(shelf))
    )
    return {id_: frozenset(waits.split()) for id_, waits in conn.execute(query)}


def mark_read(tx: Tx, read: Sequence[tuple[Memory, Iterable[str]]], *, rules: int) -> None:
    """Note which memories were read, and the keys each waits for. Undoing what was read leaves
    this: none is read again until its words change."""
    ids = [memory.id for memory, _ in read]
    tx.conn.execute(delete(facts_read).where(facts_read.c.memory_id.in_(ids)))
    rows = [
        {
            "memory_id": memory.id,
            "fingerprint": memory.fingerprint,
            "rules": rules,
            "waits": " ".join(sorted(waits)),
        }
        for memory, waits in read
    ]
    if rows:
        tx.conn.execute(insert(facts_read), rows)


def contents(conn: Connection, shelf: Shelf) -> Iterator[str]:
    """What the memories of a place say that facts are read from."""
    yield from conn.execute(select(memories.c.content).where(_is_readable(shelf))).scalars()


def tags_of(conn: Connection, shelf: Shelf) -> list[str]:
    """The tags of these memories."""
    query = (
        select(memory_tags.c.tag)
        .join(memories, memories.c.id == memory_tags.c.memory_id)
        .where(_is_readable(shelf))
        .distinct()
    )
    return list(conn.execute(query).scalars())


def counts(conn: Connection, shelf: Shelf) -> dict[str, int]:
    """How many facts of each status there are."""
    query = select(facts.c.status, func.count()).where(_is_in(shelf)).group_by(facts.c.status)
    return {status: number for status, number in conn.execute(query)}


def _is_in(shelf: Shelf) -> ColumnElement[bool]:
    own = facts.c.owner_id == shelf.owner_id
    shared = facts.c.visibility != Visibility.PRIVATE.value
    return and_(or_(own, shared), facts.c.project_id.in_(("", shelf.place)))


def _speaks() -> ColumnElement[bool]:
    """Whether a memory says what it says to agents: active, and not held back."""
    held = and_(memories.c.tainted, memories.c.status == Status.CANDIDATE.value)
    return and_(
        memories.c.status.in_([status.value for status in ACTIVE]),
        memories.c.deleted_at.is_(None),
        ~held,
    )


def _is_readable(shelf: Shelf) -> ColumnElement[bool]:
    """Whether a memory is one of a place that facts are read from."""
    everywhere = memories.c.scope == Scope.GLOBAL.value
    here = and_(memories.c.scope == Scope.PROJECT.value, memories.c.project_id == shelf.project_id)
    return and_(memories.c.owner_id == shelf.owner_id, or_(everywhere, here), _speaks())


def _values(fact: Fact, tx: Tx) -> dict[str, Any]:
    values: dict[str, Any] = {name: getattr(fact, name) for name in _SAME}
    values |= {name: to_ms(getattr(fact, name)) for name in _TIMES}
    return values | {
        "status": fact.status.value,
        "source": fact.source.value,
        "visibility": fact.visibility.value,
        "valid_until": optional_ms(fact.valid_until),
        "created_at": to_ms(fact.valid_from),
        "updated_at": to_ms(tx.now),
        "version": tx.seq,
    }


def _fact(row: Row[tuple[object, ...]]) -> Fact:
    held = row._mapping
    given: dict[str, Any] = {name: held[name] for name in (*_SAME, "version")}
    given |= {name: from_ms(held[name]) for name in _TIMES}
    return Fact(
        **given,
        status=Status(held["status"]),
        source=FactSource(held["source"]),
        visibility=Visibility(held["visibility"]),
        valid_until=optional_time(held["valid_until"]),
    )

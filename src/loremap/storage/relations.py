"""Links between memories, conflicts, and the words a user treats as one."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    and_,
    delete,
    func,
    insert,
    inspect,
    or_,
    select,
    update,
)

from loremap.model.alias import Alias, AliasSource
from loremap.model.clock import from_ms, new_id, optional_time, to_ms
from loremap.model.memory import Conflict, ConflictType, Link, Relation, Status
from loremap.model.record import digest
from loremap.storage import memories as memory_rows
from loremap.storage.row_history import kept
from loremap.storage.tables import TENANT, aliases, conflicts, erasures, links, memories
from loremap.storage.transaction import Tx, log


def add_link(
    tx: Tx, source_id: str, target_id: str, relation: Relation, *, weight: float = 1.0
) -> None:
    """Link two memories; linking again sets the weight."""
    log(tx, "link", memory_id=source_id, detail=f"{relation.value} {target_id}")
    same = _same_link(source_id, target_id, relation)
    with kept(tx, links, same, memory_id=source_id):
        tx.conn.execute(delete(links).where(same))
        values = {
            "source_id": source_id,
            "target_id": target_id,
            "relation": relation.value,
            "weight": weight,
            "created_at": to_ms(tx.now),
            "created_by": tx.actor.name,
        }
        tx.conn.execute(
            insert(links).values(**values, checksum=link_checksum(values), version=tx.seq)
        )


TENDING = "tending"
"""Who makes the links that nobody made."""


def relate(tx: Tx, one_id: str, other_id: str, *, first: float, more: float) -> None:
    """Link two memories that belong together, or strengthen the link that says so. What somebody
    linked by hand stays as it is; this is no act of anybody's, and no audit trail tells of it."""
    pair = (one_id, other_id)
    related = and_(
        links.c.source_id.in_(pair),
        links.c.target_id.in_(pair),
        links.c.relation == Relation.RELATES_TO.value,
    )
    held = tx.conn.execute(select(links).where(related)).mappings().first()
    if held is not None and held["created_by"] != TENDING:
        return
    values: dict[str, Any] = {
        "source_id": one_id,
        "target_id": other_id,
        "relation": Relation.RELATES_TO.value,
        "weight": first,
        "created_at": to_ms(tx.now),
        "created_by": TENDING,
    }
    if held is not None:
        values |= {name: held[name] for name in ("source_id", "target_id", "created_at")}
        values["weight"] = min(1.0, held["weight"] + more)
        tx.conn.execute(delete(links).where(related))
    tx.conn.execute(insert(links).values(**values, checksum=link_checksum(values), version=tx.seq))


def remove_link(tx: Tx, source_id: str, target_id: str, relation: Relation) -> bool:
    """Take a link away; whether there was one."""
    log(tx, "unlink", memory_id=source_id, detail=f"{relation.value} {target_id}")
    same = _same_link(source_id, target_id, relation)
    with kept(tx, links, same, memory_id=source_id):
        gone = tx.conn.execute(delete(links).where(same))
    return bool(gone.rowcount)


def _same_link(source_id: str, target_id: str, relation: Relation) -> ColumnElement[bool]:
    return and_(
        links.c.source_id == source_id,
        links.c.target_id == target_id,
        links.c.relation == relation.value,
    )


def link_checksum(values: Mapping[str, Any]) -> str:
    """The checksum of a row of links."""
    covered = (
        column.name for column in links.c if column.name not in ("checksum", "version", TENANT)
    )
    return digest(*(values[name] for name in covered))


def is_intact(row: Row[Any]) -> bool:
    """Whether a row of links is what was written."""
    return link_checksum(row._asdict()) == str(row.checksum)


def known_whole(conn: Connection) -> int:
    """How many memories a store knows of, erased ones too; 0 where a memory or link is damaged,
    as far as the checksums of its version tell."""
    columns = {column["name"] for column in inspect(conn).get_columns(memories.name)}
    sealed = columns.issuperset(memories.c.keys())
    if sealed and (memory_rows.damaged(conn) or damaged_links(conn)):
        return 0
    counts = (select(func.count()).select_from(table) for table in (memories, erasures))
    return sum(int(conn.execute(query).scalar_one()) for query in counts)


def damaged_links(conn: Connection) -> int:
    """How many links are not what was written."""
    return sum(1 for row in conn.execute(select(links)) if not is_intact(row))


def links_of(conn: Connection, memory_id: str) -> list[Link]:
    """The links from and to a memory; damaged ones are left out."""
    query = (
        select(links)
        .where(or_(links.c.source_id == memory_id, links.c.target_id == memory_id))
        .order_by(links.c.created_at)
    )
    return [
        Link(
            source_id=row.source_id,
            target_id=row.target_id,
            relation=Relation(row.relation),
            weight=row.weight,
            created_at=from_ms(row.created_at),
            created_by=row.created_by,
        )
        for row in conn.execute(query)
        if is_intact(row)
    ]


def derived_from(conn: Connection, ids: Sequence[str]) -> list[str]:
    """Memories that were derived from any of `ids`, directly or through others."""
    found: list[str] = []
    frontier = list(ids)
    while frontier:
        query = select(links.c.source_id).where(
            links.c.relation == Relation.DERIVED_FROM.value, links.c.target_id.in_(frontier)
        )
        frontier = [
            id_ for id_ in conn.execute(query).scalars() if id_ not in found and id_ not in ids
        ]
        found.extend(frontier)
    return found


def add_conflict(
    tx: Tx, memory_a: str, memory_b: str, type_: ConflictType, reason: str
) -> Conflict:
    """Note that two memories cannot both be followed; noting it again opens it again."""
    log(tx, "conflict", memory_id=memory_a, detail=f"{type_.value} {memory_b}")
    pair = and_(
        conflicts.c.memory_a.in_((memory_a, memory_b)),
        conflicts.c.memory_b.in_((memory_a, memory_b)),
    )
    conflict = Conflict(new_id(), memory_a, memory_b, type_, reason, tx.now)
    with kept(tx, conflicts, pair, memory_id=memory_a):
        tx.conn.execute(delete(conflicts).where(pair))
        tx.conn.execute(
            insert(conflicts).values(
                id=conflict.id,
                memory_a=memory_a,
                memory_b=memory_b,
                type=type_.value,
                reason=reason,
                detected_at=to_ms(tx.now),
                version=tx.seq,
            )
        )
    return conflict


def resolve_conflict(tx: Tx, conflict_id: str, resolution: str) -> None:
    """Close a conflict, saying how."""
    log(tx, "resolve", detail=f"{resolution} {conflict_id}")
    one = conflicts.c.id == conflict_id
    side = tx.conn.execute(select(conflicts.c.memory_a).where(one)).scalar()
    with kept(tx, conflicts, one, columns=("resolved_at", "resolution"), memory_id=side):
        tx.conn.execute(
            update(conflicts)
            .where(one)
            .values(resolved_at=to_ms(tx.now), resolution=resolution, version=tx.seq)
        )


def close_between(tx: Tx, one_id: str, other_id: str, resolution: str) -> None:
    """Close the open conflict of two memories, if there is one."""
    for conflict in open_conflicts(tx.conn, [one_id]):
        if other_id in (conflict.memory_a, conflict.memory_b):
            resolve_conflict(tx, conflict.id, resolution)


def open_conflicts(
    conn: Connection, ids: Sequence[str] | None = None, *, spoken: bool = False
) -> list[Conflict]:
    """Conflicts nobody has resolved: all of them, or those between any of `ids`; where they are
    `spoken` of to an agent, without those of what is held back, whose words they quote."""
    query = select(conflicts).where(conflicts.c.resolved_at.is_(None))
    if spoken:
        held = select(memories.c.id).where(
            memories.c.tainted, memories.c.status == Status.CANDIDATE.value
        )
        query = query.where(conflicts.c.memory_a.not_in(held), conflicts.c.memory_b.not_in(held))
    if ids is not None:
        query = query.where(or_(conflicts.c.memory_a.in_(ids), conflicts.c.memory_b.in_(ids)))
    return [
        Conflict(
            id=row.id,
            memory_a=row.memory_a,
            memory_b=row.memory_b,
            type=ConflictType(row.type),
            reason=row.reason,
            detected_at=from_ms(row.detected_at),
            resolved_at=optional_time(row.resolved_at),
            resolution=row.resolution,
        )
        for row in conn.execute(query.order_by(conflicts.c.detected_at))
    ]


def set_alias(
    tx: Tx, project_id: str | None, term: str, expansions: Sequence[str], *, stays: bool = False
) -> None:
    """Treat `expansions` as `term` in searches; none takes the alias away, and where that `stays`
    nobody but a user sets it again."""
    log(tx, "alias", project_id=project_id)
    same = and_(
        aliases.c.tenant_id == tx.actor.tenant_id,
        aliases.c.project_id == (project_id or ""),
        aliases.c.term == term,
    )
    with kept(tx, aliases, same, project_id=project_id):
        tx.conn.execute(delete(aliases).where(same))
        if expansions or stays:
            tx.conn.execute(
                insert(aliases).values(
                    tenant_id=tx.actor.tenant_id,
                    project_id=project_id or "",
                    term=term,
                    expansions=json.dumps(list(expansions), ensure_ascii=False),
                    created_at=to_ms(tx.now),
                    version=tx.seq,
                )
            )


def tell_aliases(tx: Tx, project_id: str, told: Mapping[str, Sequence[str]]) -> None:
    """Keep what a project's own texts tell, in place of what they told before; it can be read from
    them again, so no history has it."""
    ours = and_(aliases.c.project_id == project_id, aliases.c.source == AliasSource.PROJECT.value)
    tx.conn.execute(delete(aliases).where(ours))
    rows = [
        {
            "project_id": project_id,
            "term": term,
            "expansions": json.dumps(list(expansions), ensure_ascii=False),
            "source": AliasSource.PROJECT.value,
            "created_at": to_ms(tx.now),
            "version": tx.seq,
        }
        for term, expansions in told.items()
    ]
    if rows:
        tx.conn.execute(insert(aliases), rows)


def all_aliases(conn: Connection, project_id: str | None) -> list[Alias]:
    """The aliases of a project and of everywhere with their sources, the project's own last."""
    query = (
        select(aliases)
        .where(aliases.c.project_id.in_(("", project_id or "")))
        .order_by(aliases.c.project_id, aliases.c.term)
    )
    return [
        Alias(row.term, tuple(json.loads(row.expansions)), AliasSource(row.source))
        for row in conn.execute(query)
    ]


def aliases_of(conn: Connection, tenant_id: str, project_id: str | None) -> dict[str, list[str]]:
    """The aliases kept for a project and for everywhere."""
    query = (
        select(aliases.c.term, aliases.c.expansions)
        .where(aliases.c.tenant_id == tenant_id, aliases.c.project_id.in_(("", project_id or "")))
        .order_by(aliases.c.project_id)
    )
    return {term: json.loads(expansions) for term, expansions in conn.execute(query)}

"""Tags: what they mean, how many memories bear them, and those that nobody set."""

from __future__ import annotations

import json
from collections.abc import Sequence

from sqlalchemy import Connection, and_, delete, func, insert, or_, select, update

from loremap.model.clock import to_ms
from loremap.model.graph import InferredTag, TagEntry
from loremap.model.memory import Scope
from loremap.storage.neighbours import BORNE, speaks_in
from loremap.storage.row_history import kept, note_rows
from loremap.storage.sql import is_listed
from loremap.storage.tables import entities, inferred_tags, memories, mentions, tags
from loremap.storage.transaction import Tx, log


def tags_here(
    conn: Connection, project_id: str | None, *, session_id: str | None = None
) -> list[TagEntry]:
    """The tags that memories bear here, the most borne first; those of a session's own memories
    in that session alone."""
    lasting = memories.c.scope != Scope.SESSION.value
    borne = (
        select(BORNE.c.memory_id, BORNE.c.tag, func.min(BORNE.c.inferred).label("inferred"))
        .join(memories, memories.c.id == BORNE.c.memory_id)
        .where(speaks_in(project_id), or_(lasting, memories.c.session_id == session_id))
        .group_by(BORNE.c.memory_id, BORNE.c.tag)
    ).subquery("here")
    count = func.count().label("borne_by")
    query = (
        select(
            borne.c.tag,
            func.coalesce(func.max(tags.c.description), "").label("description"),
            count,
            func.sum(borne.c.inferred).label("inferred"),
        )
        .join(tags, tags.c.name == borne.c.tag, isouter=True)
        .group_by(borne.c.tag)
        .order_by(count.desc(), borne.c.tag)
    )
    return [
        TagEntry(row.tag, row.description, row.borne_by, int(row.inferred))
        for row in conn.execute(query)
    ]


def describe(tx: Tx, name: str, description: str) -> None:
    """Say what a tag means; nothing takes that back."""
    log(tx, "tag", detail="described")
    same = tags.c.name == name
    with kept(tx, tags, same):
        if tx.conn.execute(select(tags.c.name).where(same)).first() is None:
            tx.conn.execute(insert(tags).values(name=name, created_at=to_ms(tx.now)))
        tx.conn.execute(update(tags).where(same).values(description=description))


# Inferred ones


def inferred_of(conn: Connection, memory_id: str) -> list[InferredTag]:
    """The tags that were inferred for a memory, by name; without those that were taken away."""
    query = (
        select(inferred_tags.c.tag, inferred_tags.c.source)
        .where(inferred_tags.c.memory_id == memory_id, inferred_tags.c.refused.is_(False))
        .order_by(inferred_tags.c.tag)
    )
    return [InferredTag(row.tag, row.source) for row in conn.execute(query)]


def inferred_here(
    conn: Connection, ids: Sequence[str]
) -> tuple[dict[tuple[str, str], str], set[tuple[str, str]]]:
    """Of some memories, what was inferred: (memory, tag) with what it was read from; and what was
    taken away."""
    query = select(inferred_tags).where(is_listed(inferred_tags.c.memory_id, json.dumps(ids)))
    rows = conn.execute(query).all()
    held = {(row.memory_id, row.tag): row.source for row in rows if not row.refused}
    return held, {(row.memory_id, row.tag) for row in rows if row.refused}


def infer(
    tx: Tx, tag: str, sources: Sequence[tuple[str, str]], *, project_id: str | None = None
) -> None:
    """Let memories bear a tag that nobody set; each comes with what the tag was read from. Those
    that are gone meanwhile, or from whom it was taken away, are left out."""
    log(tx, "tag", project_id=project_id, detail="inferred")
    read = dict(sources)
    ids = json.dumps(list(read))
    known = select(memories.c.id).where(
        is_listed(memories.c.id, ids),
        memories.c.id.not_in(select(inferred_tags.c.memory_id).where(inferred_tags.c.tag == tag)),
    )
    found = list(tx.conn.execute(known).scalars())
    if not found:
        return
    keys = [_key(tx, id_, tag) for id_ in found]
    tx.conn.execute(
        insert(inferred_tags),
        [key | {"source": read[key["memory_id"]], "refused": False} for key in keys],
    )
    note_rows(tx, inferred_tags, [(key, None) for key in keys], project_id=project_id)


def drop_inferred(tx: Tx, tag: str, ids: Sequence[str], *, project_id: str | None = None) -> None:
    """Take an inferred tag from memories that no longer give reason for it."""
    log(tx, "tag", project_id=project_id, detail="inferred")
    gone = and_(
        inferred_tags.c.tag == tag,
        is_listed(inferred_tags.c.memory_id, json.dumps(list(ids))),
        inferred_tags.c.refused.is_(False),
    )
    before = tx.conn.execute(select(inferred_tags).where(gone)).all()
    tx.conn.execute(delete(inferred_tags).where(gone))
    note_rows(
        tx,
        inferred_tags,
        [
            (_key(tx, row.memory_id, tag), {"source": row.source, "refused": False})
            for row in before
        ],
        project_id=project_id,
    )


def refuse(tx: Tx, memory_id: str, names: Sequence[str]) -> None:
    """Never infer these tags for a memory again: somebody took them away."""
    mine = and_(inferred_tags.c.memory_id == memory_id, inferred_tags.c.tag.in_(names))
    with kept(tx, inferred_tags, mine, memory_id=memory_id):
        tx.conn.execute(delete(inferred_tags).where(mine))
        for name in dict.fromkeys(names):
            tx.conn.execute(
                insert(inferred_tags).values(
                    memory_id=memory_id, tag=name, source="refused", refused=True
                )
            )


def allow(tx: Tx, memory_id: str, names: Sequence[str]) -> None:
    """Forget that these tags were taken away: somebody set them again."""
    mine = and_(
        inferred_tags.c.memory_id == memory_id,
        inferred_tags.c.tag.in_(names),
        inferred_tags.c.refused,
    )
    with kept(tx, inferred_tags, mine, memory_id=memory_id):
        tx.conn.execute(delete(inferred_tags).where(mine))


def _key(tx: Tx, memory_id: str, tag: str) -> dict[str, str]:
    return {"tenant_id": tx.actor.tenant_id, "memory_id": memory_id, "tag": tag}


# What tags are inferred from


def entities_mentioned(conn: Connection, project_id: str | None) -> list[tuple[str, str, str]]:
    """Which memory here speaks of which entity: its id, the entity's kind and name."""
    query = (
        select(mentions.c.memory_id, entities.c.kind, entities.c.name)
        .join(entities, entities.c.id == mentions.c.entity_id)
        .join(memories, memories.c.id == mentions.c.memory_id)
        .where(speaks_in(project_id))
        .order_by(entities.c.name, mentions.c.memory_id)
    )
    return [(row.memory_id, row.kind, row.name) for row in conn.execute(query)]

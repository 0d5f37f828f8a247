"""Erases what was read from erased memories: facts nothing else says, entities nobody names."""

from __future__ import annotations

import json
from collections.abc import Sequence

from sqlalchemy import Connection, delete, inspect, select

from loremap.storage.tables import (
    entities,
    entity_names,
    fact_sources,
    facts,
    mentions,
    row_history,
)


def erase_read_from(conn: Connection, memory_ids: Sequence[str]) -> None:
    """Delete for good what only these memories say, in this file or in a backup; an older backup
    has no facts."""
    if not memory_ids or not inspect(conn).has_table(facts.name):
        return
    said = select(fact_sources.c.fact_id).where(fact_sources.c.memory_id.in_(memory_ids))
    elsewhere = select(fact_sources.c.fact_id).where(fact_sources.c.memory_id.not_in(memory_ids))
    ids = set(conn.execute(said).scalars()) - set(
        conn.execute(elsewhere.where(fact_sources.c.fact_id.in_(said))).scalars()
    )
    conn.execute(delete(facts).where(facts.c.id.in_(ids)))
    conn.execute(delete(mentions).where(mentions.c.memory_id.in_(memory_ids)))
    _forget_kept(conn, facts.name, ids)
    gone = _drop_unnamed(conn)
    _forget_kept(conn, entities.name, gone)
    _forget_kept(conn, entity_names.name, gone, by="entity_id")


def _drop_unnamed(conn: Connection) -> set[str]:
    """Delete the entities that nothing speaks of any more, those too that an edit had left without
    a mention, with all they go by; which they were."""
    used = (
        select(mentions.c.entity_id),
        select(facts.c.subject_id),
        select(facts.c.object_id).where(facts.c.object_id.is_not(None)),
    )
    unused = select(entities.c.id).where(*(entities.c.id.not_in(each) for each in used))
    gone = set(conn.execute(unused).scalars())
    if gone:
        conn.execute(delete(entity_names).where(entity_names.c.entity_id.in_(gone)))
        conn.execute(delete(entities).where(entities.c.id.in_(gone)))
    return gone


def _forget_kept(conn: Connection, table: str, ids: set[str], *, by: str = "id") -> None:
    """Drop what is kept of rows for undoing: it quotes what was erased."""
    if not ids:
        return
    kept = select(row_history.c.seq, row_history.c.row_key).where(row_history.c.table_name == table)
    gone = [seq for seq, key in conn.execute(kept) if json.loads(key).get(by) in ids]
    conn.execute(delete(row_history).where(row_history.c.seq.in_(gone)))

"""What a node of the memory graph is joined with, as links, tags, clusters and mentions have it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, and_, func, literal, or_, select, union
from sqlalchemy.sql.elements import ColumnElement

from loremap.model.graph import Edge, EdgeKind, Node, Sort
from loremap.model.memory import ACTIVE, Scope
from loremap.storage.relations import is_intact
from loremap.storage.tables import (
    clusters,
    entities,
    inferred_tags,
    links,
    memories,
    memory_clusters,
    memory_tags,
    mentions,
)

BORNE = union(
    select(memory_tags.c.memory_id, memory_tags.c.tag, literal(0).label("inferred")),
    select(inferred_tags.c.memory_id, inferred_tags.c.tag, literal(1).label("inferred")).where(
        inferred_tags.c.refused.is_(False)
    ),
).subquery("borne")
"""Tags that somebody set, and those that were inferred and that nobody took away."""
_JOINS: Mapping[Sort, tuple[ColumnElement[Any], ColumnElement[Any]]] = {
    Sort.TAG: (BORNE.c.memory_id, BORNE.c.tag),
    Sort.CLUSTER: (memory_clusters.c.memory_id, memory_clusters.c.cluster_id),
    Sort.ENTITY: (mentions.c.memory_id, mentions.c.entity_id),
}
"""For each sort of hub the columns that say which memory it joins."""
KIND_OF = {
    Sort.TAG: EdgeKind.HAS_TAG,
    Sort.CLUSTER: EdgeKind.IN_CLUSTER,
    Sort.ENTITY: EdgeKind.MENTIONS,
}
"""How a memory is joined to each sort of hub."""


def around_memories(conn: Connection, ids: Sequence[str]) -> list[Edge]:
    """The edges from memories to all they are joined with: links both ways, in the order they
    were made, then tags, clusters and entities by name."""
    if not ids:
        return []
    return [
        *_linked(conn, ids),
        *_tagged(conn, ids),
        *_clustered(conn, ids),
        *_mentioned(conn, ids),
    ]


def _linked(conn: Connection, ids: Sequence[str]) -> Iterable[Edge]:
    query = (
        select(links)
        .where(or_(links.c.source_id.in_(ids), links.c.target_id.in_(ids)))
        .order_by(links.c.created_at, links.c.source_id, links.c.target_id, links.c.relation)
    )
    asked = set(ids)
    for row in conn.execute(query):
        if not is_intact(row):
            continue
        source, target = Node(Sort.MEMORY, row.source_id), Node(Sort.MEMORY, row.target_id)
        kind = EdgeKind(row.relation)
        if row.source_id in asked:
            yield Edge(source, target, kind, row.weight)
        if row.target_id in asked:
            yield Edge(target, source, kind, row.weight, forward=False)


def _tagged(conn: Connection, ids: Sequence[str]) -> Iterable[Edge]:
    query = (
        select(BORNE.c.memory_id, BORNE.c.tag, func.min(BORNE.c.inferred).label("inferred"))
        .where(BORNE.c.memory_id.in_(ids))
        .group_by(BORNE.c.memory_id, BORNE.c.tag)
        .order_by(BORNE.c.tag)
    )
    for row in conn.execute(query):
        tag = Node(Sort.TAG, row.tag, f"#{row.tag}")
        yield Edge(_memory(row.memory_id), tag, EdgeKind.HAS_TAG, inferred=bool(row.inferred))


def _clustered(conn: Connection, ids: Sequence[str]) -> Iterable[Edge]:
    query = (
        select(
            memory_clusters.c.memory_id, clusters.c.id, clusters.c.name, memory_clusters.c.closeness
        )
        .join(clusters, clusters.c.id == memory_clusters.c.cluster_id)
        .where(memory_clusters.c.memory_id.in_(ids))
        .order_by(clusters.c.name, clusters.c.id)
    )
    for row in conn.execute(query):
        cluster = Node(Sort.CLUSTER, row.id, row.name)
        yield Edge(_memory(row.memory_id), cluster, EdgeKind.IN_CLUSTER, row.closeness)


def _mentioned(conn: Connection, ids: Sequence[str]) -> Iterable[Edge]:
    query = (
        select(mentions.c.memory_id, entities.c.id, entities.c.name)
        .join(entities, entities.c.id == mentions.c.entity_id)
        .where(mentions.c.memory_id.in_(ids))
        .order_by(entities.c.name, entities.c.id)
    )
    for row in conn.execute(query):
        yield Edge(_memory(row.memory_id), Node(Sort.ENTITY, row.id, row.name), EdgeKind.MENTIONS)


def around_hubs(
    conn: Connection, hubs: Sequence[Node], *, project_id: str | None, max_degree: int | None = None
) -> list[Edge]:
    """The edges from tags, clusters and entities to the memories they join here; none from a hub
    that joins more than `max_degree`: what is on everything joins nothing."""
    found: list[Edge] = []
    for sort in _JOINS:
        named = {node.id: node for node in hubs if node.sort is sort}
        if named:
            found += _joined(conn, sort, named, project_id=project_id, max_degree=max_degree)
    return found


def _joined(
    conn: Connection,
    sort: Sort,
    hubs: Mapping[str, Node],
    *,
    project_id: str | None,
    max_degree: int | None,
) -> list[Edge]:
    memory, hub = _JOINS[sort]
    borne = (
        select(hub.label("hub"), memory.label("memory_id"))
        .join(memories, memories.c.id == memory)
        .where(hub.in_(list(hubs)), speaks_in(project_id))
        .distinct()
    ).subquery("joined")
    wanted = list(hubs)
    if max_degree is not None:
        few = select(borne.c.hub).group_by(borne.c.hub).having(func.count() <= max_degree)
        wanted = list(conn.execute(few).scalars())
    query = select(borne).where(borne.c.hub.in_(wanted)).order_by(borne.c.hub, borne.c.memory_id)
    return [
        Edge(hubs[row.hub], _memory(row.memory_id), KIND_OF[sort], forward=False)
        for row in conn.execute(query)
    ]


def speaks_in(project_id: str | None) -> ColumnElement[bool]:
    """Whether a memory speaks in a project, or everywhere."""
    return and_(
        memories.c.deleted_at.is_(None),
        memories.c.status.in_([status.value for status in ACTIVE]),
        or_(memories.c.project_id == project_id, memories.c.scope == Scope.GLOBAL.value),
    )


def _memory(id_: str) -> Node:
    return Node(Sort.MEMORY, id_)

"""Clusters: their middles, and which memories belong to them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, Connection, and_, delete, func, insert, select, update

from loremap.model.clock import to_ms
from loremap.storage.row_history import kept, note_rows
from loremap.storage.sql import is_listed
from loremap.storage.tables import clusters, memories, memory_clusters
from loremap.storage.transaction import Tx, log

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredCluster:
    """A cluster as it is kept."""

    id: str
    name: str
    model: str
    centroid: Floats = field(compare=False)
    members: Mapping[str, float] = field(default_factory=dict)
    """By the id of each memory in it: how near it stands to the middle."""


def clusters_of(conn: Connection, owner_id: str, project_id: str | None) -> list[StoredCluster]:
    """The clusters of a project, with all that was ever put into them, the largest first."""
    rows = conn.execute(select(clusters).where(_of(owner_id, project_id))).all()
    joined = select(memory_clusters).where(
        is_listed(memory_clusters.c.cluster_id, json.dumps([row.id for row in rows]))
    )
    members: dict[str, dict[str, float]] = {row.id: {} for row in rows}
    for row in conn.execute(joined):
        members[row.cluster_id][row.memory_id] = row.closeness
    found = [
        StoredCluster(
            id=row.id,
            name=row.name,
            model=row.model,
            centroid=np.frombuffer(row.centroid, np.float32),
            members=members[row.id],
        )
        for row in rows
    ]
    return sorted(found, key=lambda one: (-len(one.members), one.id))


def unnamed(conn: Connection, owner_id: str, project_id: str | None) -> list[StoredCluster]:
    """The clusters of a project for whose names the small model was not asked yet."""
    asked = select(clusters.c.id).where(_of(owner_id, project_id), clusters.c.named_at.is_not(None))
    known = set(conn.execute(asked).scalars())
    return [one for one in clusters_of(conn, owner_id, project_id) if one.id not in known]


def name(tx: Tx, cluster_id: str, called: str, *, project_id: str | None) -> None:
    """Note that the small model was asked for a name, and what it said; empty leaves the name."""
    same = clusters.c.id == cluster_id
    values: dict[str, object] = {"named_at": to_ms(tx.now)}
    if called:
        log(tx, "tag", project_id=project_id, detail="named")
        values["name"] = called
    with kept(tx, clusters, same, project_id=project_id):
        tx.conn.execute(update(clusters).where(same).values(values))


def middles(
    conn: Connection, owner_id: str, project_id: str | None, *, model: str
) -> tuple[list[str], Floats, list[tuple[float, float]]]:
    """The clusters of a project that one model made: their ids, their middles, and how near to it
    the members of each stand on average, and the farthest of them."""
    usual = (
        select(
            memory_clusters.c.cluster_id,
            func.avg(memory_clusters.c.closeness).label("usual"),
            func.min(memory_clusters.c.closeness).label("least"),
        )
        .group_by(memory_clusters.c.cluster_id)
        .subquery("closeness")
    )
    query = (
        select(clusters.c.id, clusters.c.centroid, usual.c.usual, usual.c.least)
        .join(usual, usual.c.cluster_id == clusters.c.id)
        .where(_of(owner_id, project_id), clusters.c.model == model)
        .order_by(clusters.c.id)
    )
    rows = conn.execute(query).all()
    held = [np.frombuffer(row.centroid, np.float32) for row in rows]
    stacked = np.stack(held) if held else np.zeros((0, 0), np.float32)
    return [row.id for row in rows], stacked, [(float(row.usual), float(row.least)) for row in rows]


def put(tx: Tx, cluster: StoredCluster, *, project_id: str | None) -> None:
    """Keep a cluster as it is now; members that are gone meanwhile are left out."""
    log(tx, "tag", project_id=project_id, detail="clustered")
    ids = json.dumps(list(cluster.members))
    there = select(memories.c.id).where(is_listed(memories.c.id, ids))
    wanted = {id_: cluster.members[id_] for id_ in tx.conn.execute(there).scalars()}
    same = clusters.c.id == cluster.id
    values = {
        "name": cluster.name,
        "model": cluster.model,
        "dim": len(cluster.centroid),
        "centroid": cluster.centroid.astype(np.float32).tobytes(),
        "member_count": len(wanted),
        "updated_at": to_ms(tx.now),
    }
    with kept(tx, clusters, same, project_id=project_id):
        known = tx.conn.execute(update(clusters).where(same).values(values)).rowcount
        if not known:
            own = {"id": cluster.id, "owner_id": tx.actor.owner_id, "project_id": project_id}
            tx.conn.execute(insert(clusters).values(values | own))
    _set_members(tx, cluster.id, wanted, project_id=project_id)


def drop(tx: Tx, cluster_id: str, *, project_id: str | None) -> None:
    """Take a cluster away; its members stay."""
    log(tx, "tag", project_id=project_id, detail="clustered")
    _set_members(tx, cluster_id, {}, project_id=project_id)
    same = clusters.c.id == cluster_id
    with kept(tx, clusters, same, project_id=project_id):
        tx.conn.execute(delete(clusters).where(same))


def join(conn: Connection, memory_id: str, cluster_id: str, closeness: float) -> None:
    """Put one more memory into a cluster."""
    own = and_(memory_clusters.c.memory_id == memory_id, memory_clusters.c.cluster_id == cluster_id)
    conn.execute(delete(memory_clusters).where(own))
    conn.execute(
        insert(memory_clusters).values(
            memory_id=memory_id, cluster_id=cluster_id, closeness=closeness
        )
    )
    count = select(func.count()).where(memory_clusters.c.cluster_id == cluster_id)
    conn.execute(
        update(clusters)
        .where(clusters.c.id == cluster_id)
        .values(member_count=count.scalar_subquery())
    )


def _of(owner_id: str, project_id: str | None) -> ColumnElement[bool]:
    return and_(clusters.c.owner_id == owner_id, clusters.c.project_id == project_id)


def _set_members(
    tx: Tx, cluster_id: str, wanted: Mapping[str, float], *, project_id: str | None
) -> None:
    """Let just these memories be in a cluster."""
    mine = memory_clusters.c.cluster_id == cluster_id
    before = {
        row.memory_id: row.closeness for row in tx.conn.execute(select(memory_clusters).where(mine))
    }
    changed = [id_ for id_, near in before.items() if wanted.get(id_) != near]
    tx.conn.execute(
        delete(memory_clusters).where(
            mine, is_listed(memory_clusters.c.memory_id, json.dumps(changed))
        )
    )
    fresh = [id_ for id_, near in wanted.items() if before.get(id_) != near]
    if fresh:
        tx.conn.execute(
            insert(memory_clusters),
            [_key(tx, id_, cluster_id) | {"closeness": wanted[id_]} for id_ in fresh],
        )
    note_rows(
        tx,
        memory_clusters,
        [
            (_key(tx, id_, cluster_id), {"closeness": before[id_]} if id_ in before else None)
            for id_ in dict.fromkeys([*changed, *fresh])
        ],
        project_id=project_id,
    )


def _key(tx: Tx, memory_id: str, cluster_id: str) -> dict[str, str]:
    return {"tenant_id": tx.actor.tenant_id, "memory_id": memory_id, "cluster_id": cluster_id}

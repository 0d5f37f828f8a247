"""Finds the clusters of what is remembered here, as a pass of tending; between two of them a new
memory joins the nearest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

import numpy as np

from loremap.errors import StoreError
from loremap.memory.graph.grouping import (
    Places,
    Vectors,
    closeness,
    grouped,
    is_installed,
    kept_ids,
    middle,
    near_enough,
)
from loremap.memory.graph.naming import cluster_name
from loremap.memory.recall.context import visible
from loremap.memory.recalling import query
from loremap.memory.step import Step
from loremap.memory.workspace import Workspace
from loremap.model.clock import new_id
from loremap.model.memory import Scope
from loremap.storage import clusters, memories, vectors
from loremap.storage.clusters import StoredCluster
from loremap.storage.store import Connection
from loremap.storage.warm import SCOPE_CODE, Warm


@dataclass(frozen=True, slots=True)
class _Found:
    """What stands here, with its vectors, in groups."""

    slots: Places
    ids: Sequence[str]
    vectors: Vectors
    groups: Sequence[Places]
    middles: Sequence[Vectors]


def plan_clusters(here: Workspace) -> Sequence[Step]:
    """The steps that bring the clusters to what stands together now; none without the extra
    `clusters`. A project is tended every day and after every 50 recalls."""
    return plan_clusters_now(here) if is_installed() else ()


def plan_clusters_now(here: Workspace) -> Sequence[Step]:
    """The same, whenever it was done last."""
    with here.engine.arrays(here.embedder()) as (conn, warm):
        before = clusters.clusters_of(conn, here.actor.owner_id, here.project_id)
        found = _found(here, warm)
        now = _named(conn, warm, found, before)
    return [*_kept(here, now, before), *_gone(here, now, before)]


def _found(here: Workspace, warm: Warm) -> _Found:
    # What one session alone may see is in no cluster: its name is shown in all.
    lasting = warm["scope"] != SCOPE_CODE[Scope.SESSION.value]
    held, some = warm.vectors_of(np.flatnonzero(visible(warm, query(here, "")) & lasting))
    groups = grouped(some)
    found = [middle(some[group]) for group in groups]
    return _Found(
        held, [warm.ids[slot] for slot in held], some, _with_near(some, groups, found), found
    )


def _with_near(some: Vectors, groups: Sequence[Places], middles: Sequence[Vectors]) -> list[Places]:
    """The groups, with those beside them that stand as near to the middle as their members do."""
    if not groups:
        return []
    near = some @ np.stack(middles).T
    inner = [closeness(some[group]) for group in groups]
    bar = np.asarray([near_enough(float(one.mean()), float(one.min())) for one in inner])
    free = np.setdiff1d(np.arange(len(some)), np.concatenate(groups))
    best = near[free].argmax(axis=1)
    fits = near[free, best] >= bar[best]
    return [
        np.sort(np.concatenate((group, free[fits & (best == at)])))
        for at, group in enumerate(groups)
    ]


def _named(
    conn: Connection, warm: Warm, found: _Found, before: Sequence[StoredCluster]
) -> list[StoredCluster]:
    """The groups as clusters: each that is mostly one of `before` keeps its id and name."""
    members = [[found.ids[at] for at in group] for group in found.groups]
    known = {one.id: one for one in before if one.model == warm.model}
    ids = kept_ids(members, {id_: one.members for id_, one in known.items()})
    held = warm.words(conn)
    count = partial(_frequency, held.frequencies)
    texts = _texts(conn, warm, found)
    made = []
    for group, at, own, id_ in zip(found.groups, found.middles, members, ids, strict=True):
        near = closeness(found.vectors[group]).tolist()
        said = [texts[id_] for id_ in own if id_ in texts]
        made.append(
            StoredCluster(
                id=id_ or new_id(),
                name=(known[id_].name if id_ else "") or cluster_name(said, count, held.rows),
                model=warm.model or "",
                centroid=at,
                members={one: round(how, 4) for one, how in zip(own, near, strict=True)},
            )
        )
    return made


def _texts(conn: Connection, warm: Warm, found: _Found) -> dict[str, str]:
    """What the members of all groups say, by id."""
    if not found.groups:
        return {}
    rows = warm["row"][found.slots[np.concatenate(found.groups)]].tolist()
    return {one.id: one.content for one in memories.by_rows(conn, rows).values()}


def _frequency(counted: Callable[[Sequence[str]], Places], terms: Sequence[str]) -> Sequence[int]:
    counts: list[int] = counted(terms).tolist()
    return counts


def _kept(
    here: Workspace, now: Sequence[StoredCluster], before: Sequence[StoredCluster]
) -> list[Step]:
    known = {one.id: one for one in before}
    return [
        Step(
            on=one.id,
            does="cluster",
            why=_said(one, known.get(one.id)),
            apply=partial(clusters.put, cluster=one, project_id=here.project_id),
        )
        for one in now
        if one.id not in known or _differ(known[one.id], one)
    ]


def _differ(one: StoredCluster, other: StoredCluster) -> bool:
    return (one.members, one.name) != (other.members, other.name)


def _said(now: StoredCluster, before: StoredCluster | None) -> str:
    size = len(now.members)
    if before is None:
        return f"{now.name or 'unnamed'}: {size} memories stand together"
    joined = len(now.members.keys() - before.members.keys())
    left = len(before.members.keys() - now.members.keys())
    return f"{now.name or 'unnamed'}: {size} memories, {joined} joined, {left} left"


def _gone(
    here: Workspace, now: Sequence[StoredCluster], before: Sequence[StoredCluster]
) -> list[Step]:
    stay = {one.id for one in now}
    return [
        Step(
            on=one.id,
            does="uncluster",
            why=f"{one.name or 'unnamed'}: its memories stand together no more",
            apply=partial(clusters.drop, cluster_id=one.id, project_id=here.project_id),
        )
        for one in before
        if one.id not in stay
    ]


# One more memory


def join_nearest(here: Workspace, ids: Sequence[str]) -> None:
    """Put new memories into the clusters they stand in: each into the nearest, where it is as near
    to its middle as the members are."""
    model = here.engine.slot.taken
    if model is None or not ids:
        return
    with here.store.read() as conn:
        known, centroids, usual = clusters.middles(
            conn, here.actor.owner_id, here.project_id, model=model.model
        )
        held = vectors.current(conn, model.model, ids) if known else {}
    near = {id_: centroids @ chunks[0] for id_, chunks in held.items()}
    joined = [
        (id_, int(at.argmax()), float(at.max()))
        for id_, at in near.items()
        if float(at.max()) >= near_enough(*usual[int(at.argmax())])
    ]
    if joined:
        # The memory is stored; where the store is busy, the next time clusters are found will do.
        with suppress(StoreError), here.store.append() as conn:  # changes no memory
            for id_, at, how in joined:
                clusters.join(conn, id_, known[at], round(how, 4))

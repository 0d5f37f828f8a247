"""The `cascade` recipe: from what is similar on through tags, clusters, entities and links."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from loremap.embedding.scale import KNOWN, Scale
from loremap.memory.recall.context import Context, Scored, Slots, visible
from loremap.memory.recall.hybrid import top
from loremap.memory.recall.walk import Reached, told_path, walked
from loremap.model.graph import PROJECT_TAG, Edge, Node, Sort
from loremap.model.memory import Status
from loremap.storage.neighbours import around_hubs, around_memories
from loremap.storage.warm import STATUS_CODE

MEASURED = KNOWN["all-MiniLM-L6-v2"]
"""The model whose cosines the seed's threshold and edge weights are compared with."""
_SUPERSEDED = STATUS_CODE[Status.SUPERSEDED.value]


def cascaded(context: Context) -> list[Scored]:
    """Source: the memories most similar to the question, and what the graph joins them with."""
    if context.similarity is None:
        return []
    walkable = context.derived("walkable", partial(_walkable, context))
    similarity = comparable(context.similarity, context.scale)
    seeds = _seeds(context, walkable, similarity)
    slot_of = context.warm.derived("slots by id", lambda: _slots_by_id(context))
    near = partial(_neighbours, context, walkable, similarity, slot_of)
    reached = walked([(_node(context, slot), score) for slot, score in seeds], near, context.reach)
    told = [each for each in reached if context.mask[slot_of[each.node.id]]]
    return [_scored(context, each, slot_of, similarity) for each in told]


def comparable(cosines: NDArray[np.float32], scale: Scale) -> NDArray[np.float64]:
    """Cosines as MiniLM would have them: equally far above an unrelated pair."""
    deviations = (cosines.astype(np.float64) - scale.usual) / scale.spread
    found: NDArray[np.float64] = np.clip(MEASURED.usual + deviations * MEASURED.spread, -1.0, 1.0)
    return found


def take_results(context: Context, found: list[Scored]) -> list[Scored]:
    """Step: as many as a cascade answers with."""
    for each in found[context.reach.max_results :]:
        context.drop(each, "cascade", f"ranked below {context.reach.max_results}")
    return found[: context.reach.max_results]


def _walkable(context: Context) -> NDArray[np.bool_]:
    """What may answer, and what was replaced: it is told no more and leads to its successor."""
    every = visible(context.warm, replace(context.query, include_inactive=True))
    gone: NDArray[np.bool_] = every & (context.warm["status"] == _SUPERSEDED)
    return gone | visible(context.warm, context.query)


def _seeds(
    context: Context, walkable: NDArray[np.bool_], similarity: NDArray[np.float64]
) -> list[tuple[int, float]]:
    held = walkable & (context.warm["vector_count"] > 0)
    near: Slots = np.flatnonzero(held & (similarity >= context.reach.similarity_threshold))
    best = near[top(similarity[near], context.reach.max_initial_hits)]
    return [(int(slot), float(similarity[slot])) for slot in best]


def _neighbours(
    context: Context,
    walkable: NDArray[np.bool_],
    similarity: NDArray[np.float64],
    slot_of: Mapping[str, int],
    nodes: Sequence[Node],
) -> dict[Node, list[Edge]]:
    """The edges out of some nodes, to what may be walked here, the nearest to the question first
    where a hub joins many."""
    conn, query = context.conn, context.query
    most = max(context.reach.max_results, len(context.visible_slots) // 2)
    memories = [node.id for node in nodes if node.is_memory]
    hubs = [node for node in nodes if not node.is_memory and not _is_project(node)]
    edges = [
        *around_memories(conn, memories),
        *around_hubs(
            conn, hubs, project_id=query.project_id, max_degree=min(context.reach.max_degree, most)
        ),
    ]
    found: dict[Node, list[Edge]] = {}
    for edge in edges:
        slot = slot_of.get(edge.end.id, -1) if edge.end.is_memory else None
        if slot is None or (slot >= 0 and walkable[slot]):
            found.setdefault(edge.start, []).append(edge)
    for hub in hubs:
        found.get(hub, []).sort(key=lambda edge: -similarity[slot_of[edge.end.id]])
    return found


def _scored(
    context: Context,
    each: Reached,
    slot_of: Mapping[str, int],
    similarity: NDArray[np.float64],
) -> Scored:
    slot = slot_of[each.node.id]
    parts = {"similar": float(similarity[slot])} if context.warm["vector_count"][slot] else {}
    via = told_path(each.path)
    return Scored(slot, each.score, parts, why=f"by way of {via}" if via else "")


def _slots_by_id(context: Context) -> dict[str, int]:
    return {id_: slot for slot, id_ in enumerate(context.warm.ids)}


def _is_project(node: Node) -> bool:
    return node.sort is Sort.TAG and node.id.startswith(PROJECT_TAG)


def _node(context: Context, slot: int) -> Node:
    return Node(Sort.MEMORY, context.warm.ids[slot])

"""The memory graph as one recall may walk it: whom it may see, where, the nearest first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from loremap.embedding.scale import KNOWN, Scale
from loremap.memory.recall.context import Context, visible
from loremap.model.graph import PROJECT_TAG, Edge, Node, Sort
from loremap.model.memory import Status
from loremap.storage.neighbours import around_hubs, around_memories
from loremap.storage.warm import STATUS_CODE

MEASURED = KNOWN["all-MiniLM-L6-v2"]
"""The model whose cosines the threshold and the edge weights are compared with."""
_SUPERSEDED = STATUS_CODE[Status.SUPERSEDED.value]


class GraphHere:
    """What stands around the nodes of one recall."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self.walkable = context.derived("walkable", partial(_walkable, context))
        self._slot_of = context.warm.derived("slots by id", partial(_slots_by_id, context))
        self.similarity = (
            np.zeros(context.warm.size)
            if context.similarity is None
            else comparable(context.similarity, context.scale)
        )
        half = len(context.visible_slots) // 2
        # What is on half of all here leads nowhere either, unless that is hardly anything.
        self._max_degree = min(context.reach.max_degree, max(context.reach.max_results, half))

    def node(self, slot: int) -> Node:
        """The memory in a slot."""
        return Node(Sort.MEMORY, self._context.warm.ids[slot])

    def slot(self, node: Node) -> int:
        """The slot of a memory that may be walked."""
        return self._slot_of[node.id]

    def neighbours(self, nodes: Sequence[Node]) -> dict[Node, list[Edge]]:
        """The edges out of some nodes, to what may be walked here; out of what joins many, to the
        nearest to the question first."""
        conn, query = self._context.conn, self._context.query
        hubs = [node for node in nodes if not node.is_memory and not _is_project(node)]
        edges = [
            *around_memories(conn, [node.id for node in nodes if node.is_memory]),
            *around_hubs(conn, hubs, project_id=query.project_id, max_degree=self._max_degree),
        ]
        found: dict[Node, list[Edge]] = {}
        for edge in edges:
            if not edge.end.is_memory or self._may_walk(edge.end):
                found.setdefault(edge.start, []).append(edge)
        for hub in hubs:
            found.get(hub, []).sort(key=lambda edge: -self.similarity[self.slot(edge.end)])
        return found

    def _may_walk(self, node: Node) -> bool:
        slot = self._slot_of.get(node.id, -1)
        return slot >= 0 and bool(self.walkable[slot])


def comparable(cosines: NDArray[np.float32], scale: Scale) -> NDArray[np.float64]:
    """Cosines as MiniLM would have them: equally far above an unrelated pair."""
    deviations = (cosines.astype(np.float64) - scale.usual) / scale.spread
    found: NDArray[np.float64] = np.clip(MEASURED.usual + deviations * MEASURED.spread, -1.0, 1.0)
    return found


def _walkable(context: Context) -> NDArray[np.bool_]:
    """What may answer, and what was replaced: it is told no more and leads to its successor."""
    every = visible(context.warm, replace(context.query, include_inactive=True))
    gone: NDArray[np.bool_] = every & (context.warm["status"] == _SUPERSEDED)
    return gone | visible(context.warm, context.query)


def _slots_by_id(context: Context) -> dict[str, int]:
    return {id_: slot for slot, id_ in enumerate(context.warm.ids)}


def _is_project(node: Node) -> bool:
    return node.sort is Sort.TAG and node.id.startswith(PROJECT_TAG)

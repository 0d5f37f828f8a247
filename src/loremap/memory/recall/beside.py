"""A step that lets the best of an answer speak for their neighbours in the memory graph. No recipe
takes it: the ablation shows what it would do."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from loremap.memory.recall.context import Context, Scored
from loremap.memory.recall.graph_here import GraphHere
from loremap.memory.recall.walk import told_path, walked
from loremap.model.graph import Edge, EdgeKind, Node

LEADING = 3
"""So many of the best speak for their neighbours."""
SPOKEN_FOR = 0.3
"""The share of a leading score that a neighbour gains, times what the way to it leaves."""
TAGS = frozenset({EdgeKind.HAS_TAG})
CLUSTERS = frozenset({EdgeKind.IN_CLUSTER})
LINKS = frozenset(EdgeKind) - {EdgeKind.HAS_TAG, EdgeKind.IN_CLUSTER, EdgeKind.MENTIONS}


def lift_neighbours(
    context: Context, found: list[Scored], *, kinds: Collection[EdgeKind]
) -> list[Scored]:
    """Step: neighbours of the best, over edges of some kinds, gain a share of their scores."""
    graph = GraphHere(context)

    def near(nodes: Sequence[Node]) -> dict[Node, list[Edge]]:
        around = graph.neighbours(nodes)
        return {node: [one for one in edges if one.kind in kinds] for node, edges in around.items()}

    by_slot = {each.slot: each for each in (replace(each) for each in found)}
    for lead in found[:LEADING]:
        for reached in walked([(graph.node(lead.slot), 0.0)], near, context.reach):
            slot = graph.slot(reached.node)
            if slot == lead.slot or not context.mask[slot]:
                continue
            if slot not in by_slot:
                by_slot[slot] = Scored(slot, 0.0, why=f"by way of {told_path(reached.path)}")
            by_slot[slot].score += SPOKEN_FOR * max(lead.score, 0.0) * reached.score
    return sorted(by_slot.values(), key=lambda each: -each.score)

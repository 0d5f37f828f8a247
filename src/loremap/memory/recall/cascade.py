"""The `cascade` recipe: from what is similar on through tags, clusters, entities and links."""

from __future__ import annotations

import numpy as np

from loremap.memory.recall.context import Context, Scored, Slots
from loremap.memory.recall.graph_here import GraphHere
from loremap.memory.recall.hybrid import top
from loremap.memory.recall.walk import Reached, told_path, walked
from loremap.model.graph import Node


def cascaded(context: Context) -> list[Scored]:
    """Source: the memories most similar to the question, and what the graph joins them with."""
    if context.similarity is None:
        return []
    graph = GraphHere(context)
    reached = walked(_seeds(context, graph), graph.neighbours, context.reach)
    return [
        _scored(context, graph, each) for each in reached if context.mask[graph.slot(each.node)]
    ]


def take_results(context: Context, found: list[Scored]) -> list[Scored]:
    """Step: as many as a cascade answers with."""
    for each in found[context.reach.max_results :]:
        context.drop(each, "cascade", f"ranked below {context.reach.max_results}")
    return found[: context.reach.max_results]


def _seeds(context: Context, graph: GraphHere) -> list[tuple[Node, float]]:
    held = graph.walkable & (context.warm["vector_count"] > 0)
    similarity = graph.similarity
    near: Slots = np.flatnonzero(held & (similarity >= context.reach.similarity_threshold))
    best = near[top(similarity[near], context.reach.max_initial_hits)]
    return [(graph.node(slot), float(similarity[slot])) for slot in best.tolist()]


def _scored(context: Context, graph: GraphHere, each: Reached) -> Scored:
    slot = graph.slot(each.node)
    held = context.warm["vector_count"][slot] > 0
    parts = {"similar": float(graph.similarity[slot])} if held else {}
    via = told_path(each.path)
    return Scored(slot, each.score, parts, why=f"by way of {via}" if via else "")

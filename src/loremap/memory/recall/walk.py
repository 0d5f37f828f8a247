"""Walks the memory graph outward from some memories: the cascade."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from loremap.model.clock import short_id
from loremap.model.graph import Edge, EdgeKind, Node

WEIGHTS: Mapping[EdgeKind, float] = {
    EdgeKind.HAS_TAG: 0.8,
    EdgeKind.IN_CLUSTER: 0.6,
    EdgeKind.SUPERSEDES: 0.9,
}
"""What each kind of edge counts for; `relates_to` counts for its own weight."""
OTHER_WEIGHT = 0.3
"""What every other kind of edge counts for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """How far a cascade goes."""

    similarity_threshold: float = 0.4
    """The least similarity of what it starts from, on the scale of MiniLM's cosines."""
    max_initial_hits: int = 10
    max_depth: int = 2
    max_results: int = 10
    edge_decay: float = 0.7
    max_degree: int = 50
    """A tag, cluster or entity that joins more is not walked: what is on everything says nothing
    of anything."""
    fan_out: int = 25
    """So many edges of one node are walked, the nearest to the question first."""


@dataclass(frozen=True, slots=True)
class Reached:
    """A memory that was reached, how well, and on which way."""

    node: Node
    score: float
    path: tuple[Edge, ...] = ()
    """The edges from where it began; none where it began there."""


Neighbours = Callable[[Sequence[Node]], Mapping[Node, Sequence[Edge]]]
"""The edges out of each of some nodes, in the order in which they are walked."""


def weight_of(edge: Edge) -> float:
    """What an edge counts for."""
    if edge.kind is EdgeKind.RELATES_TO:
        return edge.weight
    return WEIGHTS.get(edge.kind, OTHER_WEIGHT)


def decayed(weight: float, *, depth: int, edge_decay: float) -> float:
    """What an edge out of a node so deep gives to the memory at its end."""
    return weight * edge_decay ** (depth + 1)


def walked(
    seeds: Sequence[tuple[Node, float]], neighbours: Neighbours, reach: Reach
) -> list[Reached]:
    """The memories reached from `seeds`, each once by its best way, best first."""
    found = [Reached(node, score) for node, score in seeds]
    level: dict[Node, tuple[Edge, ...]] = {node: () for node, _ in seeds}
    visited: set[Node] = set()
    for depth in range(reach.max_depth):
        around = neighbours(list(level))
        deeper: dict[Node, tuple[Edge, ...]] = {}
        for node, path in level.items():
            visited.add(node)
            for edge in _followed(around.get(node, ()), visited, reach.fan_out):
                way = (*path, edge)
                score = decayed(weight_of(edge), depth=depth, edge_decay=reach.edge_decay)
                if edge.end.is_memory:
                    found.append(Reached(edge.end, score, way))
                deeper.setdefault(edge.end, way)
        level = {node: way for node, way in deeper.items() if node not in visited}
    return best_of(found)


def _followed(edges: Sequence[Edge], visited: set[Node], fan_out: int) -> Iterable[Edge]:
    """The edges that lead on, so many at most; a circle or a node's edge to itself does not."""
    onward = (edge for edge in edges if edge.end not in visited)
    return [edge for edge, _ in zip(onward, range(fan_out), strict=False)]


def best_of(found: Iterable[Reached]) -> list[Reached]:
    """Each node once, by its best score, best first."""
    best: dict[Node, Reached] = {}
    for each in sorted(found, key=lambda one: -one.score):
        best.setdefault(each.node, each)
    return list(best.values())


def told_path(path: Sequence[Edge]) -> str:
    """A way through the graph as a person reads it: `1a2b3c4d has_tag #auth has_tag`."""
    return " ".join(
        f"{edge.start.name or short_id(edge.start.id)} {edge.kind.value}" for edge in path
    )

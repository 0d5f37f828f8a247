"""Walks over the whole graph in memory: what a change reaches, and how two symbols are joined."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence

import rustworkx


class Reach:
    """The edges of one graph, from user to used."""

    def __init__(self, edges: Sequence[tuple[int, int]]) -> None:
        ids = sorted({id_ for edge in edges for id_ in edge})
        self._ids = ids
        self._nodes: Mapping[int, int] = {id_: node for node, id_ in enumerate(ids)}
        self._graph: rustworkx.PyDiGraph[int, None] = rustworkx.PyDiGraph(multigraph=False)
        self._graph.add_nodes_from(ids)
        nodes = self._nodes
        self._graph.add_edges_from_no_data([(nodes[source], nodes[to]) for source, to in edges])

    def upstream(self, ids: Iterable[int], *, depth: int) -> dict[int, int]:
        """The ids that lead to any of `ids`, with the number of steps; they themselves are at 0."""
        steps = {self._nodes[id_]: 0 for id_ in ids if id_ in self._nodes}
        waiting = deque(steps)
        while waiting:
            node = waiting.popleft()
            if steps[node] == depth:
                continue
            for user in self._graph.predecessor_indices(node):
                if user not in steps:
                    steps[user] = steps[node] + 1
                    waiting.append(user)
        return {self._ids[node]: count for node, count in steps.items()}

    def path(self, start: Iterable[int], end: Iterable[int]) -> list[int]:
        """The shortest way along the edges from one of `start` to one of `end`; empty if none."""
        goal = {self._nodes[id_] for id_ in end if id_ in self._nodes}
        came: dict[int, int] = {self._nodes[id_]: -1 for id_ in start if id_ in self._nodes}
        waiting = deque(came)
        while waiting:
            node = waiting.popleft()
            if node in goal:
                return self._traced(came, node)
            for used in self._graph.successor_indices(node):
                if used not in came:
                    came[used] = node
                    waiting.append(used)
        return []

    def _traced(self, came: Mapping[int, int], node: int) -> list[int]:
        way = []
        while node >= 0:
            way.append(self._ids[node])
            node = came[node]
        return way[::-1]

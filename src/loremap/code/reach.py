"""Walks over the whole graph in memory: what a change reaches, and how two symbols are joined.

The edges lie in arrays, sorted by their ends, so that a whole ring of neighbours is one step of
numpy: the widest change of a large project is followed in milliseconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


class Reach:
    """The edges of one graph, from user to used."""

    def __init__(self, edges: Sequence[tuple[int, int]]) -> None:
        ends = np.array(edges, np.int64).reshape(-1, 2)
        self._ids, places = np.unique(ends, return_inverse=True)
        sources, targets = places.reshape(-1, 2).T
        self._users = _Rows(targets, sources, len(self._ids))
        self._used = _Rows(sources, targets, len(self._ids))

    def upstream(self, ids: Iterable[int], *, depth: int) -> tuple[Ints, Ints]:
        """The ids that lead to any of `ids`, and the steps each takes; they themselves take 0."""
        ring = self._places(ids)
        steps = np.full(len(self._ids), -1, np.int64)
        steps[ring] = 0
        for step in range(1, depth + 1):
            ring, _ = self._users.beyond(ring)
            ring = ring[steps[ring] < 0]
            if not len(ring):
                break
            steps[ring] = step
            ring = np.flatnonzero(steps == step)  # each once
        reached = np.flatnonzero(steps >= 0)
        return self._ids[reached], steps[reached]

    def path(self, start: Iterable[int], end: Iterable[int]) -> list[int]:
        """The shortest way along the edges from one of `start` to one of `end`; empty if none."""
        goal = np.zeros(len(self._ids), bool)
        goal[self._places(end)] = True
        ring = self._places(start)
        came = np.full(len(self._ids), -2, np.int64)
        came[ring] = -1
        while len(ring):
            if goal[ring].any():
                return self._traced(came, int(ring[goal[ring]][0]))
            beyond, behind = self._used.beyond(ring)
            fresh = came[beyond] == -2
            came[beyond[fresh]] = behind[fresh]
            ring = np.flatnonzero(_marked(beyond[fresh], len(came)))  # each once
        return []

    def _places(self, ids: Iterable[int]) -> Ints:
        wanted = np.array(sorted(set(ids)), np.int64)
        places = np.searchsorted(self._ids, wanted)
        known = places < len(self._ids)
        places, wanted = places[known], wanted[known]
        found: Ints = places[self._ids[places] == wanted]
        return found

    def _traced(self, came: Ints, place: int) -> list[int]:
        way = []
        while place >= 0:
            way.append(int(self._ids[place]))
            place = int(came[place])
        return way[::-1]


def _marked(places: Ints, count: int) -> NDArray[np.bool_]:
    marks = np.zeros(count, np.bool_)
    marks[places] = True
    return marks


class _Rows:
    """For each place the places it is joined to, one after another."""

    def __init__(self, places: Ints, others: Ints, count: int) -> None:
        order = np.argsort(places, kind="stable")
        self._others = others[order]
        self._first = np.searchsorted(places[order], np.arange(count + 1))

    def beyond(self, places: Ints) -> tuple[Ints, Ints]:
        """All that `places` are joined to, and beside each the place it is joined to."""
        starts, lengths = self._first[places], self._first[places + 1] - self._first[places]
        total = int(lengths.sum())
        offsets = np.repeat(starts - np.concatenate(([0], np.cumsum(lengths)[:-1])), lengths)
        return self._others[offsets + np.arange(total)], np.repeat(places, lengths)

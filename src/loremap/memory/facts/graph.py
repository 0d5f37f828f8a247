"""Facts joined by their entities: walked from what a question names, each fact with its path."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from loremap.model.entity import Entity, entity_key
from loremap.model.fact import Fact

ANCHORS = 3
"""Entities a walk begins at."""
MAX_FACTS_OF_ONE = 40
"""Facts of one entity that are followed: what everything has to do with must not flood a walk."""
MAX_NAME_TOKENS = 9
NAME_MATCH = 1.0
"""What a name that the question says counts for beside a cosine."""
Matrix = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Anchor:
    """Where a walk begins, and how well that fits what is asked."""

    entity_id: str
    score: float


@dataclass(frozen=True, slots=True)
class Reached:
    """A fact with the facts that lead to it, itself the last, and where the walk began."""

    path: tuple[Fact, ...]
    anchor: Anchor

    @property
    def fact(self) -> Fact:
        """The fact itself."""
        return self.path[-1]


@dataclass(frozen=True)
class FactGraph:
    """What holds in one place: facts, entities, their vectors, and who says each fact."""

    facts: Sequence[Fact] = ()
    entities: Mapping[str, Entity] = field(default_factory=dict)
    sources: Mapping[str, Sequence[str]] = field(default_factory=dict)
    vector_ids: Sequence[str] = ()
    vectors: Matrix = field(default_factory=lambda: np.zeros((0, 0), np.float32))

    @cached_property
    def said_of(self) -> Mapping[str, Sequence[Fact]]:
        """The facts about each entity, the newest first."""
        found: dict[str, list[Fact]] = defaultdict(list)
        for fact in self.facts:
            found[fact.subject_id].append(fact)
        return found

    @cached_property
    def leading_to(self) -> Mapping[str, Sequence[Fact]]:
        """The facts that name each entity as their object, the newest first."""
        found: dict[str, list[Fact]] = defaultdict(list)
        for fact in self.facts:
            if fact.object_id is not None:
                found[fact.object_id].append(fact)
        return found

    @cached_property
    def by_key(self) -> Mapping[str, str]:
        """The ids of entities by everything they go by."""
        names = (
            (key, one.id)
            for one in self.entities.values()
            for key in (one.key, *(entity_key(name) for name in one.aliases))
        )
        return dict(names)

    def anchors(self, text: str, vector: Matrix | None, *, most: int = ANCHORS) -> list[Anchor]:
        """The entities a question is about: those it names, the longest names first, then those
        whose names are nearest to it."""
        scores = self._nearest(vector)
        named = [id_ for id_ in self._named(text) if id_ in self.said_of or id_ in self.leading_to]
        for id_ in named:
            scores[id_] = scores.get(id_, 0.0) + NAME_MATCH
        rest = sorted(scores.keys() - set(named), key=lambda id_: (-scores[id_], id_))
        return [Anchor(id_, scores[id_]) for id_ in (*named, *rest)[:most]]

    def _named(self, text: str) -> list[str]:
        """The ids of what a text names, the longest names first; no part of a longer name."""
        tokens = text.split()
        free = [True] * len(tokens)
        found: dict[str, None] = {}
        for size in range(min(MAX_NAME_TOKENS, len(tokens)), 0, -1):
            for start in range(len(tokens) - size + 1):
                if not all(free[start : start + size]):
                    continue
                id_ = self.by_key.get(
                    entity_key(" ".join(tokens[start : start + size]).strip("?!,.;:"))
                )
                if id_ is not None:
                    found[id_] = None
                    free[start : start + size] = [False] * size
        return list(found)

    def _nearest(self, vector: Matrix | None) -> dict[str, float]:
        if vector is None or not len(self.vector_ids) or self.vectors.shape[1] != len(vector):
            return {}
        cosines = self.vectors @ vector
        best = np.argsort(-cosines)[: 4 * ANCHORS].tolist()
        return {self.vector_ids[at]: max(float(cosines[at]), 0.0) for at in best}

    def walked(self, anchors: Sequence[Anchor], *, hops: int) -> list[Reached]:
        """The facts within so many hops of the anchors, each once, by its shortest path. What
        leads to an anchor belongs to it; further on only what is said of a thing is followed."""
        found: dict[str, Reached] = {}
        seen: set[str] = set()
        frontier = [(anchor.entity_id, Reached((), anchor)) for anchor in anchors]
        for hop in range(hops):
            further = []
            for entity_id, way in frontier:
                if entity_id in seen:
                    continue
                seen.add(entity_id)
                for fact in self._of(entity_id, with_leading=hop == 0):
                    reached = Reached((*way.path, fact), way.anchor)
                    found.setdefault(fact.id, reached)
                    other = fact.subject_id if fact.object_id == entity_id else fact.object_id
                    if other is not None:
                        further.append((other, reached))
            frontier = further
        return list(found.values())

    def _of(self, entity_id: str, *, with_leading: bool) -> list[Fact]:
        facts = list(self.said_of.get(entity_id, ()))
        if with_leading:
            facts += self.leading_to.get(entity_id, ())
        return facts[:MAX_FACTS_OF_ONE]

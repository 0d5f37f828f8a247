"""Statements on one subject stand together: what a person confirmed first, then the newest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from loremap.embedding.scale import Scale

Vector: TypeAlias = "NDArray[np.float32]"

DEPTH = 10
"""Among so many of the best, statements on one subject are looked for."""
ALIKE = 4.2
"""Deviations above an unrelated pair from which two statements may have one subject."""
SHARED = 0.28
"""The share of the rarity of the shorter one's words that both must say."""
SITTING_SECONDS = 24 * 3600
"""What is written within a day is said side by side; what comes later may be a change."""
# Chosen on the chains of pairs-dev, on the notes of coding-dev, where lower ones disturb the order,
# and on the facts of FactConsolidation.


@dataclass(frozen=True, slots=True)
class Said:
    """A ranked statement."""

    at: float
    confirmed: bool
    words: Mapping[str, float]
    """The words it says, each with its rarity; empty for what is no statement."""
    vector: Vector | None = None
    asked: frozenset[str] = frozenset()
    """The words of the question that it says."""
    named: frozenset[str] = frozenset()
    """The names and numbers among them: another one's are another subject."""
    conflicts: frozenset[int] = frozenset()
    """The places of those it is in an open conflict with."""


@dataclass(frozen=True, slots=True)
class Ordered:
    """The place a statement had, and whether a newer or surer one on its subject stands above."""

    place: int
    after: int | None = None


def together(ranked: Sequence[Said], scale: Scale) -> list[Ordered]:
    """The new order: with each statement those on its subject, the surest and newest first."""
    left = list(range(len(ranked)))
    order: list[Ordered] = []
    while left:
        group = _subject_of(left[0], left, ranked, scale)
        group.sort(key=lambda place: (not ranked[place].confirmed, -ranked[place].at, place))
        first = group[0]
        for place in group:  # of two in a conflict neither is merely older: both are to be told
            beside = place == first or place in ranked[first].conflicts
            order.append(Ordered(place, None if beside else first))
        left = [place for place in left if place not in group]
    return order


def _subject_of(lead: int, left: Sequence[int], ranked: Sequence[Said], scale: Scale) -> list[int]:
    """The places on the subject of `lead`: near to it, or later than one of them and near to that:
    what changed twice is told in the words of the last change. What nobody confirmed leads from
    nothing confirmed to anything else."""
    group = [lead]
    for one in group:  # grows while it is walked
        if ranked[lead].confirmed and not ranked[one].confirmed:
            continue
        group += [
            place
            for place in left
            if place not in group
            and (one == lead or ranked[place].at > ranked[one].at)
            and _one_subject(ranked, one, place, scale)
        ]
    return group


def _one_subject(ranked: Sequence[Said], lead: int, place: int, scale: Scale) -> bool:
    """Whether two say something of one thing. "Ruff took the place of Flake8" says nothing of what
    was asked, which linter we use: it may stand above the answer where it came later."""
    one, other = ranked[lead], ranked[place]
    if place in one.conflicts:
        return True
    if not one.named <= other.named:
        return False
    if not one.asked <= other.asked and abs(other.at - one.at) < SITTING_SECONDS:
        return False
    both = shared(one.words, other.words)
    if one.vector is None or other.vector is None:
        return both >= 2 * SHARED
    return both >= SHARED and float(one.vector @ other.vector) >= scale.cosine(ALIKE)


def shared(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """The share of the shorter one's words that both say, weighed by rarity."""
    least = min(sum(one.values()), sum(other.values()))
    both = sum(weight for word, weight in one.items() if word in other)
    return both / least if least > 0 else 0.0

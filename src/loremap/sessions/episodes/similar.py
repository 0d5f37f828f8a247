"""Past tasks that are like what is asked: by the words they share, each weighed by how few tasks
say it, and by vectors where there are any. What is not like it at all is not an answer. Pure."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache

from loremap.model.episode import Past
from loremap.model.task import Task
from loremap.model.words import words

MIN_LIKENESS = 0.4
"""The floor: below it nothing is said."""
MIN_SHARED = 2
"""One word in common may be chance, unless it is all that was asked."""
FAR, NEAR = 2.0, 5.0
"""Deviations above unrelated texts between which vectors count for nothing and for all."""
Above = Callable[[Task], float | None]
"""How many deviations a task lies above unrelated texts; None where there is no vector."""


def similar(asked: str, past: Sequence[Task], *, limit: int, above: Above) -> list[Past]:
    """The tasks like what is asked, the likest first, and of those as like the latest."""
    wanted = set(words(asked))
    said = [_said(one.description, one.files_touched) for one in past]
    found = []
    rarity = _rarity(said)
    for task, own in zip(past, said, strict=True):
        by_words = _covered(wanted, own, rarity, len(past))
        deviations = above(task)
        by_vector = 0.0 if deviations is None else (deviations - FAR) / (NEAR - FAR)
        likeness = 1.0 - (1.0 - by_words) * (1.0 - min(1.0, max(0.0, by_vector)))
        if likeness >= MIN_LIKENESS:
            found.append(Past(task, round(likeness, 3)))
    found.sort(key=lambda one: (-one.likeness, -one.task.started_at.timestamp()))
    return found[:limit]


@lru_cache(maxsize=4_096)
def _said(description: str, files: tuple[str, ...]) -> frozenset[str]:
    """The words of a task: what was asked, and the names of the files it changed or read."""
    names = (path.rpartition("/")[2].partition(".")[0] for path in files)
    return frozenset(words(" ".join((description, *names))))


def _rarity(said: Sequence[frozenset[str]]) -> Counter[str]:
    return Counter(word for own in said for word in own)


def _covered(wanted: set[str], own: frozenset[str], held_by: Counter[str], total: int) -> float:
    """The weighed share of the words asked for that a task has."""
    shared = wanted & own
    if len(shared) < min(MIN_SHARED, len(wanted)) or not shared:
        return 0.0

    def weight(word: str) -> float:
        return math.log(1 + (total + 1) / (held_by[word] + 1))

    return sum(map(weight, shared)) / sum(map(weight, wanted))

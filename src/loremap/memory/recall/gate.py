"""The gate: whether the store has an answer at all. Its usual verdict is no.

Evidence is free of scale: cosines count in deviations of the model, less what the nearest of so
many unrelated memories would have by chance; words count by how rare they are in this store. So no
list says which words are telling: a word that most memories hold, or none does, tells little.
`bench/retrieval/fit.py` fits the weights over coding notes, chats and conversations together.
"""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for an answer. The unit of words is one that occurs nowhere."""

    known: float
    """The rarity of the words of the query that the store knows."""
    said: float
    """The best match of words."""
    asked: float
    """The rarity of all words of the query, the most that can match."""
    covered: float = 0.0
    """The share of that rarity which the words of one memory carry."""
    nearest: float | None = None
    """Deviations of the nearest memory above the nearest of as many unrelated ones; None where
    there are no vectors."""
    best: float = 0.0
    """The cosine of the nearest memory."""
    measured: float = 1.0
    """How far it is known what a cosine of this model means, from 0 to 1."""

    def shown(self) -> dict[str, float]:
        """By name, as the trace has it."""
        by_vectors = {} if self.nearest is None else {"nearest": self.nearest}
        words = {"known": self.known, "said": self.said, "asked": self.asked}
        return {**by_vectors, **words, "covered": self.covered}


def above_chance(deviations: float, *, among: int) -> float:
    """Deviations of the largest of `among` numbers above what chance makes of the largest."""
    return deviations - math.sqrt(2 * math.log(among + 1))


def belief(evidence: Evidence) -> float:
    """Log-odds that the store can answer; the gate opens at 0. Vectors of a model whose cosines
    nobody has measured count as far as this store tells what they mean, words for the rest."""
    known = math.log1p(evidence.known)
    by_words = 2.82 * known + 1.68 * math.log(evidence.covered + 0.05) - 1.62
    if evidence.nearest is None:
        return by_words
    said = math.log(evidence.said + 0.1)
    by_both = 1.44 * evidence.nearest + 3.0 * known + 0.73 * said - 2.25
    return evidence.measured * by_both + (1 - evidence.measured) * by_words

"""BM25 over the words of memories, the same whether arrays or the full-text index hold them."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

COLUMNS = ("head", "rest", "tags", "files", "kind")
"""The columns that words are looked for in: the opening of the content, what follows it, and the
names."""
K1, B, LEAST_IDF = 1.2, 0.75, 1e-6
"""The text index's own, so that both ways of asking give the same."""

ELSEWHERE = 30
"""Memories elsewhere that are added to those of the store, for how rare a word is."""

Slots = NDArray[np.int64]
Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Matched:
    """The slots that hold some of the words, in order, and what each of them scores."""

    slots: Slots
    bm25: Numbers
    covered: Numbers
    """The share of the query's weight that a slot's words carry, from 0 to 1."""
    mass: float = 0.0
    """The rarity of all words asked for; `K1 + 1` times that is the most a text can score."""
    known: float = 0.0
    """The rarity of those that some memory holds."""


class Words(ABC):
    """What may be asked of the words of all memories, every project and status alike. A column
    whose weight is 0 is not looked at, nor does it count to how often a word occurs."""

    @property
    @abstractmethod
    def rows(self) -> int:
        """How many memories are indexed."""

    @property
    @abstractmethod
    def size(self) -> int:
        """How many slots there are."""

    @abstractmethod
    def gains(self, term: str, weights: Sequence[float]) -> tuple[Slots, Numbers]:
        """The slots that hold `term`, each once, and what it adds to the BM25 of each."""

    @abstractmethod
    def holds(self, term: str, *, columns: Sequence[str] = COLUMNS) -> Slots:
        """The slots that hold `term` in one of `columns`."""

    @abstractmethod
    def vocabulary(self) -> list[str]:
        """Every word that occurs, in order."""

    @abstractmethod
    def with_prefix(self, prefix: str) -> list[str]:
        """The words that begin with `prefix`, in order."""

    def frequencies(
        self, terms: Iterable[str], *, columns: Sequence[str] = COLUMNS
    ) -> NDArray[np.int64]:
        """How many memories hold each of `terms`."""
        return np.asarray([len(self.holds(term, columns=columns)) for term in terms], np.int64)

    def scores(
        self,
        terms: Sequence[str],
        *,
        weights: Sequence[float],
        term_weights: Sequence[float] | None = None,
        covered_in: Sequence[str] | None = None,
    ) -> Matched:
        """What every slot scores for `terms`, with a weight for each of `COLUMNS` and one for
        each term; `covered_in` names the columns whose words cover the query, where not all of
        those with a weight do. A word counts by its `rarity`: by the index's own measure a word
        that half the memories hold counts for nothing, which is every word of a store of two."""
        bm25, covered = np.zeros(self.size), np.zeros(self.size)
        found, total, known = np.zeros(self.size, np.bool_), 0.0, 0.0
        for term, factor in zip(terms, term_weights or [1.0] * len(terms), strict=True):
            slots, gained = self.gains(term, weights)
            mass = factor * rarity(rows=self.rows, holding=len(slots))
            total += mass
            known += mass if len(slots) else 0.0
            bm25[slots] += mass / idf(rows=self.rows, holding=len(slots)) * gained
            found[slots] = True
            covered[slots if covered_in is None else self.holds(term, columns=covered_in)] += mass
        slots = np.flatnonzero(found)
        return Matched(slots, bm25[slots], covered[slots] / (total or 1.0), total, known)


def idf(*, rows: int, holding: int) -> float:
    """The inverse document frequency: ln((N − n + ½) / (n + ½)), never below `LEAST_IDF`."""
    return max(LEAST_IDF, math.log((rows - holding + 0.5) / (holding + 0.5)))


def rarity(*, rows: int, holding: int) -> float:
    """What a word weighs in a query: ln(1 + (N − n + ½) / (n + ½)), which stays above 0 for a word
    that most memories hold. N counts a few memories more than there are, which hold none of the
    words: in a store of one, no word would be rare."""
    return math.log1p((rows + ELSEWHERE - holding + 0.5) / (holding + 0.5))


def damping(length: Numbers, *, mean_length: float) -> Numbers:
    """How many occurrences count half of the most, in texts of that length."""
    return K1 * (1 - B + B * length / mean_length)


def saturated(frequency: Numbers, damping: Numbers) -> Numbers:
    """What so many occurrences count for."""
    return frequency * (K1 + 1) / (frequency + damping)

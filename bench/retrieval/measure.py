"""The figures: recall, nDCG, reciprocal rank, and silence."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence


def recall_at(ranked: Sequence[str], gold: Collection[str], depth: int) -> float:
    """Share of `gold` among the first `depth`."""
    return len(set(ranked[:depth]) & set(gold)) / len(set(gold))


def ndcg_at(ranked: Sequence[str], gold: Collection[str], depth: int) -> float:
    """Discounted gain of the first `depth` against the best order."""
    gain = sum(1 / math.log2(place + 2) for place, key in enumerate(ranked[:depth]) if key in gold)
    best = sum(1 / math.log2(place + 2) for place in range(min(depth, len(set(gold)))))
    return gain / best


def reciprocal_rank(ranked: Sequence[str], gold: Collection[str]) -> float:
    """1 / the rank of the first right one; 0 where there is none."""
    return next((1 / place for place, key in enumerate(ranked, 1) if key in gold), 0.0)

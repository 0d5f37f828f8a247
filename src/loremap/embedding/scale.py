"""What cosines of a model mean, so that no rule depends on one model's numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Numbers: TypeAlias = "NDArray[np.float64]"


@dataclass(frozen=True, slots=True)
class Scale:
    """The cosine of two statements that have nothing to do with each other, and its deviation."""

    usual: float
    spread: float
    measured: float = 1.0
    """How far it is more than a guess, from 0 to 1."""

    def of(self, cosine: float) -> float:
        """How many deviations a cosine lies above the usual one."""
        return (cosine - self.usual) / self.spread

    def cosine(self, deviations: float) -> float:
        """The cosine that lies so many deviations above the usual one, `HIGHEST` at the most."""
        return min(self.usual + deviations * self.spread, HIGHEST)


KNOWN = {
    "granite-embedding-30m-english": Scale(0.53, 0.053),
    "all-MiniLM-L6-v2": Scale(0.11, 0.100),
}
"""Measured between statements of different repositories in coding-dev."""
LEAST_SPREAD = 0.02
HIGHEST = 0.9
"""Nothing needs to be nearer: in a store of few subjects the cosines of a model spread wide."""
ENOUGH = 64
"""So many memories tell of a model that nobody has measured; fewer count beside a guess."""
GUESS = Scale(0.3, 0.1, 0.0)


def known_scale(model: str | None) -> Scale | None:
    """The scale of a model that was measured."""
    return KNOWN.get((model or "").partition("@")[0])


def scale_of(model: str | None, vectors: NDArray[np.float32]) -> Scale:
    """The scale of a model: as measured, else by some of the vectors it has made."""
    known = known_scale(model)
    if known is not None or len(vectors) < 2:
        return known or GUESS
    cosines = (vectors @ vectors.T)[np.triu_indices(len(vectors), k=1)]
    share = min(1.0, len(vectors) / ENOUGH)
    return Scale(
        share * float(cosines.mean()) + (1 - share) * GUESS.usual,
        max(LEAST_SPREAD, share * float(cosines.std()) + (1 - share) * GUESS.spread),
        share,
    )

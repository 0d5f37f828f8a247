"""Fits the weights of the blend: a logistic ranking, checked on issues it has not seen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_PENALTY = 0.02
_STEPS = 160
_CANDIDATES = 120
"""Files that no signal speaks for teach nothing; the likeliest of each issue suffice."""


@dataclass(frozen=True, eq=False)
class Case:
    """One issue: the strength of every signal for every file, and the files that are right."""

    group: str
    strengths: Floats
    gold: tuple[int, ...]


def fitted(cases: Sequence[Case]) -> Floats:
    """Weights under which the right files are likeliest, by Adam on a softmax over each issue."""
    kept = [_likeliest(case) for case in cases]
    rows = np.concatenate([case.strengths for case in kept])
    sizes = [len(case.strengths) for case in kept]
    starts = np.concatenate(([0], np.cumsum(sizes)[:-1]))
    right = np.sum([case.strengths[list(case.gold)].mean(axis=0) for case in kept], axis=0)
    owner = np.repeat(np.arange(len(kept)), sizes)
    weights = np.ones(rows.shape[1])
    drift, spread = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, _STEPS + 1):
        scores = rows @ weights
        odds = np.exp(scores - np.maximum.reduceat(scores, starts)[owner])
        chance = odds / np.add.reduceat(odds, starts)[owner]
        slope = (rows.T @ chance - right) / len(kept) + _PENALTY * weights
        drift = 0.9 * drift + 0.1 * slope
        spread = 0.99 * spread + 0.01 * slope**2
        pace = 0.3 if step < 0.7 * _STEPS else 0.06
        weights -= pace * drift / (1 - 0.9**step) / (np.sqrt(spread / (1 - 0.99**step)) + 1e-8)
    return weights


def unseen_weights(cases: Sequence[Case], folds: Sequence[Sequence[int]]) -> list[Floats]:
    """For each case, weights fitted on the folds that it is not in."""
    found: dict[int, Floats] = {}
    for fold in folds:
        held = set(fold)
        weights = fitted([case for at, case in enumerate(cases) if at not in held])
        found.update(dict.fromkeys(fold, weights))
    return [found[at] for at in range(len(cases))]


def rank(scores: Floats, gold: int) -> int:
    """How many files come before the right one; of equals, the earlier comes first."""
    return int((scores > scores[gold]).sum() + (scores[:gold] == scores[gold]).sum())


def by_chance(count: int, parts: int, *, seed: int = 0) -> list[list[int]]:
    """Indices dealt into parts at random."""
    order = np.random.default_rng(seed).permutation(count)
    return [order[at::parts].tolist() for at in range(parts)]


def by_group(cases: Sequence[Case]) -> list[list[int]]:
    """Indices dealt by repository."""
    groups = sorted({case.group for case in cases})
    return [[at for at, case in enumerate(cases) if case.group == group] for group in groups]


def _likeliest(case: Case) -> Case:
    order = np.argsort(-case.strengths.sum(axis=1))[:_CANDIDATES]
    kept = np.unique(np.append(order, case.gold))
    gold = tuple(int(at) for at in np.searchsorted(kept, case.gold))
    return Case(case.group, case.strengths[kept], gold)


def halves(count: int) -> Iterator[list[int]]:
    """Every other one, and the rest."""
    yield list(range(0, count, 2))
    yield list(range(1, count, 2))

"""The rules by which `hybrid` makes one score of words, vectors and context: pure functions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from loremap.model.text import HEAD_CHARS

Numbers = NDArray[np.float64]
Places = NDArray[np.int64]

CROWD_NEIGHBOURS = 10
CROWD_WEIGHT = 0.3
DENSE_PROSE, DENSE_LONG, DENSE_CODE = 0.4, 0.6, 0.9
FEW, USUAL_COSINE = 5, 0.1
"""Memories that say how near an unrelated text usually is, added to those of the store."""
CANDIDATE_WEIGHT = 0.85
"""What the word of a memory counts for that nobody has confirmed."""
FADED_LOSS = 0.05
"""What a memory loses by the time its confidence has faded wholly."""
CONTEXT = (0.3, 0.2)
"""Share of the score of the first and of the second neighbour on each side."""


def crowding(vectors: NDArray[np.float32]) -> Numbers:
    """How close each vector lies to its ten nearest among these (mean cosine): what is near to
    everything says little about being near to the query."""
    near = min(CROWD_NEIGHBOURS, len(vectors) - 1)
    if near < 1:
        return np.zeros(len(vectors))
    cosines = vectors @ vectors.T
    np.fill_diagonal(cosines, -1.0)
    closest: Numbers = np.partition(cosines, -near, axis=1)[:, -near:].mean(axis=1)
    return closest


def dense_weight(*, code_share: float, long_share: float) -> float:
    """Weight of vectors against words, by the kind of text that lies nearest: words win on short
    prose, vectors on long texts and more so on code."""
    return (
        DENSE_PROSE
        + (DENSE_LONG - DENSE_PROSE) * long_share
        + (DENSE_CODE - DENSE_PROSE) * code_share
    )


def blended(dense: Numbers, lexical: Numbers, weight: float) -> Numbers:
    """One score a memory: both sources scaled so that an average memory is 0 and the best is 1.

    Where there are few memories, what is usual elsewhere counts for the average too: of two that
    fit, the second is not far.
    """
    mean = (dense.sum() + FEW * USUAL_COSINE) / (len(dense) + FEW)
    top, best = dense.max(), lexical.max(initial=0.0)
    near = (dense - mean) / (top - mean) if top - mean > 1e-9 else np.zeros_like(dense)
    said = lexical / best if best > 0 else np.zeros_like(lexical)
    score: Numbers = weight * near + (1 - weight) * said
    return score


def context_share(characters: Places) -> Numbers:
    """How much a text needs its context: wholly up to 300 characters, less the longer it is."""
    share: Numbers = np.clip(HEAD_CHARS / np.maximum(characters, 1), 0.0, 1.0)
    return share


def with_context(scores: Numbers, *, before: Places, after: Places, share: Numbers) -> Numbers:
    """Scores with a part of what was said just before and after in the same session.

    `before` and `after` are the places of the neighbours, −1 where there is none.
    """
    padded = np.append(scores.clip(0.0), 0.0)  # place −1: no neighbour, nothing to add
    back, on = np.append(before, -1), np.append(after, -1)
    left, right = before, after
    gained = np.zeros_like(scores)
    for part in CONTEXT:
        gained += part * (padded[left] + padded[right])
        left, right = back[left], on[right]
    raised: Numbers = scores + share * gained
    return raised


def neighbours(sessions: Places, at: Places) -> tuple[Places, Places]:
    """The places of what was said just before and just after, in the same session; −1 for none.

    A session of −1 is no session.
    """
    order = np.lexsort((at, sessions))
    same = (sessions[order][1:] == sessions[order][:-1]) & (sessions[order][1:] >= 0)
    before, after = np.full(len(order), -1, np.int64), np.full(len(order), -1, np.int64)
    before[order[1:][same]] = order[:-1][same]
    after[order[:-1][same]] = order[1:][same]
    return before, after


def standing(
    *, candidate: NDArray[np.bool_], idle_days: Numbers, half_life_days: Numbers
) -> Numbers:
    """What each memory's word is worth, 1 at the most."""
    faded = 1 - 0.5 ** (idle_days / half_life_days)
    worth: Numbers = np.where(candidate, CANDIDATE_WEIGHT, 1.0) * (1 - FADED_LOSS * faded)
    return worth


def weighed(scores: Numbers, worth: Numbers) -> Numbers:
    """Scores less what their standing takes from them; what is below average stays as it is."""
    less: Numbers = scores - (1 - worth) * scores.clip(0.0)
    return less


def weight_applied(score: float, worth: float) -> float:
    """The same for one score."""
    return score - (1 - worth) * max(score, 0.0)

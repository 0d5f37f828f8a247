"""The rules by which `hybrid` makes one score of words, vectors and context: pure functions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from loremap.model.text import HEAD_CHARS

Numbers = NDArray[np.float64]
Places = NDArray[np.int64]

WORDS_OF_STATEMENTS, WORDS_OF_TALK, WORDS_OF_CODE = 2.0, 5.0, 0.5
"""What words that cover the whole query count for, beside 1 for the nearest vector: statements and
long texts are asked about in other words, short talk by its names, code by what it does. Fitted
with granite-30m on coding-dev and beam-dev, on locomo-dev, and on CoSQA."""
FEW = 1
"""So many unrelated memories are added to those of the store, for what is average: of two that fit
the second is not far."""
CONTEXT = (0.3, 0.2)
"""Share of the score of the first and of the second neighbour on each side."""
MAX_GIVEN = 3
"""An answer ends at the largest fall of the scores among so many."""
NEARLY = 0.8
"""The share of the best score from which another is as good."""


def words_weight(*, talk_share: float, code_share: float) -> float:
    """The weight of words, by the kind of text that lies nearest."""
    statements = 1.0 - talk_share - code_share
    return (
        statements * WORDS_OF_STATEMENTS
        + talk_share * WORDS_OF_TALK
        + code_share * WORDS_OF_CODE
    )  # fmt: skip


def blended(dense: Numbers, said: Numbers, *, weight: float, usual: float) -> Numbers:
    """One score a memory: an average memory is 0, the nearest is 1, and words add to it by how much
    of the query they cover."""
    mean = min(float(dense.sum() + FEW * usual) / (len(dense) + FEW), float(dense.max()) - 1e-6)
    score: Numbers = (dense - mean) / (dense.max() - mean) + weight * said
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


def weighed(scores: Numbers, worth: Numbers) -> Numbers:
    """Scores less what their standing takes from them; what is below average stays as it is."""
    less: Numbers = scores - (1 - worth) * scores.clip(0.0)
    return less


def weight_applied(score: float, worth: float) -> float:
    """The same for one score."""
    return score - (1 - worth) * max(score, 0.0)


def given(scores: Sequence[float]) -> int:
    """How many of the best are an answer: those before the largest fall among the first three, and
    those of the three that score nearly as much as the best."""
    head = scores[: MAX_GIVEN + 1]
    falls = [above - below for above, below in pairwise(head)]
    if 0 < len(head) <= MAX_GIVEN:
        falls.append(max(head[-1], 0.0))  # below the last there is nothing
    before = falls.index(max(falls)) + 1 if falls else 0
    nearly = sum(score >= NEARLY * head[0] for score in head[:MAX_GIVEN])
    return max(before, nearly)

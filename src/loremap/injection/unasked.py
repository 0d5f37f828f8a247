"""What is told unasked must fit better than what answers a question: silence costs nothing."""

from __future__ import annotations

from collections.abc import Sequence

from loremap.model.recall import Hit

SURELY = 3.0
"""Log-odds by which the gate must believe in an answer before it speaks up by itself; it opens at 0
for whoever asks. Measured over 10,000 sentences of one project's documentation: tasks of the
project lie above it, turns such as "rename that" or "why did that fail?" below."""
NEAR_BEST = 0.5
"""Beside the best a memory is told from this share of its score."""


def is_sure(belief: float | None, *, with_vectors: bool) -> bool:
    """Whether the gate is sure enough; words alone never are that sure, and its verdict counts."""
    return belief is None or not with_vectors or belief >= SURELY


def near_best(hits: Sequence[Hit]) -> list[Hit]:
    """Those that fit about as well as the best."""
    floor = NEAR_BEST * max((hit.score for hit in hits), default=0.0)
    return [hit for hit in hits if hit.score >= floor]

"""What a session is about, and when its subject has changed (seed-000)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from loremap.embedding.scale import Scale

Floats = NDArray[np.float32]

TOPIC_CHANGE = 1.0
"""Fewer deviations above unrelated texts than this, and a prompt begins another subject."""
WORDS_CHANGE = 0.3
"""The like by words: the share of them that were said before."""
FADING = 0.6
"""What of the running topic stays when a prompt is added."""
FEWEST_WORDS = 5
"""A prompt of fewer words says too little to be another subject: thanks and praise have three."""
MAX_WORDS = 60


@dataclass(frozen=True, slots=True)
class Topic:
    """What a session has been about lately: a mean of prompt vectors, and the words said."""

    vector: Floats | None = None
    words: tuple[str, ...] = ()


def is_new_topic(
    topic: Topic, *, vector: Floats | None, words: Collection[str], scale: Scale
) -> bool:
    """Whether a prompt is about something else than the session was so far; without vectors, by
    the share of its words that were said before."""
    if len(words) < FEWEST_WORDS:
        return False
    if vector is not None and topic.vector is not None:
        return scale.of(float(vector @ topic.vector)) < TOPIC_CHANGE
    if vector is not None or topic.vector is not None or not topic.words:
        return False  # nothing to compare with
    return len(set(words) & set(topic.words)) / len(set(words)) < WORDS_CHANGE


def continued(topic: Topic, *, vector: Floats | None, words: Sequence[str], anew: bool) -> Topic:
    """The running topic with a prompt added to it, or begun with it."""
    if not words:
        return topic
    if anew:
        return Topic(vector, tuple(dict.fromkeys(words))[:MAX_WORDS])
    return Topic(
        _mean(topic.vector, vector),
        tuple(dict.fromkeys((*words, *topic.words)))[:MAX_WORDS],
    )


def _mean(before: Floats | None, vector: Floats | None) -> Floats | None:
    if before is None or vector is None:
        return before if vector is None else vector
    mean = FADING * before + (1 - FADING) * vector
    length = float(np.linalg.norm(mean))
    return (mean / length).astype(np.float32) if length > 0 else vector

"""The `weighted` recipe's own steps: 0.6 cosine + 0.25 recency + 0.15 frequency,
then maximal marginal relevance."""

from __future__ import annotations

import numpy as np

from loremap.memory.recall.context import Context, Scored
from loremap.memory.recall.signals import DAY_MS, HALF_LIVES
from loremap.model.clock import to_ms

COSINE, RECENCY, FREQUENCY = 0.6, 0.25, 0.15
FULL_FREQUENCY = 20
"""Uses after which a memory counts as used all the time."""
POOL = 50
RELEVANCE = 0.7
"""Share of relevance in maximal marginal relevance; the rest is novelty."""


def weighted_similarity(context: Context) -> list[Scored]:
    """Source: the memories with the highest weighted sum."""
    similarity = context.similarity
    slots = context.visible_slots
    if similarity is None or not len(slots):
        return []
    warm = context.warm
    idle_days = np.maximum(to_ms(context.query.now) - warm["last_accessed_at"][slots], 0) / DAY_MS
    recency = 0.5 ** (idle_days / HALF_LIVES[warm["kind"][slots]])
    recency[warm["pinned"][slots]] = 1.0
    frequency = np.minimum(warm["access_count"][slots] / FULL_FREQUENCY, 1.0)
    cosine = similarity[slots]
    score = COSINE * cosine + RECENCY * recency + FREQUENCY * frequency
    best = np.argsort(-score)[:POOL]
    return [
        Scored(
            int(slots[place]),
            float(score[place]),
            {
                "cosine": float(cosine[place]),
                "recency": float(recency[place]),
                "frequency": float(frequency[place]),
            },
        )
        for place in best
    ]


def diversify(context: Context, found: list[Scored]) -> list[Scored]:
    """Step: pick by relevance less likeness to what is picked already."""
    slots, held = context.warm.vectors_of(np.asarray([each.slot for each in found], np.int64))
    vectors = dict(zip(slots.tolist(), held, strict=True))
    rest = list(found)
    picked: list[Scored] = []
    nearest = {id(each): 0.0 for each in rest}
    while rest and len(picked) < context.query.limit:
        best = max(
            rest, key=lambda each: RELEVANCE * each.score - (1 - RELEVANCE) * nearest[id(each)]
        )
        rest.remove(best)
        picked.append(best)
        chosen = vectors.get(best.slot)
        for each in rest:
            own = vectors.get(each.slot)
            if own is not None and chosen is not None:
                nearest[id(each)] = max(nearest[id(each)], float(own @ chosen))
    for each in rest:
        context.drop(each, "diversity", "others say more, or it says what they say")
    return picked

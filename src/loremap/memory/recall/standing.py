"""A lane for standing instructions: they are about work that they do not resemble."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from loremap.memory.recall.context import Context, Scored, Slots
from loremap.model.words import words

MARKS = frozenset(
    words("always never whenever immer niemals siempre nunca toujours jamais sempre mai")
)
"""How an instruction begins that holds from now on; what stands by its kind is told at the start of
every session."""
LANE_SHARE = 1 / 3
"""What of an answer the lane may take."""
LOOKED_AT = 12
_OPENING = 40
"""Characters among which the first word of a text is."""


def is_standing(text: str) -> bool:
    """Whether a text begins as an instruction that holds from now on."""
    first = words(text[:_OPENING])[:1]
    return bool(first) and first[0] in MARKS


def marked(context: Context, slots: Slots) -> NDArray[np.bool_]:
    """Which of `slots` may be standing instructions, by the words of their openings."""
    found = np.zeros(context.warm.size, np.bool_)
    for mark in MARKS:
        found[context.words.holds(mark, columns=("head",))] = True
    return found[slots]


def keep_standing(context: Context, found: list[Scored]) -> list[Scored]:
    """Step: the last third of a long list is for the nearest standing instructions. An answer that
    passes the gate needs none: every session starts with what stands."""
    limit = context.query.limit
    places = int(limit * LANE_SHARE)
    lane = context.load([each for each in found if each.lane][:LOOKED_AT])
    stands = [one for one in lane if one.memory is not None and is_standing(one.memory.content)]
    shown = {each.slot for each in found[:limit]}
    missing = [one for one in stands[:places] if one.slot not in shown]
    if context.gate or not missing:
        return found
    kept = found[: limit - len(missing)]
    for one in missing:
        one.score = min(one.score, kept[-1].score)
    placed = {id(one) for one in (*kept, *missing)}
    return [*kept, *missing, *(each for each in found if id(each) not in placed)]

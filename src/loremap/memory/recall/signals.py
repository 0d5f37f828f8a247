"""What a memory's word is worth apart from the question: who said it, how sure, of what kind, how
long ago, and whether it is about a file in hand."""

from __future__ import annotations

import numpy as np

from loremap.memory.recall.blend import Numbers
from loremap.memory.recall.context import Context, Slots
from loremap.model.clock import to_ms
from loremap.model.kind import INFERRED_HALF_LIFE_DAYS, RULES, Kind
from loremap.model.memory import Status
from loremap.storage import memories
from loremap.storage.warm import STATUS_CODE

CANDIDATE = 0.85
"""What the word of a memory counts for that nobody has confirmed."""
CONFIDENCE_SHARE = 0.1
"""What a memory loses that nobody believes any more."""
KIND_POWER = 0.1
"""Seed-004's weight of a kind multiplies its score there; a question is about any kind."""
IN_HAND, BESIDE_IT = 0.5, 0.2
"""What a memory gains that names a file in hand, or one in the same folder: shares of the best."""
DAY_MS = 86_400_000

HALF_LIVES = np.asarray([RULES[kind].half_life_days or np.inf for kind in Kind])
"""Half-life of each kind in days, by its code."""
_WEIGHTS = np.asarray([RULES[kind].weight for kind in Kind])
_HEAVIEST = float(_WEIGHTS.max())
_CANDIDATE = STATUS_CODE[Status.CANDIDATE.value]


def worth(context: Context, slots: Slots) -> Numbers:
    """What each memory's word is worth, 1 at the most."""
    hour = f"worth at {context.query.now:%Y-%m-%d %H}"  # within it nothing fades visibly
    return context.derived(hour, lambda: _worth(context, slots))


def _worth(context: Context, slots: Slots) -> Numbers:
    warm = context.warm
    candidate = warm["status"][slots] == _CANDIDATE
    kind = _WEIGHTS[warm["kind"][slots]] / _HEAVIEST
    sure = confidence(
        warm["confidence"][slots],
        trust=warm["trust"][slots],
        idle_days=_idle_days(context, slots),
        half_life_days=_half_lives(context, slots, candidate),
        used=warm["access_count"][slots],
    )
    found: Numbers = (
        np.where(candidate, CANDIDATE, 1.0)
        * (1 - CONFIDENCE_SHARE + CONFIDENCE_SHARE * sure)
        * kind**KIND_POWER
    )
    return found


def confidence(
    stored: Numbers, *, trust: Numbers, idle_days: Numbers, half_life_days: Numbers, used: Numbers
) -> Numbers:
    """`model.decay.effective_confidence` of many memories."""
    left = 0.5 ** (idle_days / half_life_days)
    sure: Numbers = np.minimum(1.0, stored * left * (1 + 0.1 * np.log(used + 1)) * trust)
    return sure


def _idle_days(context: Context, slots: Slots) -> Numbers:
    idle = to_ms(context.query.now) - context.warm["last_accessed_at"][slots]
    days: Numbers = np.maximum(idle, 0) / DAY_MS
    return days


def _half_lives(context: Context, slots: Slots, candidate: Numbers) -> Numbers:
    warm = context.warm
    own = HALF_LIVES[warm["kind"][slots]]
    inferred = candidate.astype(np.bool_) & (warm["trust"][slots] < 1.0)
    lives = np.where(inferred, np.minimum(own, INFERRED_HALF_LIFE_DAYS), own)
    found: Numbers = np.where(warm["pinned"][slots], np.inf, lives)
    return found


def in_hand(context: Context, slots: Slots) -> Numbers:
    """What each memory gains for naming a file in hand or its folder, as a share of the best."""
    files = context.query.files
    gained = np.zeros(context.warm.size)
    if not files:
        return gained[slots]
    folders = {path.rpartition("/")[0] for path in files} - {""}
    for row, path in memories.rows_naming(context.conn, files=files, folders=folders):
        slot = int(context.warm.slots_of(np.asarray([row], np.int64))[0])
        if slot >= 0:
            gained[slot] = max(gained[slot], IN_HAND if path in files else BESIDE_IT)
    return gained[slots]

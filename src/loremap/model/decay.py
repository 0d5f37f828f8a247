"""How memories fade. Base values are stored; what they are worth is computed when read and never
written back, so that nothing fades twice."""

from __future__ import annotations

import math
from datetime import datetime, timedelta

from loremap.model.kind import (
    INFERRED_CANDIDATE_DAYS,
    INFERRED_HALF_LIFE_DAYS,
    RULES,
    Kind,
)
from loremap.model.memory import FROM_USER, Memory, Origin, Status

_DAY = timedelta(days=1)


def half_life_days(kind: Kind, *, inferred: bool = False) -> float | None:
    """Days until confidence in `kind` has halved; None never fades."""
    own = RULES[kind].half_life_days
    if not inferred:
        return own
    return INFERRED_HALF_LIFE_DAYS if own is None else min(own, INFERRED_HALF_LIFE_DAYS)


def retained(kind: Kind, idle: timedelta, *, inferred: bool = False) -> float:
    """Share of confidence left after `idle`, halved once per half-life of its kind."""
    half_life = half_life_days(kind, inferred=inferred)
    if half_life is None:
        return 1.0
    return float(0.5 ** (max(idle / _DAY, 0.0) / half_life))


def effective_confidence(memory: Memory, now: datetime) -> float:
    """Confidence as it is worth now: faded by age, raised by use and trust."""
    if memory.pinned:
        return memory.confidence
    inferred = memory.origin is Origin.INFERRED and memory.status is Status.CANDIDATE
    left = retained(memory.kind, now - memory.last_accessed_at, inferred=inferred)
    used = 1 + 0.1 * math.log(memory.access_count + 1)
    return min(1.0, memory.confidence * left * used * memory.trust)


def recency_boost(idle: timedelta, *, weight: float = 1.0) -> float:
    """Factor for what was used lately: 1.5 now, 1 after a few days; `weight` is the memory's own
    share in it."""
    return 1.0 + weight * 0.5 * math.exp(-max(idle / timedelta(hours=1), 0.0) / 24)


WEEKLY_IMPORTANCE = 0.95
CANDIDATE_IMPORTANCE = 0.9
RESISTANCE, RESISTANCE_PER_USE = 0.5, 0.05
SURVIVING_USES = 3
"""Used so often, even an unconfirmed memory has no end."""
RECENTLY = timedelta(hours=24)
"""What was used within this is never evicted."""


def resistance(accesses: int) -> float:
    """How far use keeps importance from fading, 1 at the most."""
    return min(1.0, RESISTANCE + RESISTANCE_PER_USE * accesses)


def effective_importance(memory: Memory, now: datetime) -> float:
    """Importance as it is worth now: less by the week without use, and for a candidate."""
    if memory.pinned:
        return memory.importance
    days = max((now - memory.last_accessed_at) / _DAY, 0.0)
    standing = CANDIDATE_IMPORTANCE if memory.status is Status.CANDIDATE else 1.0
    left = WEEKLY_IMPORTANCE ** (days / 7) * standing * resistance(memory.access_count)
    return float(memory.importance * left)


def is_owned(memory: Memory) -> bool:
    """Whether a person stands behind it: such a memory neither expires nor is evicted."""
    return memory.pinned or memory.vouched or memory.origin in FROM_USER


def expires_at(memory: Memory) -> datetime | None:
    """When an unused, unconfirmed, machine-learned memory is let go; None never. Its time begins
    when it was learned, which may be long after it was said."""
    used = memory.uses + memory.repetitions + memory.helpful
    if is_owned(memory) or memory.status is not Status.CANDIDATE or used >= SURVIVING_USES:
        return None
    days = RULES[memory.kind].candidate_days
    if days is None:
        return None
    if memory.origin is Origin.INFERRED:
        days = min(days, INFERRED_CANDIDATE_DAYS)
    return max(memory.created_at, memory.updated_at) + timedelta(days=days)


def may_be_evicted(memory: Memory, now: datetime) -> bool:
    """Whether it may make room for others: learned by a machine, nobody's, not used lately."""
    idle = now - memory.last_accessed_at
    return memory.active and not is_owned(memory) and idle >= RECENTLY

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


def recency_boost(idle: timedelta) -> float:
    """Factor for what was used lately: 1.5 now, 1 after a few days."""
    return 1.0 + 0.5 * math.exp(-max(idle / timedelta(hours=1), 0.0) / 24)


def expires_at(memory: Memory) -> datetime | None:
    """When an unused, unconfirmed, machine-learned memory may be let go; None never."""
    kept = (
        memory.pinned
        or memory.status is not Status.CANDIDATE
        or memory.origin in FROM_USER
        or memory.access_count >= 3
    )
    days = RULES[memory.kind].candidate_days
    if kept or days is None:
        return None
    if memory.origin is Origin.INFERRED:
        days = min(days, INFERRED_CANDIDATE_DAYS)
    return memory.created_at + timedelta(days=days)

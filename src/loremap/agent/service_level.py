"""Whether retrieval keeps its promise: a verdict over the last hundred times."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import ceil
from threading import Lock

WINDOW = 100
FEWEST = 5
HEALTHY_BELOW_MS = 200.0
DEGRADE_ABOVE_MS = 300.0


class Health(StrEnum):
    """How retrieval does."""

    UNKNOWN = "unknown"
    HEALTHY = "healthy"
    DEGRADED = "degraded"


@dataclass(frozen=True, slots=True)
class Reach:
    """How far a retrieval may go."""

    top: int
    candidates: int


FULL = Reach(top=15, candidates=500)
REDUCED = Reach(top=5, candidates=100)


def p95(times_ms: Sequence[float]) -> float | None:
    """The time that 95 of 100 stay within; None of nothing."""
    if not times_ms:
        return None
    return sorted(times_ms)[ceil(0.95 * len(times_ms)) - 1]


def verdict(times_ms: Sequence[float], before: Health = Health.UNKNOWN) -> Health:
    """What the times say. Between the two thresholds it stays as it was, so that it does not
    waver; too few say nothing, and nothing is degraded."""
    high = p95(times_ms)
    if high is None or len(times_ms) < FEWEST:
        return Health.UNKNOWN
    if high > DEGRADE_ABOVE_MS:
        return Health.DEGRADED
    if high < HEALTHY_BELOW_MS or before is not Health.DEGRADED:
        return Health.HEALTHY
    return Health.DEGRADED


def reach_for(health: Health) -> Reach:
    """How far to go in that state."""
    return REDUCED if health is Health.DEGRADED else FULL


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How quick retrieval was of late, and what that means."""

    health: Health = Health.UNKNOWN
    p95_ms: float | None = None
    count: int = 0
    """How many times of the last hundred there are."""

    def __str__(self) -> str:
        if self.p95_ms is None:
            return "no prompt was answered yet"
        measured = f"p95 {self.p95_ms:.0f} ms of the last {self.count}"
        if self.health is Health.UNKNOWN:
            return f"{measured}, too few to say more"
        if self.health is Health.DEGRADED:
            return (
                f"{measured}, degraded: looks at less until it is below {HEALTHY_BELOW_MS:.0f} ms"
            )
        return f"{measured}, {self.health}"


class Monitor:
    """The last hundred times of a running service."""

    def __init__(self) -> None:
        self._times: deque[float] = deque(maxlen=WINDOW)
        self._health = Health.UNKNOWN
        self._lock = Lock()

    def took(self, ms: float) -> None:
        """Note one more."""
        with self._lock:
            self._times.append(ms)
            self._health = verdict(self._times, self._health)

    @property
    def health(self) -> Health:
        """How it does now."""
        return self._health

    @property
    def p95_ms(self) -> float | None:
        """The 95th of a hundred, of what was noted so far."""
        return self.pace.p95_ms

    @property
    def pace(self) -> Pace:
        """All of it, as it is at one moment."""
        with self._lock:
            return Pace(health=self._health, p95_ms=p95(self._times), count=len(self._times))

"""When a candidate is believed without a person: points for what speaks for it, a day of
quarantine, and use. Being shown is no use, and repeating oneself is none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from loremap.model.kind import Kind
from loremap.model.memory import FROM_USER, Memory, Provenance, Status
from loremap.model.signal import Sign, Signal


class PromotionSignal(StrEnum):
    """What speaks for a candidate."""

    USER_INTENT = "user-intent"
    EXPLICIT_PIN = "explicit-pin"
    MULTI_SESSION = "multi-session"
    ERROR_RESOLUTION = "error-resolution"
    MULTI_AGENT = "multi-agent"
    HIGH_IMPORTANCE = "high-importance"


POINTS: dict[PromotionSignal, int] = {
    PromotionSignal.USER_INTENT: 5,
    PromotionSignal.EXPLICIT_PIN: 5,
    PromotionSignal.MULTI_SESSION: 2,
    PromotionSignal.ERROR_RESOLUTION: 2,
    PromotionSignal.MULTI_AGENT: 1,
    PromotionSignal.HIGH_IMPORTANCE: 1,
}
INSTANT = frozenset({PromotionSignal.USER_INTENT, PromotionSignal.EXPLICIT_PIN})
"""What passes every filter and needs no quarantine."""
HIGH_IMPORTANCE = 0.7
QUARANTINE = timedelta(hours=24)
UNUSED_IMPORTANCE = 0.8
"""What importance is multiplied by, once, where a quarantine ends without use."""
FACT_USES = 3
"""A fact is confirmed after so many uses, whatever its points."""


@dataclass(frozen=True, slots=True)
class Preset:
    """How much must speak for a candidate."""

    min_points: int
    min_importance: float
    min_content_length: int


PRESETS: dict[str, Preset] = {
    "conservative": Preset(4, 0.4, 50),
    "balanced": Preset(3, 0.25, 30),
    "aggressive": Preset(2, 0.15, 20),
}


class Verdict(StrEnum):
    """What becomes of a candidate now."""

    WAIT = "wait"
    QUARANTINE = "quarantine"
    """Enough speaks for it: its day of quarantine begins."""
    CONFIRM = "confirm"
    PENALTY = "penalty"
    """Its quarantine is over and nobody used it: it counts for less, once."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A verdict and the reason that the audit trail gives."""

    verdict: Verdict
    reason: str


def uses(memory: Memory, signals: Sequence[Signal]) -> int:
    """In how many sessions it was of use: its later work referred to it, or somebody who did not
    write it found it helpful. Not in the session that wrote it; a person's confirmation counts."""
    sessions = {
        (one.session_id, one.actor)
        for one in signals
        if one.session_id is None or one.session_id != memory.session_id
        if one.sign is Sign.USED or (one.sign is Sign.HELPFUL and one.actor != memory.created_by)
    }
    return len(sessions) + memory.confirmations


def promotion_signals(
    memory: Memory, *, sources: Sequence[Provenance], signals: Sequence[Signal]
) -> frozenset[PromotionSignal]:
    """What speaks for a memory. Who said it again counts as another session only where it is
    somebody else than those who said it before, for an agent repeats what it was told, or where a
    person typed it again, or it was seen again in what was done. Another agent is another client:
    the subagents of one count as itself."""
    found = set()
    if memory.confirmations or any(one.source in FROM_USER for one in sources):
        found.add(PromotionSignal.USER_INTENT)
    if memory.pinned:
        found.add(PromotionSignal.EXPLICIT_PIN)
    speakers = {memory.created_by} | {one.actor for one in sources if one.actor}
    worked = [
        one for one in signals if one.sign is Sign.USED and one.session_id != memory.session_id
    ]
    sessions = {one.session_id for one in worked} - {None}
    read = [one for one in sources if one.was_read and one.session_id != memory.session_id]
    again = {one.session_id for one in read} - {None}
    if len(sessions) + len(speakers) > 1 or again:
        found.add(PromotionSignal.MULTI_SESSION)
    agents = {one.agent or one.actor for one in worked} | {one.agent for one in read if one.agent}
    own = (one.agent for one in sources if one.agent and one.session_id == memory.session_id)
    if agents - {next(own, memory.agent or memory.created_by)}:
        found.add(PromotionSignal.MULTI_AGENT)
    if memory.importance >= HIGH_IMPORTANCE:
        found.add(PromotionSignal.HIGH_IMPORTANCE)
    if memory.kind is Kind.ERROR_PATTERN:
        found.add(PromotionSignal.ERROR_RESOLUTION)
    return frozenset(found)


def points(signals: frozenset[PromotionSignal]) -> int:
    """What some signals count together."""
    return sum(POINTS[one] for one in signals)


def judged(
    memory: Memory,
    *,
    preset: Preset,
    sources: Sequence[Provenance],
    signals: Sequence[Signal],
    now: datetime,
) -> Judged:
    """What becomes of a candidate: what is tainted or found useless waits for a person."""
    if memory.status is not Status.CANDIDATE or not memory.active:
        return Judged(Verdict.WAIT, "no candidate")
    if memory.tainted:
        return Judged(Verdict.WAIT, "tainted: a person must confirm it")
    if memory.voted_down:
        return Judged(Verdict.WAIT, "voted down")
    used = uses(memory, signals)
    if memory.kind is Kind.FACT and used >= FACT_USES:
        return Judged(Verdict.CONFIRM, f"a fact used {used} times")
    found = promotion_signals(memory, sources=sources, signals=signals)
    if not found & INSTANT:
        if len(memory.content) < preset.min_content_length:
            return Judged(Verdict.WAIT, f"shorter than {preset.min_content_length} characters")
        if memory.importance < preset.min_importance:
            return Judged(Verdict.WAIT, f"importance below {preset.min_importance:g}")
    reached = points(found)
    why = f"{reached} points ({', '.join(sorted(found))})"
    if reached < preset.min_points:
        return Judged(Verdict.WAIT, f"{why} of {preset.min_points}")
    if found & INSTANT:
        return Judged(Verdict.CONFIRM, why)
    return _quarantined(memory, used, why, now)


def _quarantined(memory: Memory, used: int, why: str, now: datetime) -> Judged:
    if memory.promoted_at is None:
        return Judged(Verdict.QUARANTINE, why)
    if now - memory.promoted_at < QUARANTINE:
        return Judged(Verdict.WAIT, f"{why}, in quarantine")
    if used:
        return Judged(Verdict.CONFIRM, f"{why}, used {used} times")
    if memory.judged_at is None:
        return Judged(Verdict.PENALTY, f"{why}, not used in quarantine")
    return Judged(Verdict.WAIT, f"{why}, never used")

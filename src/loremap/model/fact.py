"""A fact: what one sentence says of an entity; how long it holds, and what takes its place."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from loremap.model.memory import FROM_USER, Origin, Status, Visibility


class FactSource(StrEnum):
    """How a fact was learned."""

    USER_EDIT = "user_edit"
    FILE = "file"
    SYSTEM = "system"
    CONVERSATION = "conversation"


SOURCE_WEIGHT: dict[FactSource, float] = {
    FactSource.USER_EDIT: 2.0,
    FactSource.FILE: 1.5,
    FactSource.SYSTEM: 1.2,
    FactSource.CONVERSATION: 1.0,
}
_SOURCES = dict.fromkeys(FROM_USER, FactSource.USER_EDIT) | {
    Origin.FILE: FactSource.FILE,
    Origin.SYSTEM: FactSource.SYSTEM,
    Origin.OBSERVED: FactSource.SYSTEM,
}


WRONG, FADED, UNSAID = "wrong", "faded", "no longer said"
"""Why a fact is withdrawn; only what a person called wrong stays so when it is said again."""


def source_of(origin: Origin) -> FactSource:
    """The source of a fact that was read from a memory of that origin."""
    return _SOURCES.get(origin, FactSource.CONVERSATION)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """Subject, predicate, and another entity or a value."""

    id: str
    subject_id: str
    predicate: str
    status: Status
    source: FactSource
    confidence: float
    last_accessed_at: datetime
    valid_from: datetime
    object_id: str | None = None
    object_value: str | None = None
    access_count: int = 0
    valid_until: datetime | None = None
    superseded_by: str | None = None
    retracted_reason: str | None = None
    owner_id: str = "me"
    project_id: str = ""
    visibility: Visibility = Visibility.PRIVATE
    version: int = 1

    @property
    def object(self) -> tuple[str | None, str | None]:
        """What it says of its subject, as it is compared."""
        value = self.object_value
        return self.object_id, None if value is None else " ".join(value.casefold().split())


PROMOTION_THRESHOLD = 3
DECAY_GRACE_PERIOD_DAYS = 7
DECAY_RATE = 0.95
USAGE_BOOST = 0.5
CLEANUP_THRESHOLD = 0.2
MIN_ACCESS_PROTECTION = 5
CONFLICT_CONFIDENCE = 0.9
CANDIDATE_WEIGHT = 0.7
"""What a fact on probation weighs beside a confirmed one."""
_WEEK = timedelta(weeks=1)


def relevance(fact: Fact, now: datetime) -> float:
    """What a fact is worth now: fades by the week after a time of grace, raised by use."""
    idle = now - fact.last_accessed_at - timedelta(days=DECAY_GRACE_PERIOD_DAYS)
    faded = DECAY_RATE ** max(idle / _WEEK, 0.0)
    used = 1 + math.log10(fact.access_count + 1) * USAGE_BOOST
    return float(fact.confidence * SOURCE_WEIGHT[fact.source] * faded * used)


def weight(fact: Fact, now: datetime) -> float:
    """What a fact counts for beside others: less while it is on probation."""
    share = CANDIDATE_WEIGHT if fact.status is Status.CANDIDATE else 1.0
    return share * relevance(fact, now)


def is_proven(fact: Fact, *, threshold: int = PROMOTION_THRESHOLD) -> bool:
    """Whether a candidate was used so often that it is believed."""
    return fact.status is Status.CANDIDATE and fact.access_count >= threshold


def is_faded(fact: Fact, now: datetime) -> bool:
    """Whether a fact is worth so little by now that it is let go. What a person stated never is,
    nor what was used often."""
    if fact.source is FactSource.USER_EDIT or fact.access_count >= MIN_ACCESS_PROTECTION:
        return False
    live = fact.status in (Status.CANDIDATE, Status.CONFIRMED)
    return live and relevance(fact, now) < CLEANUP_THRESHOLD


def replaces(new: Fact, old: Fact, *, many: bool) -> bool:
    """Whether a new fact takes the place of one that said another thing of the same."""
    same = (new.subject_id, new.predicate) == (old.subject_id, old.predicate)
    sure = new.confidence > CONFLICT_CONFIDENCE
    later = (new.valid_from, new.id) > (old.valid_from, old.id)
    return same and not many and sure and later and new.object != old.object


def disagree(one: Fact, other: Fact, *, many: bool) -> bool:
    """Whether two facts cannot both hold."""
    same = (one.subject_id, one.predicate) == (other.subject_id, other.predicate)
    return same and not many and one.object != other.object

"""What happens again and again in the sessions of a project: what was seen of it, how sure it is,
when it is said and when it becomes a memory."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any


class PatternType(StrEnum):
    """What kind of thing happens again."""

    CO_EDIT = "co-edit"
    """Two files are changed within five minutes for one task."""
    ERROR_FIX = "error-fix"
    """A command fails, something is changed, and it works."""
    REFACTOR = "refactor"
    """Something is renamed, and another file is changed to the new name."""
    REPEATED_SEARCH = "repeated-search"
    READ_AND_ABANDON = "read-and-abandon"
    """A file is read for a task that has no use of it."""
    BACKTRACK = "backtrack"
    """An edit is undone."""
    FAILED_EDIT = "failed-edit"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """What one session shows of one pattern."""

    type: PatternType
    about: tuple[str, ...]
    """What makes it this pattern and no other, wherever it is seen."""
    data: Mapping[str, Any]
    """What is told of it, redacted."""
    files: tuple[str, ...] = ()
    """The files by which it is looked up."""
    supports: int = 1
    against: int = 0
    """How often the session shows the contrary."""
    first: datetime | None = None
    last: datetime | None = None

    @property
    def key(self) -> str:
        """The name of what it is about; it tells nothing of it."""
        return key_of(*self.about)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What one session shows of a pattern, as it is kept."""

    session_id: str
    client: str = ""
    supports: int = 0
    against: int = 0
    last: datetime
    data: Mapping[str, Any] = field(default_factory=dict)
    remembered: bool = False
    """Whether the memory that it became was told so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """One pattern with what all sessions together say of it."""

    id: str
    type: PatternType
    key: str
    data: Mapping[str, Any]
    """As it was last seen."""
    confidence: float
    observed: int
    against: int
    sessions: int
    """How many of them showed it."""
    clients: tuple[str, ...] = ()
    first_seen: datetime
    last_seen: datetime
    memory_id: str | None = None
    """The memory it became."""


def key_of(*about: str) -> str:
    """The name of what a pattern is about; it tells nothing of it."""
    said = "\0".join(about).encode("utf-8", "replace")
    return hashlib.blake2b(said, digest_size=16).hexdigest()


PRIOR = 2
"""So much doubt stands against a pattern before anything does."""
PER_SESSION = 3
"""A session that shows a thing often counts no more than this."""


def confidence(seen: Iterable[tuple[int, int]]) -> float:
    """How sure a pattern is: `s / (s + a + 2)`, where `s` is how often it was seen and `a` how
    often the contrary was, of each session three times at most. `seen` has both for each."""
    counts = [tuple(min(count, PER_SESSION) for count in one) for one in seen]
    supports, against = (sum(part) for part in zip(*counts, strict=True)) if counts else (0, 0)
    return supports / (supports + against + PRIOR)


@dataclass(frozen=True, slots=True)
class _Least:
    """From when on a pattern counts for something."""

    observed: int
    sessions: int
    confidence: float

    def is_met(self, pattern: Pattern) -> bool:
        """Whether a pattern was seen often enough, in enough sessions, and surely enough."""
        return (
            pattern.observed >= self.observed
            and pattern.sessions >= self.sessions
            and pattern.confidence >= self.confidence
        )


_SAID = {
    PatternType.CO_EDIT: _Least(3, 2, 0.6),
    PatternType.ERROR_FIX: _Least(1, 1, 0.33),
    PatternType.REFACTOR: _Least(2, 2, 0.5),
    PatternType.REPEATED_SEARCH: _Least(3, 2, 0.6),
    PatternType.FAILED_EDIT: _Least(4, 2, 0.5),
    PatternType.BACKTRACK: _Least(1, 1, 0.33),
}
"""An error is told by its own line, and what was undone is the very same change: once is enough,
unless something else mended the error since, or the change stayed. What was read in vain is never
said: only the end of a task tells that it had no use of a file."""
_KEPT = {
    PatternType.CO_EDIT: _Least(4, 3, 0.6),
    PatternType.ERROR_FIX: _Least(2, 2, 0.4),
    PatternType.REFACTOR: _Least(3, 2, 0.5),
    PatternType.REPEATED_SEARCH: _Least(3, 3, 0.6),
}


def speaks(pattern: Pattern) -> bool:
    """Whether a pattern is said at the point of action."""
    least = _SAID.get(pattern.type)
    return least is not None and least.is_met(pattern)


def may_be_kept(pattern: Pattern) -> bool:
    """Whether a pattern is established enough to become a memory."""
    least = _KEPT.get(pattern.type)
    return least is not None and least.is_met(pattern)


ONCE_KEPT, KEPT = timedelta(days=30), timedelta(days=365)
"""How long a pattern is kept that was not seen again: of one session, and of more."""
MAX_PER_TYPE = 40
"""Sightings of one type that a session may leave; of more it tells little."""


def gathered(found: Iterable[Sighting]) -> list[Sighting]:
    """Sightings of one session, those of one pattern taken together; of each type the most seen."""
    by_key: dict[tuple[PatternType, str], Sighting] = {}
    for one in found:
        at = (one.type, one.key)
        known = by_key.get(at)
        by_key[at] = one if known is None else _both(known, one)
    kept = list(by_key.values())
    return [one for type_ in PatternType for one in _most(kept, type_)]


def _most(found: Sequence[Sighting], type_: PatternType) -> list[Sighting]:
    mine = [one for one in found if one.type is type_]
    return sorted(mine, key=lambda one: -(one.supports + one.against))[:MAX_PER_TYPE]


def _both(one: Sighting, later: Sighting) -> Sighting:
    times = [at for each in (one, later) for at in (each.first, each.last) if at is not None]
    telling = later if later.supports else one
    return replace(
        telling,
        supports=one.supports + later.supports,
        against=one.against + later.against,
        first=min(times, default=None),
        last=max(times, default=None),
    )

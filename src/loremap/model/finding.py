"""What a session has taught, before it becomes a memory."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from loremap.model.kind import Kind
from loremap.model.turn import Speaker


class Verdict(StrEnum):
    """What a person said of a finding."""

    NONE = ""
    ACCEPTED = "accepted"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that a session taught; every text in it is redacted before it is stored."""

    kind: Kind
    content: str
    """Whole sentences, as they were said; what a later session is told."""
    quote: str
    """The words it was read from, verbatim."""
    said_by: Speaker
    """PERSON only where a person typed it: that alone is believed once it is said again."""
    first: int
    last: int
    """The turns it was read from."""
    at: datetime | None = None
    because: str = ""
    """Which rule found it, in a few words."""
    importance: float = 0.5
    confidence: float = 0.5
    files: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    rejected: tuple[str, ...] = ()
    """The alternatives that a decision turned down."""
    amends: str = ""
    """The words of what it replaces, said earlier in this session or in one before."""

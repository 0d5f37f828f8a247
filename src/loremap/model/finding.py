"""What a session has taught, before it becomes a memory."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from loremap.model.kind import Kind
from loremap.model.turn import Speaker


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
    importance: float | None = None
    """None for what its kind begins with; so is confidence, for who said it."""
    confidence: float | None = None
    files: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    rejected: tuple[str, ...] = ()
    """The alternatives that a decision turned down."""
    amends: str = ""
    """The words of what it replaces, said earlier in this session or in one before."""
    agent: str = ""
    """The role of the subagent that met it; empty for the session's own agent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptFinding:
    """A finding as a session holds it, and what became of it."""

    session_id: str
    finding: Finding
    fingerprint: str
    memory_id: str | None = None
    """The memory it became, or that said it already."""
    refused: str = ""
    """Why it became none."""

    @property
    def is_open(self) -> bool:
        """Whether nothing has become of it yet."""
        return self.memory_id is None and not self.refused

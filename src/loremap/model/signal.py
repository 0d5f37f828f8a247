"""What speaks for or against a memory: that later work used it, and how people and agents voted."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Sign(StrEnum):
    """What happened to a memory."""

    USED = "used"
    """Given to a session, and referred to by its later work."""
    HELPFUL = "helpful"
    UNHELPFUL = "unhelpful"
    WRONG = "wrong"
    PASSED = "passed over"
    """Found for a session, and dropped by a second look at what was asked."""


VOTES = frozenset({Sign.HELPFUL, Sign.UNHELPFUL, Sign.WRONG})
"""What is said of a memory, and not merely done with it."""


class Voice(StrEnum):
    """Whose word a signal is."""

    PERSON = "person"
    AGENT = "agent"
    INFERRED = "inferred"
    """Nobody said it: it was read from what a session did next."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """One thing that speaks for or against a memory."""

    memory_id: str
    sign: Sign
    voice: Voice
    at: datetime
    actor: str = "user"
    session_id: str | None = None
    agent: str | None = None
    """The client in which it happened."""

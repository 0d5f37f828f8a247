"""What lay in an agent's context at a moment, as far as we put it there; no words of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class SnapshotReason(StrEnum):
    """Why a context was noted down."""

    PRUNING = "pruning"
    """The client was about to compact it: what we had put there goes."""
    TASK_SWITCH = "task_switch"
    MANUAL = "manual_snapshot"


@dataclass(frozen=True, slots=True)
class ContextItem:
    """One thing that we put into a context."""

    id: str | None
    """The memory; None for a part of the module map."""
    type: str
    """The tier it was given in."""
    tokens: int
    relevance: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """A context at a moment."""

    event_seq: int
    """The event at which it was seen so."""
    at: datetime
    session_id: str
    task_id: str | None
    items: tuple[ContextItem, ...]
    total_tokens: int
    """The whole context as the client tells it; where it does not, what we put there."""
    pruned: tuple[ContextItem, ...]
    reason: SnapshotReason

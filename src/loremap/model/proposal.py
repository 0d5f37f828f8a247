"""What a person is asked before more than a handful of memories is merged or let go."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

HANDFUL = 5
"""So many are let go of without asking when a store is tended for the first time."""


class ProposalKind(StrEnum):
    """What would be done."""

    MERGE = "merge"
    LET_GO = "let go"


@dataclass(frozen=True, slots=True)
class Proposed:
    """One memory of a proposal, what speaks for it, and into which other it would be merged."""

    memory_id: str
    why: str
    into: str | None = None


@dataclass(frozen=True, slots=True)
class Proposal:
    """What would be done to some memories, and what a person said to it."""

    id: str
    kind: ProposalKind
    items: tuple[Proposed, ...]
    created_at: datetime
    decided_at: datetime | None = None
    decision: str | None = None

"""Results that came too late for their prompt: kept for the next one, and asked again there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from loremap.model.recall import Hit

KEPT_FOR = timedelta(minutes=30)
"""What was not asked for again this long is forgotten."""
LOOKED_AT = 15
"""Among so many of the best answers to the new prompt a late result must be (seed-004's top 15)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """What a prompt would have got, had it waited."""

    prompt: str
    at: datetime
    ids: tuple[str, ...]


def question(prompt: str, pending: Pending | None, *, has_content: bool) -> str:
    """What is asked at a prompt: a prompt that only says "go on" stands for the one before it,
    if that still waits for its answer."""
    if pending is None or has_content:
        return prompt
    return pending.prompt


def is_stale(pending: Pending, now: datetime) -> bool:
    """Whether nobody came back in time."""
    return now - pending.at > KEPT_FOR


def regated(
    hits: Sequence[Hit], pending: Pending | None, *, most: int, near: Sequence[Hit] = ()
) -> list[Hit]:
    """The `most` best hits of the new prompt, and late ones as far as its gate let them through
    too. `near` is what words alone have found and could not be sure of: of it, what a better judge
    has chosen before."""
    late = () if pending is None else pending.ids
    best = [hit for rank, hit in enumerate(hits) if rank < most or hit.memory.id in late]
    known = {hit.memory.id for hit in best}
    return best + [hit for hit in near if hit.memory.id in late and hit.memory.id not in known]

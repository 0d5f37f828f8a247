"""A memory as it was at a time of the past, by its history. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from loremap.model.memory import Change, Memory
from loremap.model.record import from_record


def as_of(memory: Memory, changes: Sequence[Change], at: datetime) -> Memory | None:
    """What a memory said at a time, its `changes` being given oldest first; None where it was not
    there yet or did not speak. Uses leave no history: of one used since, none by then is known."""
    if memory.created_at >= at:
        return None
    later = next((one.before for one in changes if one.at >= at and one.before is not None), None)
    then = memory if later is None else from_record(later)
    if not then.active:
        return None
    updated_at = max(then.created_at, min(then.updated_at, at))
    if memory.last_accessed_at < at:
        return replace(
            then,
            updated_at=updated_at,
            last_accessed_at=memory.last_accessed_at,
            uses=memory.uses,
        )
    return replace(then, updated_at=updated_at, last_accessed_at=updated_at, uses=0)

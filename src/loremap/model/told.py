"""Which memories a hook tells by itself, when no resident answers."""

from __future__ import annotations

from loremap.model.kind import RULES
from loremap.model.memory import Memory, Scope, Status


def warns(memory: Memory) -> bool:
    """Whether it may speak up by itself: confirmed by a person, of such a kind, and with something
    to fire on. `storage/guarded.py` asks the same of rows."""
    return (
        _speaks(memory)
        and memory.vouched
        and RULES[memory.kind].may_trigger
        and memory.scope is not Scope.SESSION
        and bool(memory.triggers or memory.files)
    )


def is_told(memory: Memory) -> bool:
    """Whether it warns, or may stand in the block that a session begins with."""
    stands = memory.pinned or RULES[memory.kind].always_on
    return warns(memory) or (_speaks(memory) and stands)


def _speaks(memory: Memory) -> bool:
    confirmed = memory.status is Status.CONFIRMED and not memory.tainted
    return confirmed and memory.deleted_at is None and not memory.voted_down

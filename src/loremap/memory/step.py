"""What tending would change: one step at a time, each with its reason, before any is done."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import compress

from loremap.memory.workspace import Workspace
from loremap.model.memory import Memory
from loremap.storage import moves
from loremap.storage.moves import Ready
from loremap.storage.transaction import Tx


@dataclass(frozen=True, slots=True)
class Moving:
    """Where a memory is moved to, as it was planned."""

    memory: Memory
    after: Callable[[Memory, datetime], Memory]
    """The memory as it is then, of what it is and the time."""
    action: str
    detail: str


@dataclass(frozen=True, slots=True)
class Step:
    """One change: what it is about, what is done to it, and why."""

    on: str
    """The id of a memory, a fact or a cluster, or how many it is about."""
    does: str
    """One word, such as promote, expire, evict, link, cluster."""
    why: str
    apply: Callable[[Tx], None]
    move: Moving | None = None
    """Where it moves a memory and nothing else: then many are done at once, and not by `apply`."""


def moving(planned: Memory, does: str, why: str, move: Moving) -> Step:
    """The step that moves one memory, by itself or with others."""
    return Step(planned.id, does, why, lambda tx: move_all(tx, readied([move], tx.now)), move)


def readied(planned: Sequence[Moving], now: datetime) -> list[Ready]:
    """Moves as they are written at that time, so that nobody waits while they are put together."""
    return [
        moves.ready(
            moves.Move(each.memory, each.after(each.memory, now), each.action, each.detail), now
        )
        for each in planned
    ]


def move_all(tx: Tx, planned: Sequence[Ready]) -> None:
    """Move memories as it was planned; one that was changed since, or is gone, is left to the next
    run, which judges it anew."""
    befores = [each.move.before for each in planned]
    now = moves.versions(tx.conn, [before.id for before in befores])
    same = [now.get(before.id) == before.version for before in befores]
    moves.move_all(tx, list(compress(planned, same)))


Plan = Callable[[Workspace], Sequence[Step]]
"""A pass: looks at the store as it is and says what it would do, changing nothing."""

"""What tending would change: one step at a time, each with its reason, before any is done."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from loremap.memory.workspace import Workspace
from loremap.storage.transaction import Tx


@dataclass(frozen=True, slots=True)
class Step:
    """One change: what it is about, what is done to it, and why."""

    on: str
    """The id of a memory, a fact or a cluster; short enough to be shown."""
    does: str
    """One word, such as promote, expire, evict, link, cluster."""
    why: str
    apply: Callable[[Tx], None]


Plan = Callable[[Workspace], Sequence[Step]]
"""A pass: looks at the store as it is and says what it would do, changing nothing."""

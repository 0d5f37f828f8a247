"""What stands around a memory, for a person: its neighbours, and theirs."""

from __future__ import annotations

from dataclasses import dataclass

from loremap.model.graph import Edge, Node


@dataclass(frozen=True, slots=True)
class Branch:
    """A node, the edge that leads to it, and what it leads on to."""

    node: Node
    text: str
    """What a memory says, or what a tag, cluster or entity is called."""
    edge: Edge | None = None
    below: tuple[Branch, ...] = ()
    left_out: int = 0
    """How many more it is joined with than are shown."""
    again: bool = False
    """Whether it stands above already, so that nothing is told below it."""


@dataclass(frozen=True, slots=True)
class Similar:
    """A memory, and how near it stands."""

    memory_id: str
    summary: str
    similarity: float
    by: str
    """`vector`, or `words` where one of the two has no vector."""

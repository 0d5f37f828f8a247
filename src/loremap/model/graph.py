"""The memory graph: memories, and the tags, clusters and entities that join them."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


class Sort(StrEnum):
    """What a node stands for."""

    MEMORY = "memory"
    TAG = "tag"
    CLUSTER = "cluster"
    ENTITY = "entity"


class EdgeKind(StrEnum):
    """How two nodes are joined; those between memories are called as their links are."""

    HAS_TAG = "has_tag"
    IN_CLUSTER = "in_cluster"
    MENTIONS = "mentions"
    RELATES_TO = "relates_to"
    SUPERSEDES = "supersedes"
    CONTRADICTS = "contradicts"
    DERIVED_FROM = "derived_from"
    DEPENDS_ON = "depends_on"
    CAUSED_BY = "caused_by"


@dataclass(frozen=True, slots=True)
class Node:
    """A memory, tag, cluster or entity. A tag is known by its name, all else by its id."""

    sort: Sort
    id: str
    name: str = field(default="", compare=False)
    """What a person calls it; empty for a memory."""

    @property
    def is_memory(self) -> bool:
        """Whether it is a memory, and no hub that joins some."""
        return self.sort is Sort.MEMORY


@dataclass(frozen=True, slots=True)
class Edge:
    """A way from one node to another; it is gone in either direction."""

    start: Node
    end: Node
    kind: EdgeKind
    weight: float = 1.0
    """Of a link, as it was given; of a cluster, how near the memory is to its middle."""
    inferred: bool = False
    """Whether nobody said so: an inferred tag."""
    forward: bool = True
    """Whether the edge was made from `start` to `end`, and not the other way."""


PROJECT_TAG = "project:"
"""How a tag begins that says of which project a memory is: it is on all that is recalled together,
so it leads from none to another."""


@dataclass(frozen=True, slots=True)
class TagEntry:
    """A tag: what it means, and how many memories bear it."""

    name: str
    description: str
    count: int
    inferred: int
    """How many of them bear it only because it was inferred."""


@dataclass(frozen=True, slots=True)
class InferredTag:
    """A tag that nobody set, and what it was read from."""

    tag: str
    source: str


@dataclass(frozen=True, slots=True)
class Cluster:
    """Memories that stand near each other."""

    id: str
    name: str
    member_count: int

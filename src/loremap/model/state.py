"""What a person is told of a memory, of the model and of the store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from loremap.model.anchor import Anchor, Checked
from loremap.model.graph import InferredTag
from loremap.model.memory import Conflict, Link, Memory, Provenance


@dataclass(frozen=True, slots=True)
class Shown:
    """A memory with all that belongs to it."""

    memory: Memory
    provenance: tuple[Provenance, ...]
    links: tuple[Link, ...]
    conflicts: tuple[Conflict, ...]
    anchors: tuple[tuple[Anchor, Checked | None], ...] = ()
    """Where in the code it holds, and what became of that here; None where there is no checkout."""
    inferred: tuple[InferredTag, ...] = ()
    """Tags that nobody set."""


@dataclass(frozen=True, slots=True)
class ModelState:
    """Which model makes the vectors and how far it has come."""

    provider: str
    name: str | None
    dim: int | None
    leaves_machine: bool
    ready: bool
    trouble: str
    embedded: int
    waiting: int
    other_spaces: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class State:
    """What `lore status` tells."""

    store: str
    size_bytes: int
    version: int
    encrypted: bool
    read_only: bool
    project: str | None
    project_keys: tuple[str, ...]
    branch: str | None
    memories_here: int
    memories_global: int
    memories_in_all: int
    by_kind: Mapping[str, int]
    candidates: int
    inbox: int
    """How many of them sessions, commits and runners taught."""
    pinned: int
    open_conflicts: int
    forgotten: int
    damaged: tuple[str, ...]
    damaged_links: int
    checked_at: datetime
    """When every row was last held against its checksum."""
    backups: int | None
    """None where whoever runs the server makes them."""
    model: ModelState
    notes: tuple[str, ...]

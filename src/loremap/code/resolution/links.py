"""What a file is joined to, as the resolver finds it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from loremap.model.code import EdgeKind


class Link(NamedTuple):
    """One edge out of a file, from and to a definition's index."""

    source: int
    path: str
    target: int
    kind: EdgeKind
    line: int


class Outside(NamedTuple):
    """A call of what is not in the project, by its dotted name."""

    source: int
    name: str
    line: int


@dataclass(frozen=True, slots=True)
class Links:
    """All that one file is joined to."""

    edges: list[Link]
    outside: list[Outside]
    imports: list[str | None]
    """For each import of the facts, the file it means, or None."""
    consulted: frozenset[str] = field(default_factory=frozenset)
    """The paths, and `package:<key>` marks, whose interface these links depend on."""
    calls: int = 0
    """How many calls the file writes, and how many of them were resolved in the project."""
    resolved: int = 0

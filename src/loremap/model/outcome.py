"""What admission answers: a closed union that callers branch on."""

from __future__ import annotations

from dataclasses import dataclass

from loremap.model.memory import Conflict, Memory


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A memory near to what was just written; whether it still holds, the writer knows best."""

    memory: Memory
    similarity: float
    """Cosine of the two vectors or, without them, the share of words in common."""


@dataclass(frozen=True, slots=True)
class Stored:
    """It is new."""

    memory: Memory
    conflicts: tuple[Conflict, ...] = ()
    warnings: tuple[str, ...] = ()
    neighbours: tuple[Neighbour, ...] = ()
    """At most three that may be about the same subject, nearest first."""


@dataclass(frozen=True, slots=True)
class Merged:
    """It was known; the existing memory is strengthened."""

    memory: Memory
    similarity: float
    warnings: tuple[str, ...] = ()
    neighbours: tuple[Neighbour, ...] = ()
    counted: bool = True
    """Whether it counts for more now; what an agent repeats after itself does not."""


@dataclass(frozen=True, slots=True)
class Superseded:
    """It replaces what was known before."""

    memory: Memory
    replaced: tuple[Memory, ...]
    warnings: tuple[str, ...] = ()
    neighbours: tuple[Neighbour, ...] = ()
    """As they stood before; those it replaces may be among them."""


@dataclass(frozen=True, slots=True)
class Refused:
    """It was not stored; `reason` says why and what to do."""

    reason: str
    warnings: tuple[str, ...] = ()


Outcome = Stored | Merged | Superseded | Refused


def open_neighbours(outcome: Outcome) -> tuple[Memory, ...]:
    """The neighbours of what is new that its writer has yet to judge: no conflict names them."""
    if not isinstance(outcome, Stored):
        return ()
    named = {id_ for one in outcome.conflicts for id_ in (one.memory_a, one.memory_b)}
    return tuple(each.memory for each in outcome.neighbours if each.memory.id not in named)

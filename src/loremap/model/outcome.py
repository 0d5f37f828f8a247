"""What admission answers: a closed union that callers branch on."""

from __future__ import annotations

from dataclasses import dataclass

from loremap.model.memory import Conflict, Memory


@dataclass(frozen=True, slots=True)
class Stored:
    """It is new."""

    memory: Memory
    conflicts: tuple[Conflict, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Merged:
    """It was known; the existing memory is strengthened."""

    memory: Memory
    similarity: float
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Superseded:
    """It replaces what was known before."""

    memory: Memory
    replaced: tuple[Memory, ...]
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Refused:
    """It was not stored; `reason` says why and what to do."""

    reason: str
    warnings: tuple[str, ...] = ()


Outcome = Stored | Merged | Superseded | Refused

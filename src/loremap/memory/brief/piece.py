"""What a text for an agent is made of: pieces, under the title they belong to."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One thing an agent is told: a module, a file, a memory."""

    text: str
    memory_id: str | None = None
    module: str = ""
    file: str = ""
    register: str = ""
    """The title that a memory stands under."""
    why: str = ""
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Section:
    """Pieces that belong together, under a title where they need one."""

    title: str
    pieces: tuple[Piece, ...]

"""A brief for a task: the modules it concerns, then what is remembered of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from loremap.injection.module_text import module_text
from loremap.injection.render import (
    MOST_BYTES,
    Piece,
    Rendered,
    Section,
    memory_piece,
    rendered,
)
from loremap.model.client import Form
from loremap.model.kind import RULES
from loremap.model.module import Module
from loremap.model.recall import Hit
from loremap.model.tokens import tokens

DEFAULT_TOKENS = 1_800
MODULE_SHARE = 1 / 3
"""What of the budget the modules may take; memories get the rest."""
LEAST_MODULE_TOKENS = 60
FRAME_TOKENS = 40

Sides = Mapping[str, Sequence[tuple[str, str]]]
"""By memory: id and summary of each it is in conflict with."""


@dataclass(frozen=True, slots=True)
class Brief:
    """What an agent is told before a task, and what it is made of."""

    text: str
    modules: tuple[Module, ...] = ()
    hits: tuple[Hit, ...] = ()
    left_out: int = 0
    """Memories that fit the task and no longer the budget."""
    pieces: tuple[Piece, ...] = ()

    @property
    def tokens(self) -> int:
        """About how many tokens it takes."""
        return tokens(self.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dress:
    """How a brief is dressed, and how long it may be."""

    form: Form = Form.TEXT
    budget_tokens: int = DEFAULT_TOKENS
    most_bytes: int = MOST_BYTES


def brief(
    modules: Sequence[Module],
    hits: Sequence[Hit],
    *,
    hints: Mapping[str, str],
    first: Sequence[str] = (),
    sides: Sides | None = None,
    dress: Dress | None = None,
) -> Brief:
    """The brief within its budget; empty where nothing concerns the task."""
    dress = dress or Dress()
    told = [
        memory_piece(hit, others=(sides or {}).get(hit.memory.id, ()), why=fits_by(hit))
        for hit in hits
    ]
    inside = max(dress.budget_tokens - FRAME_TOKENS, 0)
    needed = sum(tokens(piece.text) + 1 for piece in told)
    for_modules = max(int(inside * MODULE_SHARE), inside - needed)
    shown = _modules(modules, hints, first, min(for_modules, inside))
    made = rendered(
        (Section("modules", "", tuple(shown)), Section("memories", "", tuple(told))),
        form=dress.form,
        budget_tokens=dress.budget_tokens,
        most_bytes=dress.most_bytes,
    )
    return _brief(made, modules, hits)


def fits_by(hit: Hit) -> str:
    """Why a memory fits: what its score is made of."""
    made = ", ".join(f"{name} {value:.2f}" for name, value in hit.parts.items())
    if made:
        return f"fits by {made}"
    if hit.memory.pinned:
        return "pinned"
    return "standing" if RULES[hit.memory.kind].always_on else "kept about files of the module"


def _brief(made: Rendered, modules: Sequence[Module], hits: Sequence[Hit]) -> Brief:
    names = {piece.module for piece in made.kept}
    ids = {piece.memory_id for piece in made.kept}
    kept = tuple(hit for hit in hits if hit.memory.id in ids)
    return Brief(
        made.text,
        tuple(module for module in modules if module.name in names),
        kept,
        len(hits) - len(kept),
        made.kept,
    )


def _modules(
    modules: Sequence[Module], hints: Mapping[str, str], first: Sequence[str], budget: int
) -> list[Piece]:
    """As many modules as fit, the first with the largest part."""
    shown: list[Piece] = []
    left = budget
    for index, module in enumerate(modules):
        share = left if index == len(modules) - 1 else max(left // 2, LEAST_MODULE_TOKENS)
        text = module_text(module, hints=hints, first=first, budget_tokens=min(share, left))
        if text:
            shown.append(Piece(text=text, module=module.name, why=f"module {module.name}"))
            left -= tokens(text) + 2
    return shown

"""Short ways to remember, for tests of the graph."""

from __future__ import annotations

from typing import Any

from loremap.app import Lore
from loremap.model.outcome import Stored


def kept(lore: Lore, text: str, **how: Any) -> str:
    """The id of what is remembered as something new."""
    outcome = lore.remember(text, **how)
    assert isinstance(outcome, Stored)
    return outcome.memory.id


def inferred(lore: Lore, id_: str) -> dict[str, str]:
    """The inferred tags of a memory, each with what it was read from."""
    return {one.tag: one.source for one in lore.show(id_).inferred}

"""Quarantine: what is shaped like an order to a model is held back, whoever stores it, until a
person confirms it. Words are looked at before admission, meaning where a vector is there."""

from __future__ import annotations

from dataclasses import replace

from loremap.model.clock import short_id
from loremap.model.hostile import suspicion_of
from loremap.model.memory import Memory, Status


def watched(memory: Memory) -> Memory:
    """`memory`, held back where its words are shaped like an order to a model."""
    return memory if suspicion_of(memory) is None else quarantined(memory)


def quarantined(memory: Memory) -> Memory:
    """`memory` as nobody is told it until a person confirms it."""
    return replace(memory, status=Status.CANDIDATE, tainted=True)


def notice(memory: Memory, why: str) -> str:
    """What the writer of a memory that is held back is told."""
    return (
        f"Held back: {why}. No agent is told it until a person has read and confirmed it: "
        f"lore confirm {short_id(memory.id)}."
    )

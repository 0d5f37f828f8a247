"""Hostile text: what is shaped like an order to the model that will read it."""

from loremap.model.hostile.of_memory import MEANT, is_of_person, suspicion_of, why_held_back
from loremap.model.hostile.shapes import (
    UNSAID,
    Suspicion,
    name_speaks,
    name_suspicion,
    sentences,
    speaks_to_a_model,
    suspicion,
)

__all__ = [
    "MEANT",
    "UNSAID",
    "Suspicion",
    "is_of_person",
    "name_speaks",
    "name_suspicion",
    "sentences",
    "speaks_to_a_model",
    "suspicion",
    "suspicion_of",
    "why_held_back",
]

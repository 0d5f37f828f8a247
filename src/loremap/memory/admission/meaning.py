"""What the meaning of a sentence gives away: a request to an assistant, or knowledge of the world
that has nothing to do with a project. Two linear rules over the vectors of the default model.

`meaning.json` holds their weights, fitted by `bench.poison.fit`; with another model, or none, the
words answer alone.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from loremap.embedding.protocol import Embedder, Vectors
from loremap.model.hostile import is_of_person, sentences, suspicion
from loremap.model.memory import Memory, Status

DATA = "meaning.json"
MAX_SENTENCES = 40
FEWEST_WORDS = 3
_ASKS = ("task", "question")
"""Shapes of words that are held against a person only where the meaning says the same."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A linear rule: it holds where a vector's score is above nothing."""

    weights: NDArray[np.float32]
    bias: float

    def holds(self, rows: Vectors) -> bool:
        """Whether it holds of any of `rows`."""
        return bool((rows @ self.weights + self.bias > 0).any())


@dataclass(frozen=True, slots=True)
class Rules:
    """What is asked of a sentence, and of a text as a whole."""

    request: Rule
    """It asks an assistant for something."""
    passage: Rule
    """It tells of the world, not of a project."""


@cache
def rules_for(space: str) -> Rules | None:
    """The rules for the vectors of one model; None where they were not fitted to it."""
    record = json.loads(
        files("loremap.memory.admission").joinpath(DATA).read_text(encoding="utf-8")
    )
    if record["space"] != space:
        return None
    made = {
        name: Rule(np.asarray(rule["weights"], np.float32), rule["bias"])
        for name, rule in record.items()
        if name != "space"
    }
    return Rules(**made)


def means_no_good(memory: Memory, whole: Vectors | None, embedder: Embedder | None) -> bool:
    """Whether the meaning of `memory`, of which `whole` are the vectors, gives it away. Of what a
    person says, or typed in a session, only what reads like a request is looked at; what they
    confirmed is not. Raises ModelError."""
    rules = None if embedder is None else rules_for(embedder.model)
    if rules is None or embedder is None or whole is None or memory.held_back:
        return False
    if is_of_person(memory) or (memory.typed and memory.status is not Status.CONFIRMED):
        asked = [one for one in sentences(memory.content) if _asks(one)]
        rows = _rows(asked, embedder)
        return rules.request.holds(rows) or rules.passage.holds(rows)
    if memory.status is Status.CONFIRMED:
        return False
    said = [one for one in sentences(memory.content) if len(one.split()) >= FEWEST_WORDS]
    rows = whole if len(said) <= 1 else _rows(said, embedder)
    return rules.passage.holds(whole) or rules.request.holds(rows)


def _asks(sentence: str) -> bool:
    found = suspicion(sentence)
    return found is not None and found.shape in _ASKS


def _rows(said: Sequence[str], embedder: Embedder) -> Vectors:
    if not said:
        return np.empty((0, embedder.dim), np.float32)
    return embedder.embed(said[:MAX_SENTENCES])

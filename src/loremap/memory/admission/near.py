"""Finds what may be about the same subject as a new statement, by vector and by words.

What counts as near is told by the store itself: a similarity far above those that the statement
has with everything else here. So it holds for any model and any language.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from loremap.embedding.protocol import Vectors
from loremap.embedding.scale import known_scale
from loremap.model.kind import RULES
from loremap.model.memory import Memory
from loremap.model.words import words
from loremap.storage import memories
from loremap.storage.bm25 import Words, rarity
from loremap.storage.transaction import Tx
from loremap.storage.warm import STATUS_CODE, Warm

COMPARED = 8
"""How many memories a new one is compared with, by vector and by words each."""
MAX_TERMS = 24
IN_CONTENT = (1.0, 1.0, 0.0, 0.0, 0.0)
"""Words are looked for in what a memory says, not in its names."""
FAR_ABOVE = 3.0
"""Standard deviations above its usual similarity from which a memory is near."""
SHARED_WORDS, SHARED_WORDS_ALONE = 0.3, 0.2
"""The share of words in common, rare ones counting more, from which a memory is near; where there
are no vectors, less is enough."""
BACKGROUND_WEIGHT = 20
"""How many memories of the store count as much as what is known of the model: this stands in for
the store while that is small."""

Floats = np.typing.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Found:
    """A stored memory beside a new statement."""

    memory: Memory
    similarity: float
    closeness: float
    """How near it is; from 1 on it may be about the same subject."""


@dataclass(slots=True)
class Batch:
    """The words of all memories before this transaction, and what it has stored so far: the
    arrays do not know of that yet."""

    words: Words
    vectors: dict[str, Vectors] = field(default_factory=dict)
    stored: int = 0


def found_near(
    warm: Warm, tx: Tx, memory: Memory, vector: Vectors | None, batch: Batch
) -> list[Found]:
    """Active statements in the same place that are worth comparing with `memory`, nearest first."""
    place = _same_place(warm, memory)
    similar = warm.similarity(vector[0]) if vector is not None and warm.size else None
    terms = list(dict.fromkeys(words(memory.content)))[:MAX_TERMS]
    matched = batch.words.scores(terms, weights=IN_CONTENT)
    by_words = np.zeros(warm.size)
    by_words[matched.slots] = matched.bm25
    slots = (*_best(similar, place, above=-1.0), *_best(by_words, place, above=0.0))
    rows = [int(row) for row in warm["row"][list(dict.fromkeys(slots))]]
    if batch.stored:
        rows += _stored_now(warm, tx, terms, memory.project_id)
    weights = _weights(batch.words, terms)
    usual = _usual(similar, warm.model)
    found = []
    for row, other in memories.by_rows(tx.conn, rows).items():
        if not (_is_statement(other) and _in_place(other, memory)):
            continue
        slot = int(warm.slots_of(np.asarray([row], np.int64))[0])
        cosine = _cosine(similar, slot, vector, batch.vectors.get(other.id))
        shared = shared_words(weights, words(other.content))
        standing = None if cosine is None or usual is None else (cosine - usual[0]) / usual[1]
        closeness = (
            shared / SHARED_WORDS_ALONE
            if standing is None
            else max(shared / SHARED_WORDS, standing / FAR_ABOVE)
        )
        found.append(Found(other, shared if cosine is None else cosine, closeness))
    return sorted(found, key=lambda each: -each.closeness)


def shared_words(weights: Mapping[str, float], others: Sequence[str]) -> float:
    """The share of two texts' words that they have in common: of the first by weight, of the
    second by number."""
    held = set(others)
    both = held & weights.keys()
    if not both:
        return 0.0
    of_first = sum(weights[term] for term in both) / sum(weights.values())
    return math.sqrt(of_first * len(both) / len(held))


def _weights(held: Words, terms: Sequence[str]) -> dict[str, float]:
    """How telling each term is in this store."""
    rows = max(held.rows, 1)
    # A term that is new counts as one that is rare: in a small store most terms are new.
    counted = [min(rows, max(1, count)) for count in held.frequencies(terms).tolist()]
    return {
        term: rarity(rows=rows, holding=holding)
        for term, holding in zip(terms, counted, strict=True)
    }


def _usual(similar: Floats | None, model: str | None) -> tuple[float, float] | None:
    """Mean and deviation of what is not near; None where neither the store nor the model tells."""
    known = known_scale(model)
    held = np.zeros(0, np.float32) if similar is None else similar[similar > -1.0]
    if len(held):
        held = np.delete(held, held.argmax())  # it may be the very one that is near
    if known is None:
        return _measured(held) if len(held) >= BACKGROUND_WEIGHT else None
    if not len(held):
        return known.usual, known.spread
    share = len(held) / (len(held) + BACKGROUND_WEIGHT)
    mean, deviation = _measured(held)
    middle = share * mean + (1 - share) * known.usual
    spread = share * (deviation**2 + (mean - middle) ** 2)
    spread += (1 - share) * (known.spread**2 + (known.usual - middle) ** 2)
    return middle, math.sqrt(spread)


def _measured(held: Floats) -> tuple[float, float]:
    return float(held.mean()), max(float(held.std()), 1e-3)


def _cosine(
    similar: Floats | None, slot: int, vector: Vectors | None, stored_now: Vectors | None
) -> float | None:
    if vector is not None and stored_now is not None:
        return float(stored_now[0] @ vector[0])
    if similar is None or slot < 0 or similar[slot] <= -1.0:
        return None
    return float(similar[slot])


def _best(
    scores: np.typing.NDArray[np.floating] | None,
    place: np.typing.NDArray[np.bool_],
    *,
    above: float,
) -> list[int]:
    """The slots in the same place that score most, best first."""
    if scores is None:
        return []
    here = np.where(place, scores, above)
    count = min(COMPARED, len(here))
    best = np.argpartition(-here, count - 1)[:count] if count else np.zeros(0, np.int64)
    return [int(slot) for slot in best[np.argsort(-here[best])] if here[slot] > above]


def _stored_now(warm: Warm, tx: Tx, terms: Sequence[str], project_id: str | None) -> list[int]:
    """Rows of memories stored in this transaction, which have no slot yet, that share words."""
    if not terms:
        return []
    known = int(warm["row"].max(initial=0))
    return memories.sharing(tx.conn, terms, project_id, after=known, limit=COMPARED)


def _same_place(warm: Warm, memory: Memory) -> np.typing.NDArray[np.bool_]:
    """Which slots hold active memories of the same owner and project."""
    active = warm["status"] <= max(STATUS_CODE["candidate"], STATUS_CODE["confirmed"])
    mask: np.typing.NDArray[np.bool_] = (
        active
        & (warm["tenant_id"] == warm.code("tenant_id", memory.tenant_id))
        & (warm["owner_id"] == warm.code("owner_id", memory.owner_id))
        & (warm["project_id"] == warm.code("project_id", memory.project_id))
    )
    return mask


def _in_place(other: Memory, memory: Memory) -> bool:
    return (other.tenant_id, other.owner_id, other.project_id) == (
        memory.tenant_id, memory.owner_id, memory.project_id,
    )  # fmt: skip


def _is_statement(memory: Memory) -> bool:
    return memory.active and not RULES[memory.kind].episodic

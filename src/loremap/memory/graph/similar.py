"""What stands nearest to a memory: by vectors, by words where there is none."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from loremap.memory.recall.context import Slots, visible
from loremap.memory.recall.hybrid import top
from loremap.memory.recalling import query
from loremap.memory.workspace import Workspace
from loremap.model.memory import Memory
from loremap.model.neighbourhood import Similar
from loremap.model.text import opening
from loremap.model.words import words
from loremap.storage import memories
from loremap.storage.bm25 import rarity
from loremap.storage.store import Connection
from loremap.storage.warm import Floats, Warm

Numbers = NDArray[np.float64]
ASKED = 32
"""So many of the rarest words of a memory are looked for in others."""


def similar(here: Workspace, memory: Memory, *, limit: int) -> list[Similar]:
    """The memories that may be seen here and stand nearest to one, the nearest first."""
    with here.engine.arrays(here.embedder()) as (conn, warm):
        mask = visible(warm, query(here, "", user_search=True)).copy()
        own = np.asarray([at for at, id_ in enumerate(warm.ids) if id_ == memory.id], np.int64)
        mask[own] = False
        slots = np.flatnonzero(mask)
        held, vector = warm.vectors_of(own)
        if len(held):
            found, by = _by_vector(warm, vector[0], slots), "vector"
        else:
            found, by = _by_words(conn, warm, memory, slots), "words"
        best = top(found, limit)
        near = {warm.ids[slots[at]]: float(found[at]) for at in best if found[at] > 0}
        return [
            Similar(one.id, one.summary, near[one.id], by)
            for one in sorted(
                memories.by_ids(conn, list(near)), key=lambda one: (-near[one.id], one.id)
            )
        ]


def _by_vector(warm: Warm, vector: Floats, slots: Slots) -> Numbers:
    likeness: Numbers = warm.similarity(vector, opening_share=0.0)[slots].astype(np.float64)
    return likeness


def _by_words(conn: Connection, warm: Warm, memory: Memory, slots: Slots) -> Numbers:
    """The share of the rarity of a memory's words that others say too."""
    held = warm.words(conn)
    terms = list(dict.fromkeys(words(opening(memory.content)[0])))
    counts = held.frequencies(terms).tolist()
    weights = {
        term: rarity(rows=held.rows, holding=count)
        for term, count in zip(terms, counts, strict=True)
    }
    said = np.zeros(warm.size)
    for term in sorted(terms, key=lambda term: -weights[term])[:ASKED]:
        said[held.holds(term)] += weights[term]
    shared: Numbers = said[slots] / (sum(weights.values()) or 1.0)
    return shared

"""What was withdrawn as wrong and is not learned again in other words, until a person says it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from loremap.embedding.protocol import Vectors
from loremap.embedding.scale import Scale, known_scale, scale_of
from loremap.memory.admission.lesson import (
    hashed_with,
    is_near,
    lesson_from,
    lesson_of,
    says_otherwise,
)
from loremap.model.memory import Memory
from loremap.storage import tombstones, vectors
from loremap.storage.store import Connection
from loremap.storage.tombstones import Grave, Known, Tombstone
from loremap.storage.transaction import Tx
from loremap.storage.warm import Warm

MAX_SAMPLE = 64
Deviations = Callable[[Known], float | None]


def bury(tx: Tx, memory: Memory) -> None:
    """Lay the tombstone of what a person calls wrong, with what its neighbours are known by."""
    lesson = lesson_of(memory.content, hashed_with(tombstones.made_key(tx)))
    model, vector = vectors.whole_of(tx.conn, memory.id) or (None, None)
    known = Known(memory.id, memory.kind.value, lesson.record(), model, vector)
    tombstones.lay(tx, memory, Grave.RETRACTED, known)


def taught_again(
    conn: Connection, memory: Memory, vector: Vectors | None, warm: Warm
) -> list[Tombstone]:
    """The tombstones over what `memory` says in other words."""
    key = tombstones.key(conn)
    graves = [] if key is None else tombstones.neighbours(conn, memory)
    if key is None or not graves:
        return []
    hashed, deviations = hashed_with(key), _deviations(vector, warm)
    new = lesson_of(memory.content, hashed)
    found = []
    for grave in graves:
        if grave.known is None:
            continue
        old = lesson_from(grave.known.lesson)
        if not is_near(old, new, deviations(grave.known)):
            continue
        if not says_otherwise(old, new, memory.content, hashed):
            found.append(grave)
    return found


def _deviations(vector: Vectors | None, warm: Warm) -> Deviations:
    """How far a withdrawn statement is nearer to `vector` than unrelated ones are; None where that
    cannot be told: another model made its vector, or nobody knows what a cosine of it means."""
    scale = None if vector is None else _scale(warm)

    def deviations(known: Known) -> float | None:
        if scale is None or vector is None or known.vector is None or known.model != warm.model:
            return None
        return scale.of(float(np.frombuffer(known.vector, np.float32) @ vector[0]))

    return deviations


def _scale(warm: Warm) -> Scale | None:
    known = known_scale(warm.model)
    if known is not None:
        return known
    held = np.flatnonzero(warm["vector_count"] > 0)[:MAX_SAMPLE]
    if len(held) < MAX_SAMPLE:
        return None
    return scale_of(warm.model, warm.vectors_of(held)[1])

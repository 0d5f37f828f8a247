"""Vectors for memories that have none of the model in use: after a model switch or an outage."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from loremap.embedding.protocol import Embedder
from loremap.memory.admission.admit import embedded
from loremap.model.memory import Actor
from loremap.storage import vectors
from loremap.storage.store import Store

BATCH = 64
Progress = Callable[[int, int], None]


def catch_up(
    store: Store,
    embedder: Embedder,
    *,
    now: datetime,
    actor: Actor,
    most: int | None = None,
    progress: Progress | None = None,
) -> int:
    """Embed what has no vector yet, a batch at a time, newest first; each batch is kept, so that
    an interrupted run goes on where it stopped. Returns how many were embedded."""
    with store.read() as conn:
        total = vectors.count_without(conn, embedder.model)
    total = total if most is None else min(total, most)
    done = 0
    while done < total:
        with store.read() as conn:
            waiting = vectors.without(conn, embedder.model, limit=min(BATCH, total - done))
        if not waiting:
            break
        made = embedded(embedder, [each.content for each in waiting])
        with store.write(now=now, actor=actor) as tx:
            still = vectors.texts_of(tx.conn, [each.id for each in waiting])
            for each, chunks in zip(waiting, made, strict=True):
                if chunks is not None and still.get(each.id) == each.fingerprint:
                    vectors.put(
                        tx,
                        each.id,
                        fingerprint=each.fingerprint,
                        model=embedder.model,
                        chunks=chunks,
                    )
        done += len(waiting)
        if progress is not None:
            progress(done, total)
    return done

"""The search for words, made before a recall while the query's vector is in the making."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from sqlalchemy import Connection

from loremap.model.recall import Query
from loremap.model.words import words
from loremap.retrieval.visible import visible
from loremap.storage import text_index
from loremap.storage.cut_off import CutOff, time_bound
from loremap.storage.text_index import TextHit
from loremap.storage.warm import Warm


@dataclass(frozen=True, slots=True, kw_only=True)
class Ahead:
    """What is asked of the text index, and what it answered."""

    match: str
    limit: int
    weights: tuple[float, ...]
    hits: tuple[TextHit, ...] | None = None
    """None while nobody has asked, or where the time was over."""

    def answer_to(
        self, match: str, *, limit: int, weights: Sequence[float]
    ) -> tuple[TextHit, ...] | None:
        """The answer, where just this was asked."""
        same = (match, limit, tuple(weights)) == (self.match, self.limit, self.weights)
        return self.hits if same else None

    def asked(self, conn: Connection, *, within_ms: float | None) -> Ahead:
        """With the answer of the index, if it comes in time."""
        if not self.match:
            return self
        until = None if within_ms is None else time.perf_counter() + within_ms / 1000
        try:
            with time_bound(conn, until=until):
                hits = text_index.search(conn, self.match, limit=self.limit, weights=self.weights)
        except CutOff:
            return self
        return replace(self, hits=tuple(hits))


def narrowed(match: str, *, project_id: str | None, seen: int, of: int) -> str:
    """`match` held to a project that is a small part of the store, else most of what the index
    returns would be thrown away."""
    return text_index.within(match, project_id) if seen * 2 < of else match


def words_ahead(
    query: Query, warm: Warm, *, columns: Sequence[str], limit: int, weights: tuple[float, ...]
) -> Ahead:
    """What a recall will ask of the text index, as far as the arrays can tell by now."""
    terms = list(dict.fromkeys(words(query.text)))
    if not terms or not warm.size:
        return Ahead(match="", limit=limit, weights=weights)
    match = text_index.any_of(terms, columns=columns)
    seen = int(np.count_nonzero(visible(warm, query)))
    match = narrowed(match, project_id=query.project_id, seen=seen, of=warm.size)
    return Ahead(match=match, limit=limit, weights=weights)

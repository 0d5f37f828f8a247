"""What the steps of a recall may look at, and a candidate on its way through them."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection

from loremap.model.anchor import Checked
from loremap.model.memory import Conflict, Memory
from loremap.model.recall import Query
from loremap.model.text import opening
from loremap.model.words import words
from loremap.retrieval.ahead import Ahead, narrowed
from loremap.retrieval.visible import Mask
from loremap.storage import memories, relations, text_index
from loremap.storage.cut_off import CutOff, time_bound
from loremap.storage.warm import Floats, Warm

if TYPE_CHECKING:
    from loremap.codegraph.view import CodeView


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How far one source may go before it is cut off (seed-004 §6)."""

    candidates: int = 500
    source_ms: float | None = 200.0
    top: int = 15
    """How many of the best go on where a recipe takes the best."""


UNHURRIED = Limits(source_ms=None)
"""For a person's own search, who would rather wait than miss something."""


@dataclass(slots=True)
class Scored:
    """A candidate: its place in the arrays, its score so far, and what the score is made of."""

    slot: int
    score: float
    parts: dict[str, float] = field(default_factory=dict)
    memory: Memory | None = None
    pinned_lane: bool = False
    why: str = ""
    checked: bool = False
    """Whether its anchors were looked for."""
    freshness: Checked | None = None
    """What became of the code it speaks of; None where it speaks of none."""


T = TypeVar("T")
Reranker = Callable[[Query, list[Scored]], list[Scored]]
"""Orders candidates anew; it may drop some and adds none."""


@dataclass
class Context:
    """One recall in progress."""

    query: Query
    conn: Connection
    warm: Warm
    mask: Mask
    vector: Floats | None
    aliases: Mapping[str, Sequence[str]]
    vocabulary: Callable[[], list[str]]
    standpoint: Hashable = None
    """Stands for `mask`: queries from the same standpoint may see the same. None for one alone."""
    gate: bool = True
    gated: bool = False
    belief: float | None = None
    reranker: Reranker | None = None
    code: Callable[[], CodeView | None] | None = None
    """Opens the checkout at hand, asked only where a candidate is anchored."""
    limits: Limits = field(default_factory=Limits)
    ahead: Ahead | None = None
    """What the text index was asked already."""
    until: float | None = None
    """When the source at hand is cut off, on the clock of `time.perf_counter`."""
    withheld: set[int] = field(default_factory=set)
    """Slots whose code is not in this checkout."""
    notes: list[str] = field(default_factory=list)
    dropped: list[tuple[Scored, str, str]] = field(default_factory=list)
    _openings: dict[int, frozenset[str]] = field(default_factory=dict)

    @cached_property
    def terms(self) -> list[str]:
        """The words of the query, each once, in order."""
        return list(dict.fromkeys(words(self.query.text)))

    @cached_property
    def frequencies(self) -> dict[str, int]:
        """In how many rows of the index each word of the query occurs."""
        known: dict[str, int] = self.warm.derived("frequencies", dict)
        unknown = [term for term in self.terms if term not in known]
        if unknown:
            found = text_index.document_frequencies(self.conn, unknown)
            known.update((term, found.get(term, 0)) for term in unknown)
        return {term: known[term] for term in self.terms}

    @cached_property
    def similarity(self) -> Floats | None:
        """Cosine of every slot with the query; None where there are no vectors to compare."""
        if self.vector is None or not self.warm.vector_count:
            return None
        return self.warm.similarity(self.vector)

    @cached_property
    def visible_slots(self) -> NDArray[np.int64]:
        """The slots that may answer."""
        return self.derived("slots", lambda: np.flatnonzero(self.mask))

    def derived(self, key: str, make: Callable[[], T]) -> T:
        """What `make` works out from all that this query may see and not from the query itself,
        worked out once while the store stays as it is."""
        if self.standpoint is None:
            return make()
        return self.warm.derived((key, self.standpoint), make)

    def search(
        self, match: str, *, limit: int, weights: Sequence[float]
    ) -> list[tuple[int, float]]:
        """Visible slots that match an index expression, with their BM25 score, best first."""
        if not match:
            return []
        seen = len(self.visible_slots)
        match = narrowed(match, project_id=self.query.project_id, seen=seen, of=self.warm.size)
        hits = self._text_hits(match, limit=min(limit, self.limits.candidates), weights=weights)
        if not hits:
            return []
        slots = self.warm.slots_of(np.fromiter((hit.row for hit in hits), np.int64, len(hits)))
        known = (slots >= 0) & self.mask[np.maximum(slots, 0)]
        return [
            (slot, hit.score)
            for slot, hit, keep in zip(slots.tolist(), hits, known.tolist(), strict=True)
            if keep
        ]

    def _text_hits(
        self, match: str, *, limit: int, weights: Sequence[float]
    ) -> Sequence[text_index.TextHit]:
        if self.ahead is not None:
            known = self.ahead.answer_to(match, limit=limit, weights=weights)
            if known is not None:
                return known
        try:
            with time_bound(self.conn, until=self.until):
                return text_index.search(self.conn, match, limit=limit, weights=weights)
        except CutOff:
            self.note_cut_off("words")
            return []

    def is_cut_off(self, source: str) -> bool:
        """Whether the time of the source at hand is over; the trace then says so."""
        if self.until is None or time.perf_counter() < self.until:
            return False
        self.note_cut_off(source)
        return True

    def note_cut_off(self, source: str) -> None:
        """Say in the trace that a source could not finish."""
        note = f"{source} were cut off after {self.limits.source_ms:g} ms"
        if note not in self.notes:
            self.notes.append(note)

    def opening_terms(self, each: Scored) -> frozenset[str]:
        """The words of the opening of a loaded candidate."""
        if each.slot not in self._openings:
            content = "" if each.memory is None else each.memory.content
            self._openings[each.slot] = frozenset(words(opening(content)[0]))
        return self._openings[each.slot]

    def load(self, found: Sequence[Scored]) -> list[Scored]:
        """`found` with their memories; those whose row is gone or damaged are left out."""
        missing = [each for each in found if each.memory is None]
        rows = self.warm["row"]
        loaded = memories.by_rows(self.conn, [int(rows[each.slot]) for each in missing])
        for each in missing:
            each.memory = loaded.get(int(rows[each.slot]))
        return [each for each in found if each.memory is not None]

    def open_conflicts(self, ids: Sequence[str]) -> list[Conflict]:
        """The open conflicts of any of `ids`."""
        torn = [id_ for id_ in ids if id_ in self.warm.in_conflict]
        return relations.open_conflicts(self.conn, torn) if torn else []

    def drop(self, each: Scored, step: str, why: str) -> None:
        """Note why a candidate was dropped."""
        self.dropped.append((each, step, why))

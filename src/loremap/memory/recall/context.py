"""What the steps of a recall may look at, who may see what, and a candidate on its way through."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from loremap.embedding.scale import Scale, scale_of
from loremap.memory.recall.walk import Reach
from loremap.model.anchor import Checked
from loremap.model.branches import Seen, Written
from loremap.model.memory import Conflict, Memory
from loremap.model.recall import Query
from loremap.model.season import in_season
from loremap.model.words import words
from loremap.storage import relations
from loremap.storage.bm25 import Matched, Words
from loremap.storage.dialect import CutOff, dialect_of
from loremap.storage.store import Connection
from loremap.storage.warm import Floats, Warm

if TYPE_CHECKING:
    from loremap.code.view import CodeView
from operator import attrgetter

from loremap.model.kind import RULES, Kind
from loremap.model.memory import ACTIVE, VOTED_DOWN, Scope, Status, Visibility
from loremap.storage.warm import (
    ERASED,
    KIND_CODE,
    SCOPE_CODE,
    STATUS_CODE,
    VISIBILITY_CODE,
)

Slots = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for an answer. The unit of words is one that occurs nowhere."""

    known: float
    """The rarity of the words of the query that the store knows."""
    said: float
    """The best match of words."""
    asked: float
    """The rarity of all words of the query, the most that can match."""
    covered: float = 0.0
    """The share of that rarity which the words of one memory carry."""
    nearest: float | None = None
    """Deviations of the nearest memory above the nearest of as many unrelated ones; None where
    there are no vectors."""
    best: float = 0.0
    """The cosine of the nearest memory."""
    measured: float = 1.0
    """How far it is known what a cosine of this model means, from 0 to 1."""

    def shown(self) -> dict[str, float]:
        """By name, as the trace has it."""
        by_vectors = {} if self.nearest is None else {"nearest": self.nearest}
        words = {"known": self.known, "said": self.said, "asked": self.asked}
        return {**by_vectors, **words, "covered": self.covered}


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How far one source may go before it is cut off."""

    candidates: int = 500
    source_ms: float | None = 200.0
    top: int = 15
    """How many of the best go on where a recipe takes the best."""


@dataclass(frozen=True, slots=True)
class FactLimits:
    """How far facts are followed, and how much is told of them."""

    hops: int = 2
    tokens: int = 400


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
    lane: bool = False
    """Whether its opening may be that of a standing instruction."""
    checked: bool = False
    """Whether its anchors were looked for."""
    freshness: Checked | None = None
    """What became of the code it speaks of; None where it speaks of none."""
    placed: bool = False
    """Whether its branch was looked at."""
    unmerged: str | None = None
    """The branch it was written on, where that work is not merged here."""
    belief: float | None = None
    """Log-odds that it answers, by its own evidence alone; None where no gate was asked."""
    rank: int | None = None
    """Its place by score alone, where statements on one subject were put together since."""
    older: str = ""
    """The id of the newer or surer statement on the same subject that stands above it."""


T = TypeVar("T")
Reranker = Callable[[Query, list[Scored]], list[Scored]]
"""Orders candidates anew; it may drop some and adds none."""
NO_MATCH = Matched(np.zeros(0, np.int64), np.zeros(0), np.zeros(0))
_SAMPLE = 64


@dataclass
class Context:
    """One recall in progress."""

    query: Query
    conn: Connection
    warm: Warm
    mask: Mask
    vector: Floats | None
    aliases: Mapping[str, Sequence[str]]
    viewpoint: Hashable = None
    """Stands for `mask`: queries from the same viewpoint may see the same. None for one alone."""
    gate: bool = True
    gated: bool = False
    evidence: Evidence | None = None
    """What the gate went by."""
    reranker: Reranker | None = None
    code: Callable[[], CodeView | None] | None = None
    """Opens the checkout at hand, asked only where a candidate is anchored."""
    branches: Callable[[Sequence[Written]], Seen] | None = None
    """Asks git, only where a candidate was written on another branch."""
    limits: Limits = field(default_factory=Limits)
    reach: Reach = field(default_factory=Reach)
    fact_limits: FactLimits = field(default_factory=FactLimits)
    narrative: Callable[[], str] = str
    """What a recipe says in lines of its own, beside its hits; asked when it is known what of them
    is withheld."""
    until: float | None = None
    """When the source at hand is cut off, on the clock of `time.perf_counter`."""
    withheld: set[int] = field(default_factory=set)
    """Slots whose code is not in this checkout."""
    notes: list[str] = field(default_factory=list)
    dropped: list[tuple[Scored, str, str]] = field(default_factory=list)
    _matched: dict[tuple[object, ...], Matched] = field(default_factory=dict)

    @cached_property
    def terms(self) -> list[str]:
        """The words of the query, each once, in order."""
        return list(dict.fromkeys(words(self.query.text)))

    @cached_property
    def words(self) -> Words:
        """The words of all memories."""
        return self.warm.words(self.conn)

    @cached_property
    def similarity(self) -> Floats | None:
        """Cosine of every slot with the query; None where there are no vectors to compare."""
        if self.vector is None or not self.warm.vector_count:
            return None
        return self.warm.similarity(self.vector)

    @cached_property
    def scale(self) -> Scale:
        """What a cosine means here."""
        return self.warm.derived("scale", lambda: scale_of(self.warm.model, self._sample()))

    def _sample(self) -> Floats:
        held = np.flatnonzero(self.warm["vector_count"] > 0)
        spread = held[:: max(1, len(held) // _SAMPLE)][:_SAMPLE]
        return self.warm.vectors_of(spread)[1]

    @cached_property
    def visible_slots(self) -> Slots:
        """The slots that may answer."""
        return self.derived("slots", lambda: np.flatnonzero(self.mask))

    def derived(self, key: str, make: Callable[[], T]) -> T:
        """What `make` works out from all that this query may see and not from the query itself,
        worked out once while the store stays as it is."""
        if self.viewpoint is None:
            return make()
        return self.warm.derived((key, self.viewpoint), make)

    def matched(
        self,
        terms: Sequence[str],
        *,
        weights: Sequence[float],
        term_weights: Sequence[float] | None = None,
    ) -> Matched:
        """Visible slots that hold any of `terms`, with their BM25; asked once for the same."""
        asked = (
            tuple(terms),
            tuple(weights),
            None if term_weights is None else tuple(term_weights),
        )
        if asked in self._matched:
            return self._matched[asked]
        if not terms or self.is_cut_off("words"):
            return NO_MATCH
        try:
            with dialect_of(self.conn).time_bound(self.conn, until=self.until):
                found = self.words.scores(terms, weights=weights, term_weights=term_weights)
        except CutOff:
            self.note_cut_off("words")
            return NO_MATCH
        seen = self.mask[found.slots]
        visible = Matched(
            found.slots[seen], found.bm25[seen], found.covered[seen], found.mass, found.known
        )
        self._matched[asked] = visible
        return visible

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

    def load(self, found: Sequence[Scored]) -> list[Scored]:
        """`found` with their memories; those whose row is gone or damaged are left out."""
        missing = [each for each in found if each.memory is None]
        loaded = self.warm.load(self.conn, [each.slot for each in missing])
        for each in missing:
            each.memory = loaded.get(each.slot)
        return [each for each in found if each.memory is not None]

    def open_conflicts(self, ids: Sequence[str]) -> list[Conflict]:
        """The open conflicts of any of `ids`."""
        torn = self.warm.in_conflict.intersection(ids)
        spoken = not self.query.user_search
        if not torn:
            return []
        every = self.warm.derived(
            ("conflicts", spoken), lambda: relations.open_conflicts(self.conn, spoken=spoken)
        )
        return [one for one in every if one.memory_a in torn or one.memory_b in torn]

    def drop(self, each: Scored, step: str, why: str) -> None:
        """Note why a candidate was dropped."""
        self.dropped.append((each, step, why))


Mask = NDArray[np.bool_]

LEAST_CONFIDENCE = 0.25
"""Below it a memory is given to nobody unasked: it did not help often enough, each time 0.1 less.
Nothing starts as low, unless whoever states it says so."""

_ACTIVE = [STATUS_CODE[status.value] for status in ACTIVE]
_BRANCH_BOUND = [KIND_CODE[kind.value] for kind, rule in RULES.items() if rule.branch_bound]


_asked_by = attrgetter(
    "tenant_id", "owner_id", "project_id", "session_id", "branch", "kinds", "user_search",
    "include_inactive",
)  # fmt: skip
"""What of a query decides what it may see, beside the season."""


def viewpoint(warm: Warm, query: Query) -> Hashable:
    """All of a query that decides what it may see."""
    return _asked_by(query), _in_season(warm, query)


def _in_season(warm: Warm, query: Query) -> frozenset[str]:
    """The labels of seasonal memories that are in season for a question."""
    texts = (query.text, query.branch or "")
    return frozenset(
        label
        for label in warm.names("seasonal")
        if in_season(label, texts=texts, seasons=query.seasons)
    )


def visible(warm: Warm, query: Query) -> Mask:
    """Which slots may answer `query` by who sees what, and where; not to be
    written to, because the next query from the same place is given the same mask."""
    return warm.derived(("visible", viewpoint(warm, query)), lambda: _mask(warm, query))


def _mask(warm: Warm, query: Query) -> Mask:
    status, scope, kind = warm["status"], warm["scope"], warm["kind"]
    mask: Mask = status != ERASED if query.include_inactive else np.isin(status, _ACTIVE)
    mask &= warm["tenant_id"] == warm.code("tenant_id", query.tenant_id)
    mask &= _in_scope(warm, query, scope)
    own = warm["owner_id"] == warm.code("owner_id", query.owner_id)
    mask &= own | (warm["visibility"] != VISIBILITY_CODE[Visibility.PRIVATE.value])
    here = warm["branch"] == warm.code("branch", query.branch)
    mask &= here | ~np.isin(kind, _BRANCH_BOUND)
    if not query.user_search:
        candidate = status == STATUS_CODE[Status.CANDIDATE.value]
        mask &= ~(warm["tainted"] & candidate)
        mask &= warm["pinned"] | (warm["confidence"] >= LEAST_CONFIDENCE)
        mask &= warm["votes_against"] < VOTED_DOWN
        mask &= _told_now(warm, query)
    if query.kinds:
        mask &= np.isin(kind, [KIND_CODE[Kind(wanted).value] for wanted in query.kinds])
    mask.flags.writeable = False
    return mask


def _told_now(warm: Warm, query: Query) -> Mask:
    """What has no season, is in season, or is pinned."""
    codes = [warm.code("seasonal", label) for label in _in_season(warm, query)]
    always = warm["seasonal"] == warm.code("seasonal", None)
    told: Mask = always | warm["pinned"] | np.isin(warm["seasonal"], codes)
    return told


def _in_scope(warm: Warm, query: Query, scope: NDArray[np.int8]) -> Mask:
    here = warm["project_id"] == warm.code("project_id", query.project_id)
    if query.project_id is None:
        here = np.zeros(warm.size, np.bool_)
    mine = warm["session_id"] == warm.code("session_id", query.session_id)
    if query.session_id is None:
        mine = np.zeros(warm.size, np.bool_)
    mask: Mask = (
        (scope == SCOPE_CODE[Scope.GLOBAL.value])
        | (here & (scope == SCOPE_CODE[Scope.PROJECT.value]))
        | (mine & (scope == SCOPE_CODE[Scope.SESSION.value]))
    )
    return mask

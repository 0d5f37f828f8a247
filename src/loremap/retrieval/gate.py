"""The gate: whether the store has an answer at all. Its usual verdict is no."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from loremap.model.words import words

PHATIC = frozenset(
    words(
        """
        thanks thank ok okay yes yeah yep yup no nope please good great nice perfect cool awesome
        fine sure right sorry continue go ahead proceed next step again try once more done finish
        finished work works look looks sound sounds like let know wait stop moment minute think
        agree mean understand explain show result keep short brief back ready tomorrow today hello
        hi hey morning afternoon evening bye day night lgtm job well excellent amazing wonderful
        lovely love happy glad welcome course alright interesting funny haha lol hmm oh ah wow
        wrong undo redo carry exactly make sense got get give tell say see thing way best bit lot
        little much many one two first last time soon later start begin end come take want need
        help idea question answer point never mind could would move left double check break quick
        cheers mate mention bring brought discuss conversation throughout aspect different
        specific
        """
    )
)
"""Words of courtesy and of moving on: they ask nothing of a memory."""

DATES = frozenset(
    words(
        """
        january february march april may june july august september october november december jan
        feb mar apr jun jul aug sep sept oct nov dec monday tuesday wednesday thursday friday
        saturday sunday week month year day date yesterday
        """
    )
)
_DATE_NUMBER = re.compile(r"(?:19|20)\d\d|[0-3]?\d(?:st|nd|rd|th)?")
_NAME = re.compile(r"(?<![.!?:]\s)(?<!^)(?<!^[\"'`(])\b[A-Z][a-zA-Z]+")
_IDENTIFIER = re.compile(
    r"\b(?=\w*[A-Za-z])(?:\w+(?:[./:_-]+\w+)*[._/]\w+|[a-z]+[A-Z]\w*|\w*[A-Za-z]\d\w*"
    r"|\w*\d[A-Za-z]{3,}\w*)\b"
)

_NO_NAME = re.compile(r"\S{300,}")
"""No identifier or path is as long; as one, it would take the square of its length to read."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a query asks: its terms, those with content, names in it and whole identifiers."""

    terms: tuple[str, ...]
    content: frozenset[str]
    names: frozenset[str]
    identifiers: tuple[frozenset[str], ...]


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for an answer."""

    nearest: float
    """Cosine of the nearest memory."""
    coverage: float
    """Largest share of the query's weighted terms that one candidate's opening holds."""
    spread: float
    """Deviation of the similarities: a store that tells the query's subject apart spreads."""
    unknown_names: int
    """Names and identifiers of the query that no memory holds."""
    identifier: bool
    """Whether a top candidate holds a whole identifier of the query."""


def asked(query: str) -> Asked:
    """The query as the gate reads it; dates say when, not what, so they do not count."""
    every = tuple(dict.fromkeys(words(query)))
    terms = tuple(term for term in every if not is_date(term)) or every
    plain = _NO_NAME.sub(" ", query)
    identifiers = tuple(frozenset(words(found)) for found in _IDENTIFIER.findall(plain))
    named = {term for found in _NAME.findall(query) for term in words(found)} | {
        term for parts in identifiers for term in parts
    }
    return Asked(
        terms=terms,
        content=frozenset(term for term in terms if term not in PHATIC),
        names=frozenset(term for term in named if term in terms and term not in PHATIC),
        identifiers=tuple(parts for parts in identifiers if parts),
    )


def is_date(term: str) -> bool:
    """Whether a term says when."""
    return term in DATES or bool(_DATE_NUMBER.fullmatch(term))


def rarity(term: str, *, rows: int, holding: int) -> float:
    """Weight of a term in a store of `rows` memories of which `holding` have it."""
    weight = math.log(1 + rows / (holding + 0.5))
    return weight / 4 if term in PHATIC else weight


def covered(ask: Asked, *, weights: Mapping[str, float], heads: Sequence[Collection[str]]) -> float:
    """Largest share of the query's weighted terms that one candidate's opening holds."""
    total = sum(weights[term] for term in ask.terms)
    if total <= 0:
        return 0.0
    return max(
        (sum(weights[term] for term in ask.terms if term in head) / total for head in heads),
        default=0.0,
    )


def spread(dense: NDArray[np.float64]) -> float:
    """Deviation of the store's similarities, drawn to 0.1 where there are few memories."""
    squares = float(((dense - dense.mean()) ** 2).sum())
    return math.sqrt((squares + 5 * 0.1**2) / (len(dense) + 5))


def belief(evidence: Evidence) -> float:
    """Log-odds that the store can answer; the gate opens at 0."""
    return (
        13 * evidence.nearest
        + 1.6 * math.log(evidence.coverage + 0.1)
        + 100 * evidence.spread
        - 2.8 * min(evidence.unknown_names, 2)
        + 1.2 * evidence.identifier
        - 11.8
    )


def belief_of_words(evidence: Evidence) -> float:
    """Log-odds that the store can answer, where there are no vectors to ask."""
    return (
        2.9 * math.log(evidence.coverage + 0.1)
        - 2.1 * min(evidence.unknown_names, 2)
        + 1.4 * evidence.identifier
        + 4.0
    )

"""Steps that several recipes share, and the rules they go by: what shows that the store can answer
(the gate), what stands beside an answer, what is on one subject."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from loremap.embedding.scale import Scale
from loremap.memory.recall.context import Context, Evidence, Scored, Slots
from loremap.model.kind import RULES
from loremap.model.memory import Status
from loremap.model.text import opening
from loremap.model.words import names_in, words
from loremap.storage.bm25 import rarity
from loremap.storage.warm import STATUS_CODE

_CONFIRMED = STATUS_CODE[Status.CONFIRMED.value]


def rerank(context: Context, found: list[Scored]) -> list[Scored]:
    """Step: where a reranking model would go; without one the order stays."""
    return found if context.reranker is None else context.reranker(context.query, found)


def take_limit(context: Context, found: list[Scored]) -> list[Scored]:
    """Step: as many as were asked for."""
    for each in found[context.query.limit :]:
        context.drop(each, "limit", f"ranked below {context.query.limit}")
    return found[: context.query.limit]


def put_together(context: Context, found: list[Scored]) -> list[Scored]:
    """Step: statements on one subject together, what a person confirmed first, then the newest."""
    head = found[:DEPTH]
    likely = _likely(context, head)
    if not likely:
        return found
    context.load([each for each in head if each.slot in likely])
    scores = [each.score for each in head]
    ordered = together(_said(context, head, likely), context.scale)
    for place, one in enumerate(ordered):
        each = head[one.place]
        each.score, each.rank = scores[place], one.place
        if one.after is not None:
            each.older = context.warm.ids[head[one.after].slot]
    return [*(head[one.place] for one in ordered), *found[DEPTH:]]


def _likely(context: Context, head: Sequence[Scored]) -> frozenset[int]:
    """The slots of those that may have a subject in common with another: mostly none have."""
    slots = np.asarray([each.slot for each in head], np.int64)
    torn = any(context.warm.ids[each.slot] in context.warm.in_conflict for each in head)
    held, vectors = context.warm.vectors_of(slots)
    # What has no vector is judged by its words.
    if len(held) < len(slots) or torn:
        return frozenset(slots.tolist()) if len(slots) > 1 else frozenset()
    cosines = vectors @ vectors.T
    np.fill_diagonal(cosines, -1.0)
    alike = cosines.max(axis=1, initial=-1.0) >= context.scale.cosine(ALIKE)
    return frozenset(held[alike].tolist())


def _said(context: Context, head: Sequence[Scored], likely: Collection[int]) -> list[Said]:
    warm = context.warm
    torn = _conflicts(context, [warm.ids[each.slot] for each in head])
    held, vectors = warm.vectors_of(np.asarray([each.slot for each in head], np.int64))
    vector_of = dict(zip(held.tolist(), vectors, strict=True))
    code = warm["is_code"]
    terms = [
        _statement_words(each) if each.slot in likely and not code[each.slot] else frozenset[str]()
        for each in head
    ]
    every = list(dict.fromkeys(term for one in terms for term in one))
    counts = context.words.frequencies(every).tolist()
    rows = context.words.rows
    asked = frozenset(context.terms)
    named = frozenset(term for name in names_in(context.query.text) for term in words(name))
    named |= {term for term in context.terms if any(sign.isdigit() for sign in term)}
    weight = {t: rarity(rows=rows, holding=n) for t, n in zip(every, counts, strict=True)}
    return [
        Said(
            float(warm["created_at"][each.slot]) / 1000,
            bool(warm["status"][each.slot] == _CONFIRMED),
            {term: weight[term] for term in said},
            vector_of.get(each.slot),
            asked & said,
            named & said,
            frozenset(torn.get(place, ())),
        )
        for place, (each, said) in enumerate(zip(head, terms, strict=True))
    ]


def _statement_words(each: Scored) -> frozenset[str]:
    """The words of a statement; none for what happened once."""
    memory = each.memory
    if memory is None or RULES[memory.kind].episodic:
        return frozenset()
    return frozenset(words(opening(memory.content)[0]))


def _conflicts(context: Context, ids: Sequence[str]) -> dict[int, set[int]]:
    """By place: the places of those it is in an open conflict with."""
    at = {id_: place for place, id_ in enumerate(ids)}
    found: dict[int, set[int]] = {}
    for conflict in context.open_conflicts(ids):
        one, other = at.get(conflict.memory_a), at.get(conflict.memory_b)
        if one is not None and other is not None:
            found.setdefault(one, set()).add(other)
            found.setdefault(other, set()).add(one)
    return found


MARKS = frozenset(
    words("always never whenever immer niemals siempre nunca toujours jamais sempre mai")
)
"""How an instruction begins that holds from now on; what stands by its kind is told at the start of
every session."""
LANE_SHARE = 1 / 3
"""What of an answer the lane may take."""
LOOKED_AT = 12
_OPENING = 40
"""Characters among which the first word of a text is."""


def is_standing(text: str) -> bool:
    """Whether a text begins as an instruction that holds from now on."""
    first = words(text[:_OPENING])[:1]
    return bool(first) and first[0] in MARKS


def marked(context: Context, slots: Slots) -> NDArray[np.bool_]:
    """Which of `slots` may be standing instructions, by the words of their openings."""
    found = np.zeros(context.warm.size, np.bool_)
    for mark in MARKS:
        found[context.words.holds(mark, columns=("head",))] = True
    return found[slots]


def keep_standing(context: Context, found: list[Scored]) -> list[Scored]:
    """Step: the last third of a long list is for the nearest standing instructions. An answer that
    passes the gate needs none: every session starts with what stands."""
    limit = context.query.limit
    places = int(limit * LANE_SHARE)
    lane = context.load([each for each in found if each.lane][:LOOKED_AT])
    stands = [one for one in lane if one.memory is not None and is_standing(one.memory.content)]
    shown = {each.slot for each in found[:limit]}
    missing = [one for one in stands[:places] if one.slot not in shown]
    if context.gate or not missing:
        return found
    kept = found[: limit - len(missing)]
    for one in missing:
        one.score = min(one.score, kept[-1].score)
    placed = {id(one) for one in (*kept, *missing)}
    return [*kept, *missing, *(each for each in found if id(each) not in placed)]


def above_chance(deviations: float, *, among: int) -> float:
    """Deviations of the largest of `among` numbers above what chance makes of the largest."""
    return deviations - math.sqrt(2 * math.log(among + 1))


def belief(evidence: Evidence) -> float:
    """Log-odds that the store can answer; the gate opens at 0. Vectors of a model whose cosines
    nobody has measured count as far as this store tells what they mean, words for the rest."""
    known = math.log1p(evidence.known)
    by_words = 2.82 * known + 1.68 * math.log(evidence.covered + 0.05) - 1.62
    if evidence.nearest is None:
        return by_words
    said = math.log(evidence.said + 0.1)
    by_both = 1.44 * evidence.nearest + 3.0 * known + 0.73 * said - 2.25
    return evidence.measured * by_both + (1 - evidence.measured) * by_words


Vector: TypeAlias = "NDArray[np.float32]"

DEPTH = 10
"""Among so many of the best, statements on one subject are looked for."""
ALIKE = 4.2
"""Deviations above an unrelated pair from which two statements may have one subject."""
SHARED = 0.28
"""The share of the rarity of the shorter one's words that both must say."""
SITTING_SECONDS = 24 * 3600
"""What is written within a day is said side by side; what comes later may be a change."""
# Chosen on the chains of pairs-dev, on the notes of coding-dev, where lower ones disturb the order,
# and on the facts of FactConsolidation.


@dataclass(frozen=True, slots=True)
class Said:
    """A ranked statement."""

    at: float
    confirmed: bool
    words: Mapping[str, float]
    """The words it says, each with its rarity; empty for what is no statement."""
    vector: Vector | None = None
    asked: frozenset[str] = frozenset()
    """The words of the question that it says."""
    named: frozenset[str] = frozenset()
    """The names and numbers among them: another one's are another subject."""
    conflicts: frozenset[int] = frozenset()
    """The places of those it is in an open conflict with."""


@dataclass(frozen=True, slots=True)
class Ordered:
    """The place a statement had, and whether a newer or surer one on its subject stands above."""

    place: int
    after: int | None = None


def together(ranked: Sequence[Said], scale: Scale) -> list[Ordered]:
    """The new order: with each statement those on its subject, the surest and newest first."""
    left = list(range(len(ranked)))
    order: list[Ordered] = []
    while left:
        group = _subject_of(left[0], left, ranked, scale)
        group.sort(key=lambda place: (not ranked[place].confirmed, -ranked[place].at, place))
        first = group[0]
        for place in group:  # of two in a conflict neither is merely older: both are to be told
            beside = place == first or place in ranked[first].conflicts
            order.append(Ordered(place, None if beside else first))
        left = [place for place in left if place not in group]
    return order


def _subject_of(lead: int, left: Sequence[int], ranked: Sequence[Said], scale: Scale) -> list[int]:
    """The places on the subject of `lead`: near to it, or later than one of them and near to that:
    what changed twice is told in the words of the last change. What nobody confirmed leads from
    nothing confirmed to anything else."""
    group = [lead]
    for one in group:  # grows while it is walked
        if ranked[lead].confirmed and not ranked[one].confirmed:
            continue
        group += [
            place
            for place in left
            if place not in group
            and (one == lead or ranked[place].at > ranked[one].at)
            and _one_subject(ranked, one, place, scale)
        ]
    return group


def _one_subject(ranked: Sequence[Said], lead: int, place: int, scale: Scale) -> bool:
    """Whether two say something of one thing. "Ruff took the place of Flake8" says nothing of what
    was asked, which linter we use: it may stand above the answer where it came later."""
    one, other = ranked[lead], ranked[place]
    if place in one.conflicts:
        return True
    if not one.named <= other.named:
        return False
    if not one.asked <= other.asked and abs(other.at - one.at) < SITTING_SECONDS:
        return False
    both = shared(one.words, other.words)
    if one.vector is None or other.vector is None:
        return both >= 2 * SHARED
    return both >= SHARED and float(one.vector @ other.vector) >= scale.cosine(ALIKE)


def shared(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """The share of the shorter one's words that both say, weighed by rarity."""
    least = min(sum(one.values()), sum(other.values()))
    both = sum(weight for word, weight in one.items() if word in other)
    return both / least if least > 0 else 0.0

"""Steps that several recipes share."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from loremap.memory.recall.context import Context, Scored
from loremap.memory.recall.subject import ALIKE, DEPTH, Said, together
from loremap.model.kind import RULES
from loremap.model.memory import Status
from loremap.model.text import opening
from loremap.model.words import names_in, words
from loremap.storage.bm25 import rarity
from loremap.storage.warm import STATUS_CODE

_CONFIRMED = STATUS_CODE[Status.CONFIRMED.value]


def rerank(context: Context, found: list[Scored]) -> list[Scored]:
    """Step: where a reranking model would go; without one the order stays (seed-004 §6.6)."""
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

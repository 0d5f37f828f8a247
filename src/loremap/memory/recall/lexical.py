"""The `lexical` recipe's own steps: words with boosts, prefixes, near spellings."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import extract

from loremap.memory.recall.context import Context, Scored
from loremap.memory.recall.signals import expanded
from loremap.model.clock import from_ms
from loremap.model.decay import recency_boost
from loremap.model.kind import RULES, Kind
from loremap.model.memory import Status
from loremap.storage.warm import STATUS_CODE

BOOSTS = (2.0, 2.0, 1.5, 1.2, 1.0)
"""Weights of content (its opening and the rest), tags, files and kind."""
SCAN_LIMIT = 500
TOP, DROPPED_SHARE, PER_SESSION, ANSWERS, PINNED = 15, 0.3, 2, 5, 5

PREFIX_WEIGHT, FUZZY_WEIGHT, ALIAS_WEIGHT = 0.375, 0.45, 0.6
"""What a match of an expansion counts for, against a match of the word itself."""
FUZZY_SHARE = 0.2
"""A spelling is near when at most this share of its letters differs."""
STATUS_BOOST = {Status.CANDIDATE: 1.0, Status.CONFIRMED: 1.2}
PINNED_BOOST = 1.5
FILE_AFFINITY, FOLDER_AFFINITY = 1.5, 1.2

_KINDS = list(Kind)
_STATUS = {code: Status(value) for value, code in STATUS_CODE.items()}


def boosted_words(context: Context) -> list[Scored]:
    """Source: BM25 over boosted fields of words, aliases, prefixes and near spellings."""
    terms = context.terms
    queries = (
        (terms, 1.0),
        (expanded(terms, context.aliases), ALIAS_WEIGHT),
        (_begun(terms, context), PREFIX_WEIGHT),
        (near_spellings(terms, context), FUZZY_WEIGHT),
    )
    bm25 = np.zeros(context.warm.size)
    for asked, weight in queries:
        found = context.matched(asked, weights=BOOSTS)
        bm25[found.slots] += weight * found.bm25
    best = np.argsort(-bm25, kind="stable")[: min(SCAN_LIMIT, context.limits.candidates)]
    return [
        Scored(slot, score, {"bm25": score})
        for slot, score in zip(best.tolist(), bm25[best].tolist(), strict=True)
        if score > 0
    ]


def _begun(terms: Sequence[str], context: Context) -> list[str]:
    """Words of the store that begin like one of `terms`, that one among them."""
    found: dict[str, None] = {}
    for term in terms:
        if len(term) > 2 and not context.is_cut_off("prefixes"):
            found |= dict.fromkeys(context.words.with_prefix(term))
    return list(found)


def near_spellings(terms: Sequence[str], context: Context) -> list[str]:
    """Words of the store that are spelt nearly like one of `terms`, not `terms` themselves."""
    found: dict[str, None] = {}
    if context.is_cut_off("near spellings"):
        return []
    vocabulary = context.words.vocabulary()
    for term in terms:
        if context.is_cut_off("near spellings"):
            break
        distance = round(len(term) * FUZZY_SHARE)
        if distance < 1:
            continue
        near = extract(
            term,
            vocabulary,
            scorer=Levenshtein.distance,
            processor=None,
            score_cutoff=distance,
            limit=10,
        )
        found |= dict.fromkeys(word for word, _, _ in near if word not in terms)
    return list(found)


def multiply_factors(context: Context, found: list[Scored]) -> list[Scored]:
    """Step: BM25 × category × recency × access × file affinity × status."""
    warm, now = context.warm, context.query.now
    for each in found:
        slot = each.slot
        status = _STATUS.get(int(warm["status"][slot]), Status.CANDIDATE)
        boost = PINNED_BOOST if warm["pinned"][slot] else STATUS_BOOST.get(status, 0.5)
        factors = {
            "category": RULES[_KINDS[int(warm["kind"][slot])]].weight,
            "recency": recency_boost(now - from_ms(int(warm["last_accessed_at"][slot]))),
            "access": 1.0 + 0.1 * math.log1p(int(warm["access_count"][slot])),
            "status": boost,
        }
        each.parts |= factors
        each.score *= math.prod(factors.values())
    found.sort(key=lambda each: -each.score)
    if context.query.files:
        _apply_affinity(context, found)
    return found


def _apply_affinity(context: Context, found: list[Scored]) -> None:
    """Raise what names a file in hand, or its folder, among the best candidates."""
    head = context.load(found[: 4 * TOP])
    for each in head:
        assert each.memory is not None
        affinity = file_affinity(each.memory.files, context.query.files)
        each.parts["affinity"] = affinity
        each.score *= affinity
    found.sort(key=lambda each: -each.score)


def file_affinity(named: Sequence[str], in_hand: Sequence[str]) -> float:
    """How much closer a memory is for naming a file in hand, or one in the same folder."""
    if set(named) & set(in_hand):
        return FILE_AFFINITY
    folders = {path.rpartition("/")[0] for path in in_hand}
    if folders & {path.rpartition("/")[0] for path in named} - {""}:
        return FOLDER_AFFINITY
    return 1.0


def take_top(context: Context, found: list[Scored]) -> list[Scored]:
    """Step: the 15 best, fewer where retrieval is held short."""
    keep = min(TOP, context.limits.top)
    return _kept(context, found, keep=keep, step=f"top {keep}", why=f"ranked below {keep}")


def drop_bottom(context: Context, found: list[Scored]) -> list[Scored]:
    """Step: without the lowest 30 %."""
    keep = math.ceil(len(found) * (1 - DROPPED_SHARE))
    return _kept(context, found, keep=keep, step="confidence", why="in the lowest 30 %")


def two_per_session(context: Context, found: list[Scored]) -> list[Scored]:
    """Step: no session speaks more than twice."""
    seen: dict[int, int] = {}
    kept: list[Scored] = []
    for each in found:
        session = int(context.warm["session_id"][each.slot])
        seen[session] = seen.get(session, 0) + 1
        if session >= 0 and seen[session] > PER_SESSION:
            context.drop(each, "diversity", "its session speaks twice already")
        else:
            kept.append(each)
    return kept


def take_answers(context: Context, found: list[Scored]) -> list[Scored]:
    """Step: the five best, and up to five pinned ones always."""
    wanted = min(ANSWERS, context.query.limit)
    kept = _kept(context, found, keep=wanted, step="top 5", why="ranked below 5")
    return kept + _pinned(context, {each.slot for each in kept})


def _pinned(context: Context, present: set[int]) -> list[Scored]:
    slots = [
        int(slot)
        for slot in context.visible_slots[context.warm["pinned"][context.visible_slots]]
        if int(slot) not in present
    ]
    newest = sorted(slots, key=lambda slot: -int(context.warm["created_at"][slot]))
    return [Scored(slot, 0.0, pinned_lane=True) for slot in newest[:PINNED]]


def _kept(context: Context, found: list[Scored], *, keep: int, step: str, why: str) -> list[Scored]:
    for each in found[keep:]:
        context.drop(each, step, why)
    return found[:keep]

"""The `hybrid` recipe's own steps: words and vectors on one scale, context, the gate, the cut."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from loremap.memory.recall import signals
from loremap.memory.recall.context import Context, Evidence, Scored, Slots
from loremap.memory.recall.signals import expanded, named_time, time_bonus
from loremap.memory.recall.steps import LOOKED_AT, above_chance, belief, marked
from loremap.model.kind import RULES, Kind
from loremap.storage.bm25 import ELSEWHERE, K1, Matched, rarity

POOL = 100
"""Candidates of each source alone; more find no more."""
OFFERED = 50
"""Candidates that go on to the steps, and into the trace."""
TOP = 15
"""Held to fewer than the usual top, fewer are offered."""
REST_WEIGHT = 0.2
"""What a word past the opening of a long text counts for."""
ALIAS_WEIGHT = 0.3
"""What a word counts for that stands for one of the query."""
USUALLY_KNOWN = 0.35
"""The share of the words of any question that a large store knows, whether it can answer or not."""
NEAREST = 10
"""The kind of text is told by so many of the nearest."""
WEIGHTS = (1.0, REST_WEIGHT, 1.0, 1.0, 0.0)
FLAT_WEIGHTS = (1.0, 1.0, 1.0, 1.0, 0.0)

_EPISODIC = np.asarray([RULES[kind].episodic for kind in Kind])


def words_only(context: Context) -> list[Scored]:
    """Source: BM25 alone."""
    found = context.matched(context.terms, weights=FLAT_WEIGHTS)
    best = top(found.bm25, min(POOL, context.limits.candidates))
    pairs = zip(found.slots[best].tolist(), found.bm25[best].tolist(), strict=True)
    return [Scored(slot, score, {"words": score}) for slot, score in pairs]


def vectors_only(context: Context) -> list[Scored]:
    """Source: cosine of the best chunk alone."""
    if context.similarity is None or context.vector is None:
        return []
    similarity = context.warm.similarity(context.vector, opening_share=0.0)
    slots = context.visible_slots
    best = slots[top(similarity[slots], POOL)]
    return [
        Scored(int(slot), float(similarity[slot]), {"vectors": float(similarity[slot])})
        for slot in best
    ]


def blended(
    context: Context,
    *,
    use_aliases: bool = True,
    use_context: bool = True,
    use_time: bool = True,
    use_signals: bool = True,
    use_confidence: bool = True,
    use_recency: bool = False,
    weigh_opening: bool = True,
    weight: float | None = None,
) -> list[Scored]:
    """Source: words and vectors on one scale, with context and what a memory's word is worth. The
    switches are for the ablation; `weight` fixes that of words."""
    slots = context.visible_slots
    if not len(slots):
        return []
    matched = _matched(
        context, weights=WEIGHTS if weigh_opening else FLAT_WEIGHTS, use_aliases=use_aliases
    )
    said = np.zeros(context.warm.size)
    said[matched.slots] = matched.bm25 / (matched.mass * (K1 + 1) or 1.0)
    dense = _dense(context, slots, weigh_opening=weigh_opening)
    if dense is None:
        score = said[slots]
    else:
        share = _words_weight(context, dense, slots) if weight is None else weight
        score = signals.blended(dense, said[slots], weight=share, usual=context.scale.usual)
        waiting = context.warm["vector_count"][slots] == 0
        if waiting.any():  # as near as its words are to the best words
            score += waiting * said[slots] / (said[slots].max() or 1.0)
    if use_context:
        score = _in_context(context, score, slots)
    when = named_time(context.query.text) if use_time else None
    best = float(score.max())
    if when is not None:
        score = score + max(best, 0.0) * time_bonus(context.warm["created_at"][slots], when)
    if use_signals:
        worth = signals.worth(context, slots, use_confidence=use_confidence)
        score = signals.weighed(score, worth)
        score = score + max(best, 0.0) * signals.in_hand(context, slots)
    if use_recency:
        score = signals.weighed(score, signals.recency(context, slots))
    return _offered(context, slots, score, said=said, dense=dense)


def _offered(
    context: Context,
    slots: Slots,
    score: signals.Numbers,
    *,
    said: signals.Numbers,
    dense: signals.Numbers | None,
) -> list[Scored]:
    offered = OFFERED if context.limits.top >= TOP else context.limits.top
    best = top(score, max(offered, context.query.limit))
    if dense is None:
        best = best[score[best] > 0]  # nothing but words speaks for any of them
    stands = marked(context, slots) if not context.gate else np.zeros(len(slots), np.bool_)
    lane = np.flatnonzero(stands)
    others = np.setdiff1d(lane[top(score[lane], LOOKED_AT)], best)
    found = []
    for place in [*best.tolist(), *others[top(score[others], LOOKED_AT)].tolist()]:
        parts = {"words": float(said[slots[place]])}
        if dense is not None:
            parts["vectors"] = float(dense[place])
        at = Scored(int(slots[place]), float(score[place]), parts, lane=bool(stands[place]))
        found.append(at)
    return found


def gate(context: Context, found: list[Scored]) -> list[Scored]:
    """Step: nothing at all where the evidence speaks against an answer."""
    if not found:
        return found
    context.evidence = _evidence(context)
    believed = belief(context.evidence)
    if believed >= 0 or not context.gate:
        return found
    for each in found:
        context.drop(each, "gate", f"belief {believed:.1f} is below 0")
    context.gated = True
    return []


def cut(context: Context, found: list[Scored]) -> list[Scored]:
    """Step: the answer ends where the scores fall off, and what was said later on the same subject
    stays with it; who asks without the gate is given all."""
    if not context.gate or context.query.user_search:
        return found
    keep = signals.given([each.score for each in found])
    fits = [(place if each.rank is None else each.rank) < keep for place, each in enumerate(found)]
    ids = [context.warm.ids[each.slot] for each in found]
    with_them = {each.older for each, fit in zip(found, fits, strict=True) if fit}
    # Whoever is told one side of a conflict is told the other.
    told = [id_ for id_, fit in zip(ids, fits, strict=True) if fit or id_ in with_them]
    for one in context.open_conflicts(told):
        with_them |= {one.memory_a, one.memory_b}
    kept = []
    for place, each in enumerate(found):
        if fits[place] or ids[place] in with_them:
            kept.append(each)
        else:
            context.drop(each, "cut", f"the scores fall off after {keep}")
    return _believed(context, kept)


def _believed(context: Context, kept: list[Scored]) -> list[Scored]:
    """Each with the belief that it alone would be given."""
    evidence = context.evidence
    if evidence is None:
        return kept
    matched = _matched(context, weights=WEIGHTS, use_aliases=False)
    for each in kept:
        own = replace(
            evidence,
            said=each.parts.get("words", 0.0) * evidence.asked,
            covered=_covered(matched, each.slot),
            nearest=_own_nearest(context, evidence, each.slot),
        )
        each.belief = belief(own)
    return kept


def _covered(matched: Matched, slot: int) -> float:
    """The share of the query that the words of one memory cover."""
    at = int(np.searchsorted(matched.slots, slot))
    held = at < len(matched.slots) and matched.slots[at] == slot
    return float(matched.covered[at]) if held else 0.0


def _own_nearest(context: Context, evidence: Evidence, slot: int) -> float | None:
    """How near one memory is; None where words judge, as of what waits for its vector."""
    waits = not context.warm["vector_count"][slot]
    if evidence.nearest is None or context.similarity is None or waits:
        return None
    less = evidence.best - float(context.similarity[slot])
    return evidence.nearest - less / context.scale.spread


def _evidence(context: Context) -> Evidence:
    matched = _matched(context, weights=WEIGHTS, use_aliases=False)
    unit = rarity(rows=context.words.rows, holding=0)
    given = _given(context, matched.slots)
    # A small store knows few words of anything: there a word that is not known says little.
    young = ELSEWHERE / (context.words.rows + ELSEWHERE)
    guessed = USUALLY_KNOWN * young * (matched.mass - matched.known)
    found = Evidence(
        known=(matched.known + guessed) / unit,
        said=float(matched.bm25[given].max(initial=0.0)) / unit / (K1 + 1),
        asked=matched.mass / unit,
        covered=float(matched.covered[given].max(initial=0.0)),
    )
    held = context.derived("with vectors", partial(_with_vectors, context))
    held = held[_given(context, held)]
    if context.similarity is None or not len(held):
        return found
    best = float(context.similarity[held].max())
    return replace(
        found,
        nearest=above_chance(context.scale.of(best), among=len(held)),
        best=best,
        measured=context.scale.measured,
    )


def _with_vectors(context: Context) -> Slots:
    slots = context.visible_slots
    return slots[context.warm["vector_count"][slots] > 0]


def _given(context: Context, slots: Slots) -> NDArray[np.bool_] | slice:
    """Which of `slots` are not withheld, mostly all."""
    return ~np.isin(slots, list(context.withheld)) if context.withheld else slice(None)


def _matched(context: Context, *, weights: tuple[float, ...], use_aliases: bool) -> Matched:
    """The words of the query and, for less, those that stand for them."""
    aliases = expanded(context.terms, context.aliases) if use_aliases else []
    found = context.matched(context.terms, weights=weights)
    if not aliases:
        return found
    meant = context.matched(aliases, weights=weights)
    together = np.zeros(context.warm.size)
    together[meant.slots] = ALIAS_WEIGHT * meant.bm25
    together[found.slots] += found.bm25
    either = np.zeros(context.warm.size, np.bool_)
    either[found.slots] = either[meant.slots] = True
    slots = np.flatnonzero(either)
    return Matched(slots, together[slots], together[slots], found.mass, found.known)


def _dense(context: Context, slots: Slots, *, weigh_opening: bool) -> signals.Numbers | None:
    """Similarities, where what waits for its vector counts as an average memory does."""
    similarity = context.similarity
    if similarity is None or context.vector is None:
        return None
    if not weigh_opening:
        similarity = context.warm.similarity(context.vector, opening_share=0.0)
    held = context.warm["vector_count"][slots] > 0
    if not held.any():
        return None
    dense = similarity[slots].astype(np.float64)
    found: signals.Numbers = np.where(held, dense, dense[held].mean())
    return found


def _words_weight(context: Context, dense: signals.Numbers, slots: Slots) -> float:
    nearest = slots[top(dense, NEAREST)]
    code = context.warm["is_code"][nearest]
    long = context.warm.several[nearest]
    talk = _EPISODIC[context.warm["kind"][nearest]] & ~code & ~long
    return signals.words_weight(talk_share=float(talk.mean()), code_share=float(code.mean()))


def _in_context(context: Context, score: signals.Numbers, slots: Slots) -> signals.Numbers:
    """Scores with a part of their neighbours', for what was said in the course of a session."""
    course = context.derived("course", partial(_course, context, slots))
    if course is None:
        return score
    before, after, share = course
    return signals.with_context(score, before=before, after=after, share=share)


def _course(context: Context, slots: Slots) -> tuple[Slots, Slots, signals.Numbers] | None:
    """What was said just before and after each of `slots`, and how much of it counts; None where
    no session tells anything."""
    told = _EPISODIC[context.warm["kind"][slots]]
    if not told.any():
        return None
    sessions = np.where(told, context.warm["session_id"][slots], -1).astype(np.int64)
    before, after = signals.neighbours(sessions, context.warm["created_at"][slots])
    share = signals.context_share(context.warm["length"][slots])
    return before, after, np.where(told, share, 0.0)


def top(scores: NDArray[np.floating], count: int) -> Slots:
    """The places of the `count` highest, highest first."""
    if len(scores) <= count:
        return np.argsort(-scores, kind="stable")
    best = np.argpartition(-scores, count - 1)[:count]
    return best[np.argsort(-scores[best], kind="stable")]

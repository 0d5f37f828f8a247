"""The `hybrid` recipe's own steps: words and vectors on one scale, context, and the gate."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from loremap.model.clock import to_ms
from loremap.model.kind import RULES, Kind
from loremap.model.memory import Status
from loremap.model.recall import Query
from loremap.model.words import words
from loremap.retrieval import blend
from loremap.retrieval import gate as gate_rule
from loremap.retrieval.ahead import Ahead, words_ahead
from loremap.retrieval.context import Context, Limits, Scored
from loremap.retrieval.newest import DEPTH, Said, newest_first
from loremap.retrieval.weighted import DAY_MS, HALF_LIVES
from loremap.retrieval.when import named_time, time_bonus
from loremap.storage.text_index import any_of
from loremap.storage.warm import STATUS_CODE, Warm

POOL = 100
"""Candidates of each source; more find no more."""
OFFERED = 50
"""Candidates that go on to the steps, and into the trace."""
TOP = 15
"""Held to fewer than seed-004's top, fewer are offered."""
REST_WEIGHT = 0.2
"""What a word past the opening of a long text counts for."""
NEAR_SHARE = 0.2
"""An answer scores at least this share of the best; an average memory scores 0."""
COLUMNS = ("head", "rest", "tags", "files")
WEIGHTS = (1.0, REST_WEIGHT, 1.0, 1.0, 0.0)
FLAT_WEIGHTS = (1.0, 1.0, 1.0, 1.0, 0.0)

_EPISODIC = np.asarray([RULES[kind].episodic for kind in Kind])

Slots = NDArray[np.int64]


def words_only(context: Context) -> list[Scored]:
    """Source: BM25 alone."""
    return [
        Scored(slot, score, {"words": score})
        for slot, score in _matching(context, weights=FLAT_WEIGHTS)
    ]


def vectors_only(context: Context) -> list[Scored]:
    """Source: cosine of the best chunk alone."""
    if context.similarity is None or context.vector is None:
        return []
    similarity = context.warm.similarity(context.vector, opening_share=0.0)
    slots = context.visible_slots
    best = slots[_top(similarity[slots], POOL)]
    return [
        Scored(int(slot), float(similarity[slot]), {"vectors": float(similarity[slot])})
        for slot in best
    ]


def blended(
    context: Context,
    *,
    uncrowd: bool = True,
    use_context: bool = True,
    use_time: bool = True,
    weigh_standing: bool = True,
    weigh_opening: bool = True,
    weight: float | None = None,
) -> list[Scored]:
    """Source: words and vectors on one scale, each with its context. The switches are for the
    ablation; `weight` fixes the share of vectors."""
    matching = _matching(context, weights=WEIGHTS if weigh_opening else FLAT_WEIGHTS)
    similarity, slots = context.similarity, context.visible_slots
    if similarity is None or not len(slots):
        return [Scored(slot, score, {"words": score}) for slot, score in matching]
    if not weigh_opening and context.vector is not None:
        similarity = context.warm.similarity(context.vector, opening_share=0.0)
    dense = _with_usual(similarity[slots].astype(np.float64), context.warm["vector_count"][slots])
    lexical = np.zeros(context.warm.size)
    lexical[[slot for slot, _ in matching]] = [bm25 for _, bm25 in matching]
    near = _top(dense, POOL)
    share = _dense_weight(context, slots[near[:10]]) if weight is None else weight
    cleared = _uncrowded(context, dense, slots, near) if uncrowd else dense
    score = blend.blended(cleared, lexical[slots], share)
    if use_context:
        score = _in_context(context, score, slots)
    when = named_time(context.query.text) if use_time else None
    if when is not None:
        score = score + time_bonus(context.warm["created_at"][slots], when)
    if weigh_standing:
        hour = f"standing at {context.query.now:%Y-%m-%d %H}"  # within it nothing fades visibly
        score = blend.weighed(score, context.derived(hour, lambda: _standing(context, slots)))
    offered = OFFERED if context.limits.top >= TOP else context.limits.top
    best = _top(score, max(offered, 2 * context.query.limit))
    columns = (slots[best], score[best], lexical[slots[best]], dense[best])
    return [
        Scored(slot, value, {"words": said, "vectors": near})
        for slot, value, said, near in zip(*(one.tolist() for one in columns), strict=True)
    ]


def drop_far(context: Context, found: list[Scored]) -> list[Scored]:
    """Step: without those that are hardly nearer to the query than an average memory."""
    if not found:
        return found
    floor = NEAR_SHARE * found[0].score
    for each in found:
        if each.score < floor:
            context.drop(each, "far", f"below {NEAR_SHARE:.0%} of the best")
    return [each for each in found if each.score >= floor]


def put_newest_first(context: Context, found: list[Scored]) -> list[Scored]:
    """Step: of statements that say the same of the same subject, the newest first."""
    head = context.load(found[:DEPTH])
    asked = set(context.terms)
    said = [
        Said(
            each.memory.content,
            each.memory.created_at.timestamp(),
            asked & context.opening_terms(each),
            each.memory.status is Status.CONFIRMED,
        )
        for each in head
        if each.memory is not None
    ]
    order = newest_first(said)
    scores = [each.score for each in head]
    for place, one in enumerate(order):
        head[one].score = scores[place]
    return [head[one] for one in order] + found[DEPTH:]


def gate(context: Context, found: list[Scored]) -> list[Scored]:
    """Step: nothing at all where the evidence speaks against an answer."""
    if not found:
        return found
    ask = gate_rule.asked(context.query.text)
    # Together with the rest of the answer, which is loaded next where the gate opens.
    head = context.load(found[: max(DEPTH, context.query.limit)])[:DEPTH]
    believed = _believed(context, ask, head) if ask.content else -np.inf
    context.belief = believed
    if believed >= 0 or not context.gate:
        return found
    why = "the query has no content" if not ask.content else f"belief {believed:.1f} is below 0"
    for each in found:
        context.drop(each, "gate", why)
    context.gated = True
    return []


def _believed(context: Context, ask: gate_rule.Asked, head: list[Scored]) -> float:
    evidence = _evidence(context, ask, head)
    if context.similarity is None:
        return gate_rule.belief_of_words(evidence)
    believed = gate_rule.belief(evidence)
    if any(context.warm["vector_count"][each.slot] == 0 for each in head):
        return max(believed, gate_rule.belief_of_words(evidence))
    return believed


def _evidence(context: Context, ask: gate_rule.Asked, head: list[Scored]) -> gate_rule.Evidence:
    frequencies, rows = context.frequencies, context.warm.size
    weights = {
        term: gate_rule.rarity(term, rows=rows, holding=frequencies.get(term, 0))
        for term in ask.terms
    }
    texts = [each.memory.content for each in head if each.memory is not None]
    heads = [context.opening_terms(each) for each in head if each.memory is not None]
    whole = [set(words(text)) for text in texts[:3]] if ask.identifiers else []
    similarity, slots = context.similarity, context.visible_slots
    held = slots[context.warm["vector_count"][slots] > 0]
    if context.withheld:
        held = held[~np.isin(held, list(context.withheld))]
    dense = np.zeros(0) if similarity is None else similarity[held]
    return gate_rule.Evidence(
        nearest=float(dense.max(initial=0.0)),
        coverage=gate_rule.covered(ask, weights=weights, heads=heads),
        spread=gate_rule.spread(dense.astype(np.float64)) if len(dense) else 0.1,
        unknown_names=sum(frequencies.get(term, 0) == 0 for term in ask.names),
        identifier=any(parts <= terms for parts in ask.identifiers for terms in whole),
    )


def asked_ahead(query: Query, warm: Warm, limits: Limits) -> Ahead:
    """What `blended` will ask of the text index."""
    most = min(POOL, limits.candidates)
    return words_ahead(query, warm, columns=COLUMNS, limit=most, weights=WEIGHTS)


def _matching(context: Context, *, weights: tuple[float, ...]) -> list[tuple[int, float]]:
    match = any_of(context.terms, columns=COLUMNS) if context.terms else ""
    return context.search(match, limit=POOL, weights=weights)


def _with_usual(dense: blend.Numbers, vectors: NDArray[np.int32]) -> blend.Numbers:
    """Similarities, where what waits for its vector counts as an average memory does."""
    held = vectors > 0
    usual = dense[held].mean() if held.any() else 0.0
    return np.where(held, dense, usual)


def _dense_weight(context: Context, nearest: Slots) -> float:
    code = context.warm["is_code"][nearest]
    long = context.warm.several[nearest] & ~code
    return blend.dense_weight(code_share=float(code.mean()), long_share=float(long.mean()))


def _uncrowded(context: Context, dense: blend.Numbers, slots: Slots, near: Slots) -> blend.Numbers:
    """Similarities less a part of how crowded the place is; outside the pool the mean counts."""
    held, vectors = context.warm.vectors_of(slots[near])
    if len(held) < 2:
        return dense
    crowd = blend.crowding(vectors)
    density = np.full(context.warm.size, crowd.mean())
    density[held] = crowd
    return dense - blend.CROWD_WEIGHT * density[slots]


def _in_context(context: Context, score: blend.Numbers, slots: Slots) -> blend.Numbers:
    """Scores with a part of their neighbours', for what was said in the course of a session."""
    course = context.derived("course", lambda: _course(context, slots))
    if course is None:
        return score
    before, after, share = course
    return blend.with_context(score, before=before, after=after, share=share)


def _course(context: Context, slots: Slots) -> tuple[Slots, Slots, blend.Numbers] | None:
    """What was said just before and after each of `slots`, and how much of it counts; None where
    no session tells anything."""
    told = _EPISODIC[context.warm["kind"][slots]]
    if not told.any():
        return None
    sessions = np.where(told, context.warm["session_id"][slots], -1).astype(np.int64)
    before, after = blend.neighbours(sessions, context.warm["created_at"][slots])
    share = blend.context_share(context.warm["length"][slots])
    return before, after, np.where(told, share, 0.0)


def _standing(context: Context, slots: Slots) -> blend.Numbers:
    """What each memory's word is worth: less where nobody confirmed it, and as it fades."""
    warm = context.warm
    idle_days = np.maximum(to_ms(context.query.now) - warm["last_accessed_at"][slots], 0) / DAY_MS
    half_lives = np.where(warm["pinned"][slots], np.inf, HALF_LIVES[warm["kind"][slots]])
    candidate = warm["status"][slots] == STATUS_CODE[Status.CANDIDATE.value]
    return blend.standing(candidate=candidate, idle_days=idle_days, half_life_days=half_lives)


def _top(scores: NDArray[np.floating], count: int) -> Slots:
    """The places of the `count` highest, highest first."""
    if len(scores) <= count:
        return np.argsort(-scores, kind="stable")
    best = np.argpartition(-scores, count - 1)[:count]
    return best[np.argsort(-scores[best], kind="stable")]

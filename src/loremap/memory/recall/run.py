"""Runs a recipe: asks its source, walks its steps, and writes the trace."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import wraps
from typing import TYPE_CHECKING

from loremap.memory.recall.context import (
    UNHURRIED,
    Context,
    FactLimits,
    Limits,
    Mask,
    Reranker,
    Scored,
    viewpoint,
    visible,
)
from loremap.memory.recall.freshness import weigh_anchors, withhold_unmerged
from loremap.memory.recall.recipes import RECIPES, Recipe
from loremap.memory.recall.steps import belief
from loremap.memory.recall.walk import Reach
from loremap.model.branches import Seen, Written
from loremap.model.clock import short_id
from loremap.model.recall import Hit, Query, Recall, Trace, Verdict
from loremap.storage.store import Connection
from loremap.storage.warm import Floats, Warm

if TYPE_CHECKING:
    from loremap.code.view import CodeView


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """What a recall works with, apart from the question."""

    conn: Connection
    warm: Warm
    aliases: Mapping[str, Sequence[str]]
    gate: bool = True
    reranker: Reranker | None = None
    only: Mask | None = None
    """Further restriction of what may answer, such as to a tag."""
    code: Callable[[], CodeView | None] | None = None
    """Opens the checkout at hand; without it nothing is known of anchors."""
    branches: Callable[[Sequence[Written]], Seen] | None = None
    """Says what became of branches; without it every memory counts as merged."""
    limits: Limits = field(default_factory=Limits)
    reach: Reach = field(default_factory=Reach)
    """How far a cascade goes."""
    fact_limits: FactLimits = field(default_factory=FactLimits)


def run(recipe: Recipe, query: Query, *, vector: Floats | None, means: Means) -> Recall:
    """The answer to `query` by `recipe`, and how it was found."""
    started = time.perf_counter()
    mask = visible(means.warm, query)
    if means.only is not None:
        mask = mask & means.only
    context = Context(
        query=query,
        conn=means.conn,
        warm=means.warm,
        mask=mask,
        vector=vector,
        aliases=means.aliases,
        viewpoint=viewpoint(means.warm, query) if means.only is None else None,
        gate=means.gate and not query.user_search,
        reranker=means.reranker,
        code=means.code,
        branches=means.branches,
        limits=UNHURRIED if query.user_search else means.limits,
        reach=means.reach,
        fact_limits=means.fact_limits,
    )
    if recipe.without_vectors and context.similarity is None:
        context.notes.append(f"no vectors yet: {recipe.without_vectors} answers")
        recipe = RECIPES[recipe.without_vectors]
    took: dict[str, float] = {}
    began = time.perf_counter()
    if context.limits.source_ms is not None:
        context.until = began + context.limits.source_ms / 1000
    found = recipe.source(context)
    if not found and recipe.otherwise:
        context.notes.append(f"{recipe.name} lead nowhere from here: {recipe.otherwise} answers")
        recipe = RECIPES[recipe.otherwise]
        found = recipe.source(context)
    took[named(recipe.source)] = (time.perf_counter() - began) * 1000
    # First, so that what is withheld opens no gate; last, for what a step has added.
    for step in (
        weigh_anchors, withhold_unmerged, *recipe.steps, weigh_anchors, withhold_unmerged
    ):  # fmt: skip
        began = time.perf_counter()
        found = step(context, found)
        took[named(step)] = took.get(named(step), 0.0) + (time.perf_counter() - began) * 1000
    found = context.load(found)
    return _answer(context, recipe, found, took, started=started)


def tuned(recipe: Recipe, *, vector: Floats | None, limits: Limits) -> Recipe:
    """`recipe` with the query's vector given, so that nobody makes it again, and with limits of
    its own. Without a vector words answer alone."""

    @wraps(recipe.source)
    def source(context: Context) -> list[Scored]:
        context.vector, context.limits = vector, limits
        return recipe.source(context)

    return replace(recipe, source=source, wants_vector=False)


def named(stage: Callable[..., list[Scored]]) -> str:
    """What a source or step is called; a variant by the function it varies."""
    return str(getattr(getattr(stage, "func", stage), "__name__", stage))


def _answer(
    context: Context,
    recipe: Recipe,
    found: list[Scored],
    took: dict[str, float],
    *,
    started: float,
) -> Recall:
    kept = [each for each in found if each.memory is not None]
    ids = [each.memory.id for each in kept if each.memory is not None]
    conflicts = tuple(context.open_conflicts(ids))
    sides: dict[str, list[str]] = {}
    for conflict in conflicts:
        sides.setdefault(conflict.memory_a, []).append(conflict.memory_b)
        sides.setdefault(conflict.memory_b, []).append(conflict.memory_a)
    hits = tuple(
        Hit(
            each.memory,
            each.score,
            each.parts,
            each.pinned_lane,
            tuple(sides.get(each.memory.id, ())),
            each.freshness,
            each.unmerged,
            each.older,
            each.belief,
        )
        for each in kept
        if each.memory is not None
    )
    return Recall(
        hits=hits,
        trace=Trace(
            recipe.name,
            _verdicts(context, kept),
            tuple(context.notes),
            took,
            None if context.evidence is None else belief(context.evidence),
            {} if context.evidence is None else context.evidence.shown(),
        ),
        took_ms=(time.perf_counter() - started) * 1000,
        conflicts=conflicts,
        gated=context.gated,
        narrative=context.narrative(),
    )


def _verdicts(context: Context, kept: list[Scored]) -> tuple[Verdict, ...]:
    ids = context.warm.ids
    stayed = [
        Verdict(
            ids[each.slot],
            "answer",
            True,
            _kept_for(each),
            each.score,
        )
        for each in kept
    ]
    gone = [
        Verdict(ids[each.slot], step, False, why, each.score) for each, step, why in context.dropped
    ]
    return (*stayed, *gone)


def _kept_for(each: Scored) -> str:
    why = "pinned" if each.pinned_lane else each.why or _made_of(each)
    if each.older:
        why += f"; on one subject with {short_id(each.older)}, which is newer or confirmed"
    check = each.freshness
    return f"{why}; {check.freshness.value}: {check.why}" if check and check.why else why


def _made_of(each: Scored) -> str:
    return ", ".join(f"{name} {value:.2f}" for name, value in each.parts.items())

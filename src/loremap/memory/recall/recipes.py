"""Recipes as data: which sources a recall asks, and which steps its candidates go through."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from loremap.errors import BadInput
from loremap.memory.recall import cascade, hybrid, lexical, steps, walk_facts, weighted
from loremap.memory.recall.context import Context, Scored

Source = Callable[[Context], list[Scored]]
Step = Callable[[Context, list[Scored]], list[Scored]]


@dataclass(frozen=True, slots=True)
class Recipe:
    """A named way to answer a query."""

    name: str
    source: Source
    steps: tuple[Step, ...]
    wants_vector: bool
    without_vectors: str | None = None
    """The recipe to use while there are no vectors."""
    otherwise: str | None = None
    """The recipe that answers where this one's source finds nothing."""


RECIPES: dict[str, Recipe] = {
    recipe.name: recipe
    for recipe in (
        Recipe(
            "hybrid",
            hybrid.blended,
            (
                steps.rerank,
                hybrid.gate,
                steps.put_together,
                hybrid.cut,
                steps.keep_standing,
                steps.take_limit,
            ),
            wants_vector=True,
        ),
        Recipe(
            "weighted",
            weighted.weighted_similarity,
            (steps.rerank, weighted.diversify, steps.put_together),
            wants_vector=True,
            without_vectors="lexical",
        ),
        Recipe(
            "lexical",
            lexical.boosted_words,
            (
                lexical.multiply_factors,
                steps.rerank,
                lexical.take_top,
                lexical.drop_bottom,
                lexical.two_per_session,
                lexical.take_answers,
            ),
            wants_vector=False,
        ),
        Recipe(
            "facts",
            walk_facts.along_facts,
            (steps.take_limit,),
            wants_vector=True,
            otherwise="hybrid",
        ),
        Recipe(
            "cascade",
            cascade.cascaded,
            (hybrid.gate, steps.rerank, cascade.take_results, steps.take_limit),
            wants_vector=True,
            without_vectors="words",
        ),
        Recipe(
            "words",
            hybrid.words_only,
            (hybrid.gate, hybrid.cut, steps.take_limit),
            wants_vector=False,
        ),
        Recipe(
            "vectors",
            hybrid.vectors_only,
            (steps.take_limit,),
            wants_vector=True,
            without_vectors="words",
        ),
    )
}
"""`words` and `vectors` are the two sources alone, for comparison."""


def recipe_named(recipe: str | Recipe) -> Recipe:
    """The recipe of that name; raises BadInput if there is none."""
    if isinstance(recipe, Recipe):
        return recipe
    if recipe not in RECIPES:
        raise BadInput(f"There is no recipe {recipe!r}.", hint=f"Recipes: {', '.join(RECIPES)}.")
    return RECIPES[recipe]


def with_recency(recipe: Recipe) -> Recipe:
    """`recipe` with a boost for what was used lately; those that weigh it anyway as they are."""
    if recipe.source is not hybrid.blended:
        return recipe
    return replace(recipe, source=partial(hybrid.blended, use_recency=True))


def without(recipe: Recipe, step: Step) -> Recipe:
    """`recipe` less one step, for an ablation."""
    left = tuple(each for each in recipe.steps if each is not step)
    return replace(recipe, name=f"{recipe.name} − {step.__name__}", steps=left)

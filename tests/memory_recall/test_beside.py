"""Neighbours of the best that gain by standing beside them: a step for the ablation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

import loremap
from loremap.app import Lore
from loremap.memory.recall import beside
from loremap.memory.recall.recipes import RECIPES, Recipe
from loremap.model.graph import EdgeKind
from loremap.model.memory import Relation
from loremap.model.outcome import Stored


@pytest.fixture
def lore(home: Path, tmp_path: Path) -> Iterator[Lore]:
    with loremap.open(tmp_path) as opened:
        yield opened


def lifted(kinds: frozenset[EdgeKind]) -> Recipe:
    hybrid = RECIPES["hybrid"]
    return replace(hybrid, steps=(partial(beside.lift_neighbours, kinds=kinds), *hybrid.steps))


def scores(lore: Lore, recipe: str | Recipe) -> dict[str, float]:
    answer = lore.recall("how are passwords hashed", recipe=recipe, gate=False)
    return {hit.memory.content: hit.score for hit in answer.hits}


HASHED, LUNCH, DUCKS, PRINTERS = TEXTS = (
    "Passwords are hashed with argon2id",
    "Lunch is at noon",
    "Ducks eat no bread",
    "Printers jam",
)


@pytest.mark.parametrize(
    ("kinds", "gains"), [(beside.TAGS, {LUNCH}), (beside.LINKS, {DUCKS}), (beside.CLUSTERS, set())]
)
def test_only_neighbours_over_the_edges_asked_for_gain(
    lore: Lore, kinds: frozenset[EdgeKind], gains: set[str]
) -> None:
    ids = {}
    for text in TEXTS:
        outcome = lore.remember(text, tags=["auth"] if text in (HASHED, LUNCH) else [])
        assert isinstance(outcome, Stored)
        ids[text] = outcome.memory.id
    lore.link(ids[HASHED], ids[DUCKS], Relation.RELATES_TO)
    plain, found = scores(lore, "hybrid"), scores(lore, lifted(kinds))
    assert {text for text in found if found[text] > plain[text] + 1e-9} - {HASHED} == gains
    assert max(found, key=lambda text: found[text]) == HASHED


def test_no_recipe_takes_it(lore: Lore) -> None:
    steps = [step for recipe in RECIPES.values() for step in recipe.steps]
    assert beside.lift_neighbours not in [getattr(step, "func", step) for step in steps]

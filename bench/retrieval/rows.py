"""The rows of the tables: recipes as they ship, less a part, and with what of the living memory is
not a part of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from loremap.app import Lore
from loremap.memory.recall import beside, hybrid, steps, walk_facts
from loremap.memory.recall.context import Context, Scored
from loremap.memory.recall.recipes import RECIPES, Recipe, without
from loremap.model.memory import Memory

HYBRID = RECIPES["hybrid"]
ABLATIONS: tuple[Recipe, ...] = (
    without(HYBRID, steps.put_together),
    without(HYBRID, steps.keep_standing),
    replace(HYBRID, name="hybrid − aliases", source=partial(hybrid.blended, use_aliases=False)),
    replace(HYBRID, name="hybrid − context", source=partial(hybrid.blended, use_context=False)),
    replace(HYBRID, name="hybrid − time", source=partial(hybrid.blended, use_time=False)),
    replace(HYBRID, name="hybrid − signals", source=partial(hybrid.blended, use_signals=False)),
    replace(HYBRID, name="hybrid − opening", source=partial(hybrid.blended, weigh_opening=False)),
    replace(HYBRID, name="hybrid, words × 2", source=partial(hybrid.blended, weight=2.0)),
)
GRAPH: tuple[Recipe, ...] = tuple(
    replace(
        HYBRID,
        name=f"hybrid + {name}",
        steps=(partial(beside.lift_neighbours, kinds=kinds), *HYBRID.steps),
    )
    for name, kinds in (
        ("tags", beside.TAGS),
        ("clusters", beside.CLUSTERS),
        ("links", beside.LINKS),
    )
)
"""What of the graph is added to the default: links are those of what the questions before needed
together."""


def lift_told(context: Context, found: list[Scored]) -> list[Scored]:
    """Step: memories that say the facts within reach of a question gain the share of the best score
    that the neighbours of the best gain, the surest fact's all of it."""
    told = walk_facts.along_facts(context)
    surest = max((each.score for each in told), default=0.0)
    best = max((each.score for each in found), default=0.0)
    if surest <= 0 or best <= 0:
        return found
    by_slot = {each.slot: replace(each) for each in found}
    for each in told:
        held = by_slot.setdefault(each.slot, Scored(each.slot, 0.0, why=each.why))
        held.score += beside.SPOKEN_FOR * best * each.score / surest
    return sorted(by_slot.values(), key=lambda each: -each.score)


FACTS: tuple[Recipe, ...] = (
    replace(HYBRID, name="hybrid + facts", steps=(lift_told, *HYBRID.steps)),
    RECIPES["facts"],
)
LIFE: tuple[Recipe, ...] = (
    replace(
        HYBRID, name="hybrid − confidence", source=partial(hybrid.blended, use_confidence=False)
    ),
    replace(HYBRID, name="hybrid + recency", source=partial(hybrid.blended, use_recency=True)),
    *FACTS,
)
UNTAUGHT = replace(HYBRID, name="hybrid (measured half)")
TAUGHT = replace(HYBRID, name="hybrid + feedback (measured half)")
FEEDBACK = (UNTAUGHT, TAUGHT)
"""Every other question teaches: the best right one of what it was given gets a helpful vote, the
best wrong one an unhelpful one. Measured is the other half, before and after."""
ROWS: tuple[Recipe, ...] = (
    RECIPES["words"],
    RECIPES["vectors"],
    HYBRID,
    *ABLATIONS,
    *GRAPH,
    *LIFE,
    RECIPES["weighted"],
    RECIPES["lexical"],
    RECIPES["cascade"],
    *FEEDBACK,
)


def teach(lore: Lore, text: str, is_right: Callable[[Memory], bool], *, session: str) -> None:
    """What a person says of what a question was given, in a session of its own."""
    asking = lore.as_session(session, None)
    given = [hit.memory for hit in asking.recall(text, count_use=False).hits]
    for helpful in (True, False):
        judged = next((one for one in given if is_right(one) is helpful), None)
        if judged is not None:
            asking.feedback(judged.id, helpful=helpful)

"""The `facts` recipe: from what a question names along facts, to the memories that say them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from loremap.memory.facts.graph import FactGraph, Reached
from loremap.memory.facts.narrative import narrative
from loremap.memory.recall.context import Context, Scored
from loremap.model.entity import Entity
from loremap.model.fact import Fact, weight
from loremap.model.words import words
from loremap.storage import entities as entity_rows
from loremap.storage import known_facts
from loremap.storage.entities import Shelf

UNASKED = 0.25
"""What a fact counts for of whose predicate the question says no word."""


def along_facts(context: Context) -> list[Scored]:
    """Source: the memories that say the facts within a few hops of what is asked about."""
    graph = graph_of(context)
    anchors = graph.anchors(context.query.text, context.vector)
    reached = graph.walked(anchors, hops=context.fact_limits.hops)
    told = told_of(context, graph)
    scored = [(score_of(one, context), one) for one in reached if one.fact.id in told]
    scored.sort(key=lambda pair: (-pair[0], -pair[1].fact.valid_from.timestamp(), pair[1].fact.id))
    context.narrative = partial(
        _narrative, context, [one.fact for _, one in scored], graph.entities, told
    )
    hits: dict[int, Scored] = {}
    for score, one in scored:
        why = path_said(one, graph)
        for slot in told[one.fact.id]:
            hits.setdefault(slot, Scored(slot, score, {"facts": score}, why=why))
    return list(hits.values())


def _narrative(
    context: Context,
    facts: Sequence[Fact],
    entities: Mapping[str, Entity],
    told: Mapping[str, Sequence[int]],
) -> str:
    """The facts in lines; without those that only memories say which are withheld."""
    left = [
        one for one in facts if not told[one.id] or not context.withheld.issuperset(told[one.id])
    ]
    return narrative(left, entities, tokens=context.fact_limits.tokens)


def score_of(reached: Reached, context: Context) -> float:
    """How well a fact answers: what it is worth, how well its anchor fits, and how much of the way
    to it the question says."""
    asked = set(context.terms)
    way = [asked_share(fact.predicate, asked) for fact in reached.path]
    share = UNASKED + (1 - UNASKED) * sum(way) / len(way)
    return weight(reached.fact, context.query.now) * (1 + reached.anchor.score) * share


def asked_share(predicate: str, asked: set[str]) -> float:
    """The share of a predicate's words that the question says."""
    said = set(words(predicate.replace("_", " ")))
    return len(said & asked) / len(said) if said else 0.0


def path_said(reached: Reached, graph: FactGraph) -> str:
    """The way to a fact, for the trace."""
    name = graph.entities[reached.anchor.entity_id].name
    return " → ".join((name, *(fact.predicate for fact in reached.path)))


def graph_of(context: Context) -> FactGraph:
    """All that holds where a question is asked, read once while the store stays as it is."""
    query, model = context.query, context.warm.model
    shelf = Shelf(query.owner_id, query.project_id)

    def read() -> FactGraph:
        conn = context.conn
        facts = known_facts.told(conn, shelf)
        ids = [id_ for fact in facts for id_ in (fact.subject_id, fact.object_id) if id_]
        vector_ids, vectors = entity_rows.vectors_of(conn, shelf, model)
        return FactGraph(
            facts=facts,
            entities=entity_rows.by_ids(conn, [*ids, *vector_ids]),
            sources=known_facts.sources_of(conn, [fact.id for fact in facts]),
            vector_ids=vector_ids,
            vectors=vectors,
        )

    return context.warm.derived(("facts", shelf, model), read)


def told_of(context: Context, graph: FactGraph) -> Mapping[str, Sequence[int]]:
    """The facts that may be told here, each with the slots of the memories that say it and may
    answer; what a person stated needs none."""
    slot_of = context.warm.derived(
        "slot of id", lambda: {id_: slot for slot, id_ in enumerate(context.warm.ids)}
    )
    found: dict[str, Sequence[int]] = {}
    for fact in graph.facts:
        said_by = graph.sources.get(fact.id, ())
        slots = [slot_of[id_] for id_ in said_by if id_ in slot_of]
        visible = [slot for slot in slots if context.mask[slot]]
        if visible or (not said_by and context.viewpoint is not None):
            found[fact.id] = visible
    return found

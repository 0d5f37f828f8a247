"""Facts in lines, grouped by what they are about, as many as fit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from loremap.model.entity import USER_KEY, Entity
from loremap.model.fact import Fact, disagree
from loremap.model.hostile import UNSAID, name_speaks, speaks_to_a_model
from loremap.model.memory import Status
from loremap.model.predicate import DEFINITE, is_many
from loremap.model.text import one_line
from loremap.model.tokens import tokens as estimated

UNSURE, EARLIER = " (unverified)", " (earlier)"


def narrative(facts: Sequence[Fact], entities: Mapping[str, Entity], *, tokens: int) -> str:
    """The facts as lines under a heading for each subject, best first, in so many tokens."""
    groups: dict[str, list[str]] = {}
    left = tokens
    for fact in facts:
        title = heading(entities[fact.subject_id])
        line = said(fact, entities, others=facts)
        cost = estimated(line) + (0 if title in groups else estimated(title))
        if cost > left:
            break
        left -= cost
        lines = groups.setdefault(title, [])
        if line not in lines:
            lines.append(line)
    return "\n\n".join("\n".join((title, *lines)) for title, lines in groups.items())


def heading(entity: Entity) -> str:
    """What stands above the facts of an entity."""
    if entity.key == USER_KEY:
        return "### USER CONTEXT"
    return f"### CONTEXT: {_told(entity.name)}"


def said(fact: Fact, entities: Mapping[str, Entity], *, others: Iterable[Fact] = ()) -> str:
    """A fact in one line: what nobody confirmed says so, and so does what a newer one denies."""
    many = is_many(fact.predicate)
    older = any(
        disagree(other, fact, many=many) and other.valid_from > fact.valid_from for other in others
    )
    marks = (UNSURE if fact.status is Status.CANDIDATE else "") + (EARLIER if older else "")
    return f"- {fact.predicate.removeprefix(DEFINITE)}: {_told(object_name(fact, entities))}{marks}"


def _told(name: str) -> str:
    """A name or value as a model may read it: memories are written by anyone."""
    said = one_line(name)
    return UNSAID if name_speaks(said) or speaks_to_a_model(said) else said


def object_name(fact: Fact, entities: Mapping[str, Entity]) -> str:
    """What a fact says of its subject, in words."""
    if fact.object_id is None:
        return fact.object_value or ""
    return entities[fact.object_id].name if fact.object_id in entities else ""

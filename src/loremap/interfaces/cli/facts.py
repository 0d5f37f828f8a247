"""`facts`, `fact`, `entities`: what is known of things."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from loremap.interfaces.cli.shell import chosen, command, counted, group, place, say
from loremap.model.clock import short_id

if TYPE_CHECKING:
    from loremap.memory.known_facts import InWords

_ALL = click.option("--all", "everything", is_flag=True, help="Also what no longer holds.")


@click.command()
@click.argument("entity", nargs=-1)
@_ALL
@command
def facts(entity: tuple[str, ...], everything: bool, as_json: bool) -> Any:
    """List facts, of ENTITY or of everything known here."""
    with place().lore() as lore:
        found = lore.facts.list(" ".join(entity) or None, everything=everything)
    if as_json:
        return {"facts": [as_data(one) for one in found]}
    if not found:
        say("Nothing is known yet. `lore fact learn` reads what is remembered.")
    _print_lines(found)
    return None


fact = group("fact", "State, show and withdraw a fact.", default="show")


@fact.command()
@click.argument("subject")
@click.argument("predicate")
@click.argument("object_", metavar="OBJECT")
@command
def add(subject: str, predicate: str, object_: str, as_json: bool) -> Any:
    """State a fact: SUBJECT PREDICATE OBJECT, such as billing owned_by "the platform team"."""
    with place().lore() as lore:
        one = lore.facts.add(subject, predicate, object_)
    return _done(one, "Stated", as_json=as_json)


@fact.command()
@click.argument("id_", metavar="ID")
@command
def show(id_: str, as_json: bool) -> Any:
    """Show a fact and the memories it was read from."""
    from loremap.interfaces.cli.present import as_data as memory_data

    with place().lore() as lore:
        id_ = chosen(id_, lambda given: lore.facts.show(given)[0].fact, as_json=as_json)
        one, said_by = lore.facts.show(id_)
    if as_json:
        return as_data(one) | {"said_by": [memory_data(memory) for memory in said_by]}
    _print_lines([one])
    known = one.fact
    say(("  source      ", "dim"), known.source.value)
    say(("  confidence  ", "dim"), f"{known.confidence:.2f}, relevance now {one.relevance:.2f}")
    say(("  used        ", "dim"), counted(known.access_count, "time"))
    for memory in said_by:
        say(("  said by     ", "dim"), (f"{short_id(memory.id)}  ", "dim"), memory.summary)
    return None


@fact.command()
@click.argument("id_", metavar="ID")
@command
def history(id_: str, as_json: bool) -> Any:
    """Show all that was ever said of what a fact says, newest first."""
    with place().lore() as lore:
        found = lore.facts.history(id_)
    if as_json:
        return {"facts": [as_data(one) for one in found]}
    _print_lines(found)
    return None


@fact.command()
@click.argument("id_", metavar="ID")
@command
def retract(id_: str, as_json: bool) -> Any:
    """Say that a fact is wrong. `lore undo` takes that back."""
    with place().lore() as lore:
        one, again = lore.facts.retract(id_)
    if as_json:
        return as_data(one) | {"holds_again": [as_data(each) for each in again]}
    _done(one, "Withdrawn", as_json=False)
    for each in again:
        _done(each, "Holds again", as_json=False)
    return None


@fact.command()
@command
def learn(as_json: bool) -> Any:
    """Read what is remembered for facts, now."""
    with place().lore() as lore:
        steps = lore.facts.learn()
        found = len(lore.facts.list())
    if as_json:
        return {"steps": steps, "facts": found}
    say(f"{counted(found, 'fact')} {'is' if found == 1 else 'are'} known here.")
    return None


@click.command()
@click.option("--limit", type=click.IntRange(1, 10_000), default=50, show_default=True)
@command
def entities(limit: int, as_json: bool) -> Any:
    """List what memories speak of, the most mentioned first."""
    with place().lore() as lore:
        found = lore.facts.entities(limit=limit)
    if as_json:
        return {
            "entities": [
                {
                    "id": one.id,
                    "name": one.name,
                    "kind": one.kind.value,
                    "aliases": list(one.aliases),
                    "mentions": one.mention_count,
                    "last_mentioned": one.last_mentioned,
                }
                for one in found
            ]
        }
    if not found:
        say("Nothing is known by name yet. `lore fact learn` reads what is remembered.")
    for one in found:
        also = f"  ({', '.join(one.aliases)})" if one.aliases else ""
        say((f"{one.kind.value:<10}  ", "dim"), (one.name, "bold"), also,
            (f"  {counted(one.mention_count, 'mention')}", "dim"))  # fmt: skip
    return None


def as_data(one: InWords) -> dict[str, Any]:
    """A fact as JSON has it."""
    known = one.fact
    return {
        "id": known.id,
        "subject": one.subject,
        "predicate": known.predicate,
        "object": one.object,
        "status": known.status.value,
        "source": known.source.value,
        "confidence": known.confidence,
        "relevance": round(one.relevance, 4),
        "uses": known.access_count,
        "valid_from": known.valid_from,
        "valid_until": known.valid_until,
        "superseded_by": known.superseded_by,
        "reason": known.retracted_reason,
    }


def _done(one: InWords, said: str, *, as_json: bool) -> Any:
    if as_json:
        return as_data(one)
    say(f"{said}  ", (f"{short_id(one.fact.id)}  ", "dim"), _sentence(one))
    return None


def _sentence(one: InWords) -> str:
    return f"{one.subject} {one.fact.predicate} {one.object}"


def _print_lines(found: Sequence[InWords]) -> None:
    for one in found:
        status = one.fact.status.value
        say((f"{short_id(one.fact.id)}  ", "dim"), (f"{status:<10}  ", "dim"), _sentence(one))


COMMANDS = (facts, fact, entities)

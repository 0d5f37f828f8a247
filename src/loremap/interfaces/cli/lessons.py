"""`wrong`, `tombstones`, `gaps`: what use has taught of what is remembered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from loremap.interfaces.cli.shell import chosen, command, group, place, say
from loremap.model.clock import short_id

if TYPE_CHECKING:
    from loremap.memory.lessons import Flagged
    from loremap.model.gap import Gap
    from loremap.model.memory import Memory
    from loremap.storage.tombstones import Tombstone

SHORT = 8


@click.command()
@click.argument("id_", metavar="ID_OR_KEYWORD")
@click.argument("reason", nargs=-1)
@click.option("--restore", is_flag=True, help="Let what it had replaced speak again.")
@click.option("--if-version", type=int, metavar="N", help="Refuse if changed since version N.")
@command
def wrong(
    id_: str, reason: tuple[str, ...], restore: bool, if_version: int | None, as_json: bool
) -> Any:
    """Say that a memory is wrong: it is withdrawn, and no agent or file teaches it again."""
    with place().lore() as lore:
        found = lore.lessons.wrong(
            chosen(id_, lambda ref: lore.find(ref, by_keyword=True), as_json=as_json),
            " ".join(reason),
            restore=restore,
            expected_version=if_version,
        )
    if as_json:
        return _data(found)
    short = short_id(found.memory.id)
    said = "Withdrawn as wrong" if found.withdrawn else "Voted wrong"
    say(f"{said}  ", (short, "dim"), f"  {found.memory.summary}")
    if not found.withdrawn:
        return None
    _listed("It had replaced", found.replaced, "speaks again" if found.restored else "")
    _listed("Derived from it, look whether it holds", found.derived, "")
    if found.replaced and not found.restored:
        say(("`lore restore ID` lets what it had replaced speak again.", "dim"))
    say((f"If that was a mistake: lore restore {short}", "dim"))
    return None


def _listed(title: str, found: Sequence[Memory], note: str) -> None:
    for one in found:
        marks = f"  ({note})" if note else ""
        say(f"{title}:  ", (short_id(one.id), "dim"), f"  {one.summary}{marks}")


def _data(found: Flagged) -> dict[str, Any]:
    from loremap.interfaces.cli.present import as_data

    return {
        **as_data(found.memory),
        "withdrawn": found.withdrawn,
        "replaced": [as_data(one) for one in found.replaced],
        "derived": [as_data(one) for one in found.derived],
        "restored": found.restored,
    }


tombstones = group("tombstones", "What is not learned again.", default="list")


@tombstones.command("list")
@command
def tombstones_list(as_json: bool) -> Any:
    """List what is not learned again: when and why, never the words."""
    from loremap.interfaces.cli.present import moment

    with place().lore() as lore:
        found = lore.lessons.tombstones()
    if as_json:
        return {"tombstones": [_grave(one) for one in found]}
    for one in found:
        known = f", a {one.known.kind} and its like in other words" if one.known else ""
        say((one.id[:SHORT], "dim"), f"  {moment(one.at)}  {one.why.value}{known}")
    say("`lore tombstones lift ID` lets it be learned again." if found else "There are none.")
    return None


@tombstones.command("lift")
@click.argument("id_", metavar="ID")
@command
def tombstones_lift(id_: str, as_json: bool) -> Any:
    """Let what lies under a tombstone be learned again."""
    with place().lore() as lore:
        lifted = lore.lessons.lift(id_)
    if as_json:
        return _grave(lifted)
    say(f"Lifted  {lifted.id[:SHORT]}: it may be learned again.")
    return None


def _grave(one: Tombstone) -> dict[str, Any]:
    return {
        "id": one.id[:SHORT],
        "at": one.at.isoformat(),
        "why": one.why.value,
        "kind": None if one.known is None else one.known.kind,
        "memory": None if one.known is None else one.known.memory_id,
        "everywhere": not one.project_id,
        "in_other_words": one.known is not None,
    }


gaps = group("gaps", "What was asked and nothing here answered.", default="list")


@gaps.command("list")
@command
def gaps_list(as_json: bool) -> Any:
    """List what was asked in vain, the most asked first."""
    from loremap.interfaces.cli.present import moment

    with place().lore() as lore:
        found = lore.lessons.gaps()
    if as_json:
        return {"gaps": [_gap(one) for one in found]}
    for one in found:
        times = "once" if one.times == 1 else f"{one.times} times"
        said = " ".join(one.asked.split())
        say((short_id(one.id), "dim"), f"  {moment(one.last_at)}  {times}  {said}")
    if not found:
        say("Nothing was asked in vain.")
    return None


@gaps.command("close")
@click.argument("id_", metavar="ID")
@command
def gaps_close(id_: str, as_json: bool) -> Any:
    """Say that a gap is seen to, or is none; it is not noted again."""
    with place().lore() as lore:
        gap = lore.lessons.close_gap(id_)
    if as_json:
        return _gap(gap)
    say("Closed  ", (short_id(gap.id), "dim"), f"  {' '.join(gap.asked.split())}")
    return None


def _gap(one: Gap) -> dict[str, Any]:
    return {
        "id": one.id,
        "asked": one.asked,
        "times": one.times,
        "at": one.at.isoformat(),
        "last_at": one.last_at.isoformat(),
    }


COMMANDS = (wrong, tombstones, gaps)

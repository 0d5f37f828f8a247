"""`guard`: ready warnings for commands that are hard to take back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from loremap.interfaces.cli.shell import command, group, place, say
from loremap.model.clock import short_id
from loremap.model.guard_pack import PACKS, Pack

if TYPE_CHECKING:
    from loremap.model.memory import Memory

NAMES = ", ".join(pack.name for pack in PACKS)

guard = group(
    "guard",
    "Hold dangerous commands once, until the agent has read why: list, on, off.\n\n"
    f"Packs: {NAMES}; or all. Each is an ordinary warning that `lore list` shows.",
    default="list",
)


@guard.command("list")
@command
def guard_list(as_json: bool) -> Any:
    """List the packs and whether they are on."""
    from loremap.app import guard_packs

    with place().lore() as lore:
        known = guard_packs.switched_on(lore)
    if as_json:
        return {"packs": [_data(pack, known.get(pack.name)) for pack in PACKS]}
    width = max(len(pack.name) for pack in PACKS)
    for pack in PACKS:
        state = "on " if pack.name in known else "off"
        say((f"{pack.name:<{width}}  ", "bold"), f"{state}  ", (", ".join(pack.commands), "dim"))
    return None


@guard.command("on")
@click.argument("packs", nargs=-1, required=True, metavar="PACK...")
@click.option("--project", is_flag=True, help="Only in the project of this folder.")
@command
def guard_on(packs: tuple[str, ...], project: bool, as_json: bool) -> Any:
    """Switch packs on."""
    from loremap.app import guard_packs

    wanted = guard_packs.chosen(packs)
    with place().lore() as lore:
        made = guard_packs.switch_on(lore, wanted, here_only=project)
    return _done(made, "Guarded", "These were on already.", as_json=as_json)


@guard.command("off")
@click.argument("packs", nargs=-1, required=True, metavar="PACK...")
@command
def guard_off(packs: tuple[str, ...], as_json: bool) -> Any:
    """Switch packs off; `lore undo` switches the last one on again."""
    from loremap.app import guard_packs

    wanted = guard_packs.chosen(packs)
    with place().lore() as lore:
        gone = guard_packs.switch_off(lore, wanted)
    return _done(gone, "No longer guarded", "These were off already.", as_json=as_json)


def asked() -> list[Pack]:
    """The packs that a person wants, by one key and then a question each."""
    click.echo("Some commands are hard to take back. An agent can be held once at each of these,")
    click.echo("until it has read a warning:")
    click.echo(f"  {NAMES}")
    click.echo("Guard them: [a]ll, [c]hoose, [n]one? ", nl=False)
    while True:
        key = click.getchar().lower()
        if key in ("\x03", "\x04", "\x1b", "q"):
            raise click.Abort
        for word in ("all", "choose", "none"):
            if key == word[0]:
                click.echo(word)
                return _picked(word)


def _picked(word: str) -> list[Pack]:
    if word == "choose":
        return [pack for pack in PACKS if click.confirm(f"Guard {pack.name}?", default=True)]
    return list(PACKS) if word == "all" else []


def _data(pack: Pack, memory: Memory | None) -> dict[str, Any]:
    return {
        "name": pack.name,
        "on": memory is not None,
        "id": None if memory is None else memory.id,
        "commands": list(pack.commands),
    }


def _done(changed: Sequence[Memory], said: str, nothing: str, *, as_json: bool) -> Any:

    if as_json:
        return {"changed": [memory.id for memory in changed]}
    for memory in changed:
        say(f"{said}  ", (short_id(memory.id), "dim"), f"  {memory.summary}")
    if not changed:
        say(nothing)
    return None


COMMANDS = (guard,)

"""`preview`: what an agent would be told, byte for byte."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from loremap.clients.registry import CLIENTS, NAMES
from loremap.interfaces.cli.shell import command, place

if TYPE_CHECKING:
    from loremap.app.previewing import Preview

SHOWN = 60
"""Letters of a piece that are shown beside its reason."""


@click.command()
@click.argument("client", type=click.Choice(sorted(NAMES)))
@click.argument("prompt", nargs=-1)
@command
def preview(client: str, prompt: tuple[str, ...], as_json: bool) -> Any:
    """What CLIENT would be given at the start of a session here, or at PROMPT as its first.

    The text goes to standard output as it would be injected; its tokens and the reason for each
    part go to standard error. Nothing is recorded.
    """
    from loremap.app.previewing import preview as previewed
    from loremap.config.folders import folders

    found = previewed(folders(), place().folder, CLIENTS[client], " ".join(prompt))
    if as_json:
        return _data(client, found)
    click.echo(found.text, nl=False)
    _say_why(client, found, prompted=bool(prompt))
    return None


def _say_why(client: str, found: Preview, *, prompted: bool) -> None:
    from loremap.model.text import cut, one_line
    from loremap.model.tokens import tokens

    title, when = CLIENTS[client].title, "at this prompt" if prompted else "at the start"
    if found.is_off:
        click.echo("Memory is switched off here: nothing is injected  → lore on", err=True)
    elif not found.text:
        later = "" if prompted or found.moment in CLIENTS[client].takes else "; give a prompt"
        click.echo(f"{title} is given nothing {when}{later}.", err=True)
    else:
        click.echo(f"\n\n{title} is given {found.tokens} tokens {when}:", err=True)
    for piece in found.pieces:
        shown = cut(one_line(piece.text), SHOWN)
        click.echo(f"{tokens(piece.text):>5}  {piece.why:<40}  {shown}", err=True)


def _data(client: str, found: Preview) -> dict[str, Any]:
    from loremap.model.tokens import tokens

    return {
        "client": client,
        "moment": found.moment.value,
        "text": found.text,
        "tokens": found.tokens,
        "off": found.is_off,
        "parts": [
            {
                "text": piece.text,
                "tokens": tokens(piece.text),
                "why": piece.why,
                "memory_id": piece.memory_id,
                "score": piece.score,
            }
            for piece in found.pieces
        ],
    }


COMMANDS = (preview,)

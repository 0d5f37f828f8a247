"""`note`: what programs beside coding agents found, and what reviewers said."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from loremap.errors import BadInput
from loremap.interfaces.cli.shell import command, place, say, warn
from loremap.model.clock import short_id
from loremap.model.outcome import Outcome, Refused
from loremap.model.runner import RUNNERS

READ_LIMIT_BYTES = 8 << 20


@click.command()
@click.argument("text", nargs=-1)
@click.option("--runner", required=True, type=click.Choice([*RUNNERS]), help="Who notes it.")
@click.option("-k", "--kind", help="What it is; each runner has its own kinds.")
@click.option("-f", "--file", "files", multiple=True, type=click.Path(), help="A file it is about.")
@click.option("-t", "--tag", "tags", multiple=True, help="A label; may be given again.")
@click.option(
    "--review",
    type=click.Path(),
    metavar="FILE",
    help="Note what reviewers said, of a file with the JSON that gh prints (- is standard input).",
)
@command
def note(
    text: tuple[str, ...],
    runner: str,
    kind: str | None,
    files: tuple[str, ...],
    tags: tuple[str, ...],
    review: str | None,
    as_json: bool,
) -> Any:
    """Note what a runner found: a candidate in its name."""
    if (review is None) == (not text):
        raise BadInput("Give a text, or --review FILE.")
    if review is not None and runner != "pr_review":
        raise BadInput("A review is noted by --runner pr_review.")
    with place().lore() as lore:
        if review is not None:
            outcomes: Sequence[Outcome] = lore.note_review(_read(review))
        else:
            said = " ".join(text)
            outcomes = [lore.note(runner, said, kind=kind, files=files, tags=tags)]
    if review is None and isinstance(outcomes[0], Refused):
        raise BadInput(outcomes[0].reason)
    if as_json:
        return {"noted": [_data(one) for one in outcomes]}
    for one in outcomes:
        if isinstance(one, Refused):
            warn(f"Not noted: {one.reason}")
        else:
            kind_said = one.memory.kind.value
            say(
                f"Noted ({kind_said})  ",
                (short_id(one.memory.id), "dim"),
                f"  {one.memory.summary}",
            )
    if not outcomes:
        say("Nobody said anything there that could be noted.")
    return None


def _read(file: str) -> str:
    try:
        raw = sys.stdin.buffer.read(READ_LIMIT_BYTES) if file == "-" else _of(Path(file))
        return raw.decode("utf-8")
    except (OSError, UnicodeDecodeError) as fault:
        raise BadInput(f"{file} cannot be read; nothing was noted.") from fault


def _of(path: Path) -> bytes:
    with path.open("rb") as opened:
        return opened.read(READ_LIMIT_BYTES)


def _data(outcome: Outcome) -> dict[str, Any]:
    from loremap.interfaces.cli.present import as_data

    if isinstance(outcome, Refused):
        return {"refused": outcome.reason}
    return as_data(outcome.memory)


COMMANDS = (note,)

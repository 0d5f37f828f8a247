"""`remember`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from loremap.errors import BadInput
from loremap.interfaces.cli.shell import ask_there, command, interactive, place, say, warn
from loremap.model.clock import short_id
from loremap.model.kind import OFFERED, Kind
from loremap.model.memory import Memory, Procedure, Relation, Scope
from loremap.model.outcome import (
    Merged,
    Outcome,
    Refused,
    Stored,
    Superseded,
    open_neighbours,
)
from loremap.model.trigger import parsed_trigger

if TYPE_CHECKING:
    from loremap.app import Lore

READ_LIMIT_BYTES = 1 << 20
SHORT = 8
"""Letters of an id that are shown."""
NEIGHBOUR_KEYS = "r replace it · k keep both (Enter) · s same thing"
FILE = click.Path()
"""A file that need not be there; the type makes the shell complete its name."""


class KindName(click.ParamType[str]):
    """The name of a kind; the façade says what is wrong with another."""

    name = "kind"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """The kinds that start so; of all of them those that people need."""
        kinds = Kind if incomplete else OFFERED
        return [CompletionItem(kind.value) for kind in kinds if kind.value.startswith(incomplete)]


@click.command()
@click.argument("text", nargs=-1)
@click.option(
    "-k",
    "--kind",
    type=KindName(),
    default=None,
    help=f"What it is [fact]: {', '.join(OFFERED)} … (lore kinds).",
)
@click.option(
    "-s", "--scope", type=click.Choice([scope.value for scope in Scope]), default="project"
)
@click.option("-g", "--global", "everywhere", is_flag=True, help="Holds in every project.")
@click.option("-t", "--tag", "tags", multiple=True, help="A label; may be given again.")
@click.option(
    "-f", "--file", "files", multiple=True, type=FILE, help="A file of the project it is about."
)
@click.option(
    "--symbol",
    "symbols",
    multiple=True,
    metavar="NAME",
    help="Code it is about: Class.method, or path::name where several are called so.",
)
@click.option("--from", "source", type=FILE, help="Take the text from this file of the project.")
@click.option(
    "--trigger",
    "triggers",
    multiple=True,
    help="Speak up at this text; glob:… and regex:… are patterns. May be given again.",
)
@click.option(
    "--on",
    type=click.Choice(["any", "command", "file", "text"]),
    default="any",
    help="What the triggers look at.",
)
@click.option("--replaces", metavar="ID", help="The memory whose place it takes.")
@click.option("--seasonal", metavar="LABEL", help="Tell it in season only, such as release-week.")
@click.option("--pin", is_flag=True, help="Give it to every session from its start.")
@click.option("--importance", type=float, help="Is it worth keeping? 0 to 1.")
@click.option("--confidence", type=float, help="Is it true? 0 to 1.")
@click.option("--reason", default="", help="Why it is this certain.")
@click.option("--snippet", default="", help="What was being discussed.")
@click.option("--origin", help="How it came to be known [user_stated; observed for an agent].")
@click.option("--name", "procedure_name", help="Procedure: what it does.")
@click.option("--when", default="", help="Procedure: what calls for it.")
@click.option("--step", "steps", multiple=True, help="Procedure: one step; again for the next.")
@click.option("--needs", multiple=True, help="Procedure: what must be there first.")
@click.option("--beware", multiple=True, help="Procedure: what goes wrong.")
@command
def remember(
    text: tuple[str, ...],
    kind: str | None,
    scope: str,
    everywhere: bool,
    tags: tuple[str, ...],
    files: tuple[str, ...],
    symbols: tuple[str, ...],
    source: str | None,
    triggers: tuple[str, ...],
    on: str,
    replaces: str | None,
    seasonal: str | None,
    pin: bool,
    importance: float | None,
    confidence: float | None,
    reason: str,
    snippet: str,
    origin: str | None,
    procedure_name: str | None,
    when: str,
    steps: tuple[str, ...],
    needs: tuple[str, ...],
    beware: tuple[str, ...],
    as_json: bool,
) -> Any:
    """Remember TEXT (`-` reads it from standard input)."""
    said = " ".join(text)
    procedure = None
    if not (procedure_name or steps) and (when or needs or beware):
        raise BadInput("A procedure needs steps.", hint="Give --step, once for each.")
    if source is not None and said:
        raise BadInput("There are two texts: one given and one --from a file.", hint="Give one.")
    if procedure_name or steps:
        title = procedure_name or said or "do it"
        procedure = Procedure(title, when, steps, needs, beware)
        said = said or procedure.said
        kind = kind or Kind.PROCEDURE.value
    with place().lore() as lore:
        if said == "-":
            said = _piped()
        elif source is not None:
            said = _text_of(lore, source)
        outcome = lore.remember(
            said,
            kind=kind or Kind.FACT,
            scope="global" if everywhere else scope,
            tags=tags,
            files=files,
            symbols=symbols,
            triggers=[parsed_trigger(trigger, on) for trigger in triggers],
            procedure=procedure,
            pin=pin,
            importance=importance,
            confidence=confidence,
            origin=_origin(origin),
            source_file=source,
            snippet=snippet,
            reason=reason,
            replaces=replaces,
            seasonal=seasonal,
        )
        return told(lore, outcome, as_json=as_json)


def told(lore: Lore, outcome: Outcome, *, as_json: bool) -> Any:
    """Say what became of it."""
    if isinstance(outcome, Refused):
        raise BadInput(outcome.reason)
    if as_json:
        return _data(outcome)
    _print_outcome(outcome)
    for note in (*outcome.warnings, *lore.notes):
        warn(note)
    near_ones = open_neighbours(outcome)
    if near_ones and interactive() and lore.agent is None:
        ask_there("near", outcome.memory.id, *(old.id for old in near_ones))
        _ask(lore, outcome.memory.id, near_ones)
    elif near_ones:
        _print_neighbours(near_ones)
    return None


def _data(outcome: Stored | Merged | Superseded) -> dict[str, Any]:
    from loremap.interfaces.cli.present import as_data

    data = as_data(outcome.memory) | {
        "outcome": type(outcome).__name__.lower(),
        "warnings": list(outcome.warnings),
        "neighbours": [
            as_data(each.memory) | {"similarity": round(each.similarity, 3)}
            for each in outcome.neighbours
        ],
    }
    if isinstance(outcome, Superseded):
        data["replaced"] = [as_data(memory) for memory in outcome.replaced]
    if isinstance(outcome, Stored):
        data["conflicts"] = [conflict.id for conflict in outcome.conflicts]
    return data


def _print_outcome(outcome: Stored | Merged | Superseded) -> None:
    memory = outcome.memory
    said = {
        Stored: f"Remembered ({memory.status.value})",
        Merged: "Known already; it counts for more now",
        Superseded: "Remembered in place of what was known",
    }[type(outcome)]
    if isinstance(outcome, Merged) and not outcome.counted:
        said = "Known already"
    say(f"{said}  ", (short_id(memory.id), "dim"), f"  {memory.summary}")
    if isinstance(outcome, Stored):
        for conflict in outcome.conflicts:
            say(
                ("[⚠ CONFLICT]", "bold red"),
                f" with {short_id(conflict.memory_b)} ({conflict.reason}): "
                f"lore resolve {short_id(conflict.id)} first|second|both|neither",
            )


def _print_neighbours(near: Sequence[Memory]) -> None:
    """Tell what stands near, and how to say that it is replaced."""
    say("Near to it; both are kept:")
    for memory in near:
        _print_neighbour(memory)
    nearest = short_id(near[0].id)
    say((f'If it replaces one: lore remember --replaces {nearest} "…" with the same words', "dim"))


def _print_neighbour(memory: Memory) -> None:
    said = " ".join(memory.content.split())
    say("  ", (short_id(memory.id), "dim"), f"  {memory.created_at:%Y-%m-%d}  {said}")


@click.command(hidden=True)
@click.argument("new")
@click.argument("old", nargs=-1, required=True)
@command
def near(new: str, old: tuple[str, ...], as_json: bool) -> None:
    """Ask what memories that stand near are to a new one."""
    with place().lore() as lore:
        _ask(lore, new, [lore.find(id_) for id_ in old])


def _ask(lore: Lore, new: str, near: Sequence[Memory]) -> None:
    """Ask a person about each neighbour whether the new memory replaces it or is the same."""
    from loremap.interfaces.cli.review import asked

    for old in near:
        say(("Near to it:", "bold"))
        _print_neighbour(old)
        key = asked(NEIGHBOUR_KEYS, "rks", enter="k")
        if key == "s":
            lore.merge(new, old.id)
            say(("→ one memory; it counts for more now", "green"))
            return
        if key == "r":
            lore.link(new, old.id, Relation.SUPERSEDES)
        say((f"→ {'replaced' if key == 'r' else 'both kept'}", "green"))


def _origin(given: str | None) -> Any:
    from loremap.model.memory import Origin

    if given is None:
        return None
    try:
        return Origin(given)
    except ValueError:
        raise BadInput(
            f"There is no origin {given!r}.", hint=f"Origins: {', '.join(Origin)}."
        ) from None


def _piped() -> str:
    ask_there()
    return sys.stdin.buffer.read(READ_LIMIT_BYTES).decode("utf-8", "surrogateescape")


def _text_of(lore: Lore, source: str) -> str:
    """The text of a file of the project; refused before it is read where it may hold secrets."""
    path = lore.readable_source(source)
    try:
        with path.open("rb") as file:
            return file.read(READ_LIMIT_BYTES).decode("utf-8", "surrogateescape")
    except OSError as fault:
        raise BadInput(f"{source} cannot be read: {fault.strerror}.") from fault


COMMANDS = (remember, near)

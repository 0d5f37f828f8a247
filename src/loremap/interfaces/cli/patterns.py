"""`patterns`: what happens again and again in the sessions of a project."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from loremap.interfaces.cli.shell import command, console, place, say
from loremap.model.clock import short_id
from loremap.model.pattern import PatternType, speaks

if TYPE_CHECKING:
    from loremap.model.pattern import Pattern

TYPES = tuple(one.value for one in PatternType)


@click.command()
@click.option("--type", "type_", type=click.Choice(TYPES), help="Only of this type.")
@click.option("--file", metavar="FILE", help="Only with this file.")
@click.option("-n", "--limit", type=click.IntRange(1, 1_000), default=20, help="At most [20].")
@click.option("--forget", metavar="ID", help="Erase this one; it is not learned again.")
@command
def patterns(
    type_: str | None, file: str | None, limit: int, forget: str | None, as_json: bool
) -> Any:
    """What happens again and again here: files that change together, errors with their fixes."""
    with place().lore() as lore:
        if forget is not None:
            gone = lore.patterns.forget(forget)
            if as_json:
                return {"forgotten": gone.id}
            say("Forgotten  ", (short_id(gone.id), "dim"), f"  {told(gone)}")
            return None
        chosen = None if type_ is None else PatternType(type_)
        found = lore.patterns.list(type_=chosen, file=file, limit=limit)
    if as_json:
        return {"patterns": [pattern_data(one) for one in found]}
    if not found:
        say("No session has shown anything of that.")
        return None
    _print(found)
    return None


def _print(found: Any) -> None:
    from rich.text import Text

    from loremap.interfaces.cli.present import in_columns

    rows = [
        (
            Text(short_id(one.id), "dim"),
            Text(one.type.value, "cyan"),
            Text(told(one)),
            Text(f"{one.observed}×"),
            Text(str(one.sessions)),
            Text(f"{one.confidence:.2f}", "bold" if speaks(one) else ""),
            Text(f"{one.last_seen:%Y-%m-%d}", "dim"),
        )
        for one in found
    ]
    names = ("id", "type", "what", "seen", "sessions", "sure", "last")
    table = in_columns(names, rows, broken=("what",), console=console())
    console().print(table, soft_wrap=True)


def told(one: Pattern) -> str:
    """A pattern in a few words."""
    data = one.data
    match one.type:
        case PatternType.CO_EDIT:
            return " + ".join(data["files"])
        case PatternType.ERROR_FIX:
            return f"{data['error']} → {data['fix']}"
        case PatternType.REFACTOR:
            return f"renamed in {data['renamed_in']} → {data['updated']}"
        case PatternType.REPEATED_SEARCH:
            found = data.get("found")
            return f"{data['query']} → {found}" if found else data["query"]
    return str(data["file"])


def pattern_data(one: Pattern) -> dict[str, Any]:
    """A pattern for `--json`."""
    return {
        "id": one.id,
        "type": one.type.value,
        "data": dict(one.data),
        "confidence": round(one.confidence, 4),
        "observed_count": one.observed,
        "against_count": one.against,
        "sessions": one.sessions,
        "agents": list(one.clients),
        "first_seen": one.first_seen.isoformat(),
        "last_seen": one.last_seen.isoformat(),
        "speaks": speaks(one),
        "memory": one.memory_id,
    }


COMMANDS = (patterns,)

"""`last`, `metrics`: what was put into sessions, and what it was worth."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import click

from loremap.errors import BadInput, LoremapError
from loremap.interfaces.cli.shell import ask_there, command, interactive, place, say, warn
from loremap.model.clock import short_id

if TYPE_CHECKING:
    from loremap.app import Lore
    from loremap.app.injected import Given
    from loremap.model.memory import Memory

MAX_KEYS = 9
"""Memories that one key can name."""
MAX_LEFT_OUT = 5
LOOKED_THROUGH = 200
"""Injections among which one is looked for by its id."""


@click.command()
@click.option("--all", "most", type=click.IntRange(1, 1_000), help="The last N, not one moment's.")
@click.option("--reject", metavar="ID", help="Say that this memory was not wanted.")
@click.option("--unreject", metavar="ID", help="Take a rejection back.")
@command
def last(most: int | None, reject: str | None, unreject: str | None, as_json: bool) -> Any:
    """Show what was just injected here and why. In a terminal one key rejects it."""
    from loremap.app import injected

    with place().lore() as lore:
        if reject or unreject:
            return _judged(lore, reject=reject, unreject=unreject, as_json=as_json)
        given = injected.last(lore, most=most)
        why = "" if given else injected.why_nothing(lore)
        crowded = injected.left_out(lore, given)
        if as_json:
            return {
                "injected": [_given_data(one) for one in given],
                "left_out": [
                    {"id": memory.id, "summary": memory.summary, "why": reason}
                    for memory, reason in crowded
                ],
                "why_nothing": why,
            }
        if not given:
            say(why)
            return None
        given = _grouped(given)
        _show(given)
        _show_left_out(crowded)
        if interactive() and most is None:
            _ask(lore, given)
    return None


def _judged(lore: Lore, *, reject: str | None, unreject: str | None, as_json: bool) -> Any:
    from loremap.app import injected
    from loremap.interfaces.cli.present import as_data

    if reject and unreject:
        raise BadInput("Either --reject or --unreject.")
    one = injected.chosen(injected.last(lore, most=LOOKED_THROUGH), reject or unreject or "")
    memory = injected.reject(lore, one) if reject else injected.take_back(lore, one)
    if as_json:
        return as_data(memory) | {"rejected": bool(reject)}
    if reject:
        _say_rejected(memory.id)
    else:
        say(f"{short_id(memory.id)} stands again.")
    return None


def _say_rejected(id_: str) -> None:
    say(f"Rejected {short_id(id_)}: this session does not get it again, and it counts less.")
    say((f"Take it back: lore last --unreject {short_id(id_)}", "dim"), whole=True)


def _given_data(one: Given) -> dict[str, Any]:
    held = one.injection
    return {
        "id": held.memory_id,
        "at": held.at.isoformat(),
        "session": held.session_id,
        "client": held.client,
        "moment": held.moment,
        "tier": held.tier.value,
        "why": held.why,
        "score": None if held.score is None else round(held.score, 4),
        "tokens": held.tokens,
        "rejected": held.rejected_at is not None,
        "referenced": held.referenced_at is not None,
        "summary": None if one.memory is None else one.memory.summary,
    }


def _grouped(given: Sequence[Given]) -> list[Given]:
    """What was injected, with what came at one moment for one reason together."""
    groups: dict[tuple[object, ...], list[Given]] = {}
    for one in given:
        held = one.injection
        groups.setdefault((held.session_id, held.at, *_reason(one)), []).append(one)
    return [one for group in groups.values() for one in group]


def _reason(one: Given) -> tuple[str, str]:
    """The tier it belonged to and why it was given; a module is called by its reason."""
    return one.injection.tier.value, one.injection.why if one.injection.memory_id else ""


def _show(given: Sequence[Given]) -> None:
    from loremap.interfaces.cli.present import moment

    numbers = {id(one): number for number, one in enumerate(_memories(given), 1)}
    before: Given | None = None
    for one in given:
        held = one.injection
        follows = before is not None and _together(before, one)
        if not follows:
            told = sum(each.injection.tokens for each in given if _together(each, one))
            say(
                (f"{moment(held.at)}  {held.client}  {held.moment.replace('_', ' ')}", "bold"),
                (f"  about {told:,} tokens, session {held.session_id[:8]}", "dim"),
            )
        if not (follows and before is not None and _reason(before) == _reason(one)):
            say((f"   {': '.join(filter(None, _reason(one)))}", "dim"))
        _show_one(one, numbers.get(id(one)))
        before = one


def _show_left_out(crowded: Sequence[tuple[Memory, str]]) -> None:
    if not crowded:
        return
    say(("no room in the block for", "bold"))
    for memory, why in crowded[:MAX_LEFT_OUT]:
        say("   ", (f"{short_id(memory.id)}  ", "dim"), memory.summary, (f"  {why}", "dim"))
    if len(crowded) > MAX_LEFT_OUT:
        say((f"   and {len(crowded) - MAX_LEFT_OUT} more: lore last --json", "dim"))


def _together(one: Given, other: Given) -> bool:
    held, theirs = one.injection, other.injection
    return (held.session_id, held.at) == (theirs.session_id, theirs.at)


def _show_one(one: Given, number: int | None) -> None:
    from loremap.interfaces.cli.present import scored

    held = one.injection
    name = f"{short_id(held.memory_id)}  " if held.memory_id else ""
    score = "" if held.score is None else f"score {scored(held.score)}"
    facts = ", ".join(filter(None, (score, f"{held.tokens} tokens")))
    say(
        (f"{number:>2} " if number is not None else "   ", "bold"),
        (name, "dim"),
        _called(one),
        (f"  {facts}", "dim"),
        ("  rejected" if held.rejected_at else "", "yellow"),
        ("  used" if held.referenced_at else "", "green"),
    )


def _called(one: Given) -> str:
    """What was injected, in a line."""
    if one.memory is not None:
        return one.memory.summary
    return (one.injection.why or "the map") if one.injection.memory_id is None else "(forgotten)"


def _memories(given: Sequence[Given]) -> list[Given]:
    """Those that a key can name."""
    return [one for one in given if one.memory is not None][:MAX_KEYS]


def _ask(lore: Lore, given: Sequence[Given]) -> None:
    """Take single keys until the person is done."""
    open_ = _memories(given)
    if not open_:
        return
    ask_there()
    keys = "1" if len(open_) == 1 else f"1-{len(open_)}"
    every = "r reject it" if len(open_) == 1 else "r reject all"
    while True:
        say((f"{keys} reject · {every} · f forget · q quit", "dim"))
        key = click.getchar().lower()
        if key in ("\x03", "\x04"):
            raise click.Abort
        if key in ("q", "\x1b", "\r", "\n"):
            return
        _act(lore, open_, key)


def _act(lore: Lore, open_: Sequence[Given], key: str) -> None:
    from loremap.app import injected

    try:
        if key == "r":
            for one in open_:
                _say_rejected(injected.reject(lore, one).id)
        elif key == "f":
            _forget(lore, open_)
        elif key.isdecimal() and 1 <= int(key) <= len(open_):
            _say_rejected(injected.reject(lore, open_[int(key) - 1]).id)
    except LoremapError as fault:
        warn(str(fault))


def _forget(lore: Lore, open_: Sequence[Given]) -> None:
    key = "1"
    if len(open_) > 1:
        say((f"Which one? 1-{len(open_)}, any other key for none", "dim"))
        key = click.getchar()
    if not (key.isdecimal() and 1 <= int(key) <= len(open_)):
        say("Nothing was forgotten.")
        return
    memory = open_[int(key) - 1].memory
    assert memory is not None
    lore.forget(memory.id)
    say(f"Forgotten {short_id(memory.id)}. Bring it back: lore restore {short_id(memory.id)}")


@click.command()
@click.option("--project", "scope", flag_value="project", help="The project of this folder.")
@click.option("--all", "scope", flag_value="all", help="Everything on this machine.")
@click.option(
    "--days", type=click.IntRange(1, 3_650), default=30, show_default=True, help="So far back."
)
@command
def metrics(scope: str | None, days: int, as_json: bool) -> Any:
    """Show what memory was worth. Of this project, one session (--session ID) or all (--all)."""
    from loremap.agent.metrics import measures
    from loremap.interfaces.cli.metrics import project_told, session_told, system_told

    with place().lore() as lore, lore.store.read() as conn:
        since = lore.now() - timedelta(days=days)
        if scope is None and place().session_id is not None:
            session = measures.session_starting(conn, place().session_id or "")
            return session_told(session, as_json=as_json)
        if scope == "project" and lore.project_id is None:
            raise BadInput(
                "Nothing is known of this folder as a project.",
                hint="`lore metrics --all` counts everything.",
            )
        if scope == "all" or lore.project_id is None:
            system = measures.system_figures(conn, since=since)
            return system_told(system, days=days, as_json=as_json)
        project = measures.project_figures(conn, lore.project_id, since=since)
        times = measures.latencies(conn, since=since)
    return project_told(project, times, days=days, as_json=as_json)


COMMANDS = (last, metrics)

"""`learn`, `inbox`: what sessions teach, and a person's word on it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from loremap.errors import BadInput
from loremap.interfaces.cli import commits
from loremap.interfaces.cli.review import asked
from loremap.interfaces.cli.shell import command, counted, interactive, place, say, warn
from loremap.model.clock import short_id
from loremap.model.memory import BY_GIT

if TYPE_CHECKING:
    from loremap.app.lore import Lore
    from loremap.model.finding import KeptFinding
    from loremap.model.memory import Memory
    from loremap.sessions.finishing import Learned

KEYS = "y keep · n drop · s later · a keep all that is left · q quit"


@click.command()
@click.argument("session_id", required=False, metavar="[SESSION]")
@click.option("--dry-run", is_flag=True, help="Show what would be learned; keep nothing.")
@click.option("--git", "from_git", is_flag=True, help="Learn from the commits not yet read.")
@click.option(
    "--since",
    type=click.DateTime(["%Y-%m-%d"]),
    help="With --git: from all commits since that day, read before or not.",
)
@click.option("--on/--off", "switched", default=None, help="Learn here by itself, or do not.")
@command
def learn(
    session_id: str | None,
    dry_run: bool,
    from_git: bool,
    since: datetime | None,
    switched: bool | None,
    as_json: bool,
) -> Any:
    """Learn from a session now: the one named by its id or the beginning of it, or the last one of
    this project; or, with --git, from the messages of commits."""
    if from_git:
        if session_id is not None or switched is not None:
            raise BadInput("--git reads commits, and takes neither a session nor --on or --off.")
        return commits.learn(since, dry_run=dry_run, as_json=as_json)
    if since is not None:
        raise BadInput("--since goes with --git.")
    with place().lore() as lore:
        if switched is not None:
            return _switch(lore, on=switched, as_json=as_json)
        memory = lore.sessions
        found = memory.preview(session_id) if dry_run else memory.learn(session_id)
        if as_json:
            return _data(found)
        _show(found, dry_run=dry_run)
        _note_shown(lore, [one.memory_id for one in found.findings])
    return None


def _switch(lore: Lore, *, on: bool, as_json: bool) -> Any:
    lore.sessions.switch_project(on=on)
    if as_json:
        return {"learns": lore.sessions.is_on}
    say(f"Learning from the sessions of this project is {'on' if on else 'off'}.")
    if on and not lore.sessions.is_on:
        warn("It is off everywhere: lore config set learn.sessions true")
    return None


def _show(found: Learned, *, dry_run: bool) -> None:
    say((f"Session {found.session.id} ({found.session.client})", "bold"))
    for line in found.summary.splitlines():
        say(f"  {line}")
    if not found.findings:
        say("It teaches nothing.")
        return
    say("It would teach:" if dry_run else "It taught:")
    for one in found.findings:
        finding = one.finding
        _say_apart(finding.content, f"  {finding.kind.value}: ")
        turns = f"turns {finding.first}–{finding.last}"
        say((f"    {turns}, {finding.said_by.value}: {finding.because}{_fate(one)}", "dim"))
    say(("Nothing was kept." if dry_run else "Keep or drop it: lore inbox", "dim"))


def _note_shown(lore: Lore, ids: Collection[str | None]) -> None:
    """A person was told of these, where it is one who sees what is shown."""
    from loremap.sessions.telling import note_told, untold

    if interactive() and lore.agent is None:
        note_told(lore, [one for one in untold(lore) if one.id in ids])


def _say_apart(content: str, lead: str = "") -> None:
    """What was settled, and dim below it on what it was."""
    from loremap.sessions.learning.framed import told_apart

    settled, around = told_apart(content)
    say(f"{lead}{settled}")
    for line in around:
        say((f"{' ' * (len(lead) - len(lead.lstrip()))}  {line}", "dim"))


def _fate(one: KeptFinding) -> str:
    if one.memory_id is not None:
        return f" → {short_id(one.memory_id)}"
    return f" → not kept: {one.refused}" if one.refused else ""


def _data(found: Learned) -> dict[str, Any]:
    return {
        "session": found.session.id,
        "summary": found.summary,
        "findings": [_finding(one) for one in found.findings],
    }


def _finding(one: KeptFinding) -> dict[str, Any]:
    finding = one.finding
    return {
        "kind": finding.kind.value,
        "content": finding.content,
        "quote": finding.quote,
        "said_by": finding.said_by.value,
        "turns": [finding.first, finding.last],
        "because": finding.because,
        "rejected": list(finding.rejected),
        "amends": finding.amends or None,
        "files": list(finding.files),
        "memory": one.memory_id,
        "refused": one.refused or None,
    }


@click.command()
@click.option("--keep", "kept", multiple=True, metavar="ID", help="Keep this; repeatable.")
@click.option("--drop", "dropped", multiple=True, metavar="ID", help="Drop this; repeatable.")
@command
def inbox(kept: tuple[str, ...], dropped: tuple[str, ...], as_json: bool) -> Any:
    """What sessions and commits taught and nobody has kept or dropped: one key each."""
    with place().lore() as lore:
        done = [lore.sessions.keep(one) for one in kept]
        gone = [lore.sessions.drop(one) for one in dropped]
        waiting = lore.sessions.inbox()
        if as_json:
            return {
                name: [_memory(one) for one in found]
                for name, found in (("kept", done), ("dropped", gone), ("waiting", waiting))
            }
        for said, found in (("Kept", done), ("Dropped", gone)):
            for one in found:
                say(f"{said}  ", (short_id(one.id), "dim"), f"  {one.summary}")
        if done or gone:
            return None
        if waiting and interactive():
            walk(lore, waiting)
            return None
    _list(waiting)
    return None


def _list(waiting: Sequence[Memory]) -> None:
    for one in waiting:
        _show_one(one, "")
    if waiting:
        say("Keep or drop: lore inbox --keep ID --drop ID, or one key each in a terminal.")
    else:
        say("Nothing waits: no session taught anything that nobody has looked at.")


def walk(lore: Lore, waiting: Sequence[Memory]) -> None:
    """Ask a person about each thing that waits, one key each."""
    for number, memory in enumerate(waiting, 1):
        _show_one(memory, f"{number} of {len(waiting)} · ")
        answer = asked(KEYS, "ynsaq")
        _note_shown(lore, [memory.id])
        if answer == "q":
            break
        if answer == "a":
            for one in waiting[number - 1 :]:
                _judged(functools.partial(lore.sessions.keep, one.id), "kept")
            break
        if answer != "s":
            act, said = {
                "y": (lore.sessions.keep, "kept"),
                "n": (lore.sessions.drop, "dropped, and not learned again"),
            }[answer]
            _judged(functools.partial(act, memory.id), said)
    left = len(lore.sessions.inbox())
    say(f"\n{counted(left, 'thing')} left." if left else "\nNothing is left.")


def _judged(act: Callable[[], Memory], said: str) -> None:
    try:
        act()
        say((f"→ {said}", "green"))
    except BadInput as fault:
        warn(str(fault))


def _show_one(memory: Memory, number: str) -> None:
    from loremap.interfaces.cli.present import moment
    from loremap.memory.workspace import utc_now
    from loremap.model.decay import expires_at

    whose = "a commit" if memory.created_by == BY_GIT else memory.agent or "?"
    said = f"{number}{memory.kind.value} · {moment(memory.created_at)} · {whose}"
    end = expires_at(memory)
    said += f" · until {end:%Y-%m-%d}" if end is not None and end > utc_now() else ""
    say((f"\n{said} · {short_id(memory.id)}", "bold"))
    _say_apart(memory.content)
    if memory.files:
        say((", ".join(memory.files), "cyan"))


def _memory(memory: Memory) -> dict[str, Any]:
    from loremap.interfaces.cli.present import as_data

    return as_data(memory)


COMMANDS = (learn, inbox)

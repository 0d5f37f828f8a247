"""`import sessions`: learn from what was said and done before Loremap was here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from loremap.interfaces.cli.learn import walk
from loremap.interfaces.cli.progress import Tell, bar
from loremap.interfaces.cli.shell import (
    Place,
    command,
    counted,
    group,
    interactive,
    place,
    say,
    warn,
)
from loremap.interfaces.cli.since import since_when

if TYPE_CHECKING:
    from pathlib import Path

    from loremap.model.memory import Memory
    from loremap.sessions.importing import Import, Imported

FATES = {
    "empty": "in which nobody typed anything",
    "unrecorded": "in which Loremap took part and kept nothing: learning was off, or incognito",
    "goes on": "that still go on: they are learned from when they end",
}
"""What is said of the sessions that were not learned from."""

imports = group("import", "Bring in what was learned elsewhere: sessions.", default="sessions")


@dataclass(frozen=True, slots=True)
class _Done:
    """What was imported into one project."""

    place: Place
    project: str
    found: Import


@imports.command("sessions")
@command
@click.option("--agent", "agents", multiple=True, metavar="NAME", help="Of this agent; repeatable.")
@click.option("--since", metavar="DATE|14d", help="Only those in which something happened since.")
@click.option("--all-projects", is_flag=True, help="Of every project that is found, not this one.")
@click.option("--dry-run", is_flag=True, help="Show what would be learned; keep nothing.")
@click.option(
    "--keep",
    "kept",
    multiple=True,
    metavar="all|none|ID",
    help="Keep all that is new, none of it yet, or this; without it a person is asked.",
)
def import_sessions(
    agents: tuple[str, ...],
    since: str | None,
    all_projects: bool,
    dry_run: bool,
    kept: tuple[str, ...],
    as_json: bool,
) -> Any:
    """Learn from sessions that agents have written down on this machine.

    Each is read once, in the order of time; what it taught waits in the inbox. It can be
    interrupted and run again at any time: what was imported is not imported twice.
    """
    from loremap.clients.registry import known_client

    clients = [known_client(name).name for name in agents]
    after = None if since is None else since_when(since, datetime.now(UTC))
    with bar() as tell:
        if all_projects:
            wanted = (
                _imported(where, clients, after, dry_run=dry_run, tell=tell, named=False)
                for where in _everywhere(clients, after)
            )
            done = [one for one in wanted if one is not None]
        else:
            made = _imported(place(), clients, after, dry_run=dry_run, tell=tell)
            done = [] if made is None else [made]
    confirmed = _keep(done, kept)
    if as_json:
        return _data(done, confirmed, dry_run=dry_run)
    for one in done:
        _show(one, dry_run=dry_run, named=all_projects)
    if confirmed:
        say(f"Kept: {len(confirmed)}.")
    if not dry_run and not kept:
        _review(done)
    return None


def _everywhere(clients: Sequence[str], since: datetime | None) -> Iterable[Place]:
    from loremap.config.folders import folders
    from loremap.sessions.past import folders_with_sessions

    found = folders_with_sessions(folders().home, clients=clients, since=since)
    return [replace(place(), folder=folder) for folder in found]


def _imported(
    where: Place,
    clients: Sequence[str],
    since: datetime | None,
    *,
    dry_run: bool,
    tell: Tell,
    named: bool = True,
) -> _Done | None:
    """What was imported into a project; None for one that was not named and does not learn."""
    with where.lore() as lore:
        if not named and not lore.sessions.may_import:
            return None
        found = lore.sessions.import_past(clients=clients, since=since, dry_run=dry_run, tell=tell)
        return _Done(where, lore.repository.name, found)


def _keep(done: Sequence[_Done], kept: Sequence[str]) -> list[Memory]:
    """Keep what is named; returns what a person stands behind now."""
    if not kept or "none" in kept:
        return []
    found = []
    for one in done:
        wanted = [memory.id for memory in one.found.memories] if "all" in kept else kept
        if wanted:
            with one.place.lore() as lore:
                found += [lore.sessions.keep(id_) for id_ in wanted]
    return found


def _review(done: Sequence[_Done]) -> None:
    """Walk through what is new, one key each; without a terminal it waits."""
    new = [one for one in done if one.found.memories]
    if not new:
        return
    if not interactive():
        say("Keep or drop it: lore inbox")
        return
    for one in new:
        with one.place.lore() as lore:
            walk(lore, one.found.memories)


def _show(one: _Done, *, dry_run: bool, named: bool) -> None:
    found = one.found
    if named:
        say((one.project, "bold"))
    learned = [each for each in found.sessions if each.fate == "learned"]
    for each in learned:
        _show_session(each, dry_run=dry_run)
    for path in found.unreadable:
        _warn_unreadable(path, "")
    for each in found.sessions:
        if each.fate == "unreadable":
            _warn_unreadable(each.session.paths[-1], each.trouble)
    _say_sums(found, learned, dry_run=dry_run)


def _show_session(each: Imported, *, dry_run: bool) -> None:
    from loremap.interfaces.cli.present import moment

    past = each.session
    if not each.findings:
        return
    taught = "would teach" if dry_run else "taught"
    when = moment(past.began or past.last)
    say((f"{when} · {past.client} · {each.turns} turns {taught}:", "bold"))
    for finding in each.findings:
        say(f"  {finding.finding.kind.value}: {finding.finding.content}")


def _warn_unreadable(path: Path, trouble: str) -> None:
    why = f" ({trouble})" if trouble else ""
    warn(
        f"{path} cannot be read{why}: nothing was learned from it, and it is left as it is. "
        "Make it readable and run this again."
    )


def _say_sums(found: Import, learned: Sequence[Imported], *, dry_run: bool) -> None:
    taught = sum(len(each.findings) for each in learned)
    verb = "would be read" if dry_run else "read"
    said = f"{counted(len(learned), 'session')} {verb}: {counted(taught, 'finding')}"
    say(said if dry_run else f"{said}, {len(found.memories)} new.")
    others = Counter(str(each.fate) for each in found.sessions)
    for fate, told in FATES.items():
        if others[fate]:
            say((f"{counted(others[fate], 'session')} left out {told}.", "dim"))
    if found.known:
        say((f"{counted(found.known, 'session')} known already.", "dim"))
    if found.left:
        say(f"{counted(found.left, 'session')} left: run this again.")


def _data(done: Sequence[_Done], confirmed: Sequence[Memory], *, dry_run: bool) -> dict[str, Any]:
    return {
        "dry_run": dry_run,
        "sessions": [
            {"project": one.project, **_session(each)}
            for one in done
            for each in one.found.sessions
        ],
        "known": sum(one.found.known for one in done),
        "left": sum(one.found.left for one in done),
        "unreadable": [str(path) for one in done for path in one.found.unreadable],
        "kept": [memory.id for memory in confirmed],
    }


def _session(each: Imported) -> dict[str, Any]:
    past = each.session
    return {
        "session": past.id,
        "client": past.client,
        "folder": None if past.folder is None else str(past.folder),
        "branch": past.branch,
        "began": None if past.began is None else past.began.isoformat(timespec="seconds"),
        "last": past.last.isoformat(timespec="seconds"),
        "fate": str(each.fate),
        "turns": each.turns,
        "findings": [
            {"kind": one.finding.kind.value, "content": one.finding.content}
            for one in each.findings
        ],
        "memories": [memory.id for memory in each.memories],
        "trouble": each.trouble or None,
    }


COMMANDS = (imports,)

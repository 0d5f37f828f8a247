"""`init`: the store, the map and the first conventions of a project."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from loremap.config.folders import folders
from loremap.errors import BadInput, LoremapError
from loremap.interfaces.cli import commits
from loremap.interfaces.cli import guard as guards
from loremap.interfaces.cli.code import say_given_up
from loremap.interfaces.cli.progress import bar
from loremap.interfaces.cli.review import asked
from loremap.interfaces.cli.shell import (
    FOLDER,
    command,
    counted,
    interactive,
    place,
    say,
    warn,
)

if TYPE_CHECKING:
    from loremap.app import Lore
    from loremap.code.scan.update import ScanReport
    from loremap.code.seed import Seed
    from loremap.model.memory import Memory
    from loremap.model.module import ModuleMap
    from loremap.storage.care import Care

PAST_WITHIN_S = 0.1
"""How long sessions of the past are looked for: this is only to say that there are some."""
KEEP = ("all", "choose", "none", "candidates")


@click.command()
@click.argument("path", required=False, type=FOLDER)
@click.option(
    "--encrypt/--no-encrypt",
    default=None,
    help="Encrypt a new store; asked where there is a keychain and a terminal.",
)
@click.option("--new", is_flag=True, help="Start an empty store where the one before is gone.")
@click.option("--scan/--no-scan", default=True, help="Read the code, map it, find conventions.")
@click.option(
    "--keep",
    type=click.Choice(KEEP),
    help="What to do with the conventions found; without a terminal they become candidates.",
)
@click.option(
    "--left-out", is_flag=True, help="Offer also the conventions left out as less important."
)
@click.option(
    "--guard",
    metavar="PACK,…",
    help="Switch these packs of `lore guard` on, or all, or none; asked with a new store.",
)
@command
def init(
    path: Path | None,
    encrypt: bool | None,
    new: bool,
    scan: bool,
    keep: str | None,
    left_out: bool,
    guard: str | None,
    as_json: bool,
) -> Any:
    """Set up the store, map this project (or the one at PATH) and find its conventions."""
    from loremap.app import guard_packs
    from loremap.app.encryption import care_here

    here = place() if path is None else replace(place(), folder=path)
    packs = None if guard is None else guard_packs.chosen([guard])
    is_new = not care_here(folders()).exists()
    kept_in = _ready_store(encrypt, new=new, as_json=as_json)
    with here.lore() as lore:
        project = lore.init()
        _say_ready(lore, kept_in, as_json=as_json)
        data: dict[str, Any] = {
            "project": None if project is None else {"id": project.id, "name": project.name},
            "store": lore.store.name,
            "encrypted": lore.store.encrypted,
            "key_kept_in": kept_in,
        }
        if project is not None and scan:
            report, found = _mapped(lore, as_json=as_json)
            kept, offered = _seeded(lore, keep, left_out=left_out, as_json=as_json)
            data |= {
                "modules": [module.name for module in found.modules if not module.role],
                "given_up": report.given_up,
                "conventions": {"found": offered, "kept": [memory.id for memory in kept]},
                "commits": commits.learned_at_init(lore, as_json=as_json),
            }
        elif project is None and not as_json:
            say("This folder is no project, so there is nothing to map.")
        if packs is None:
            packs = guards.asked() if is_new and interactive() and not as_json else []
        past = "" if as_json else _past_of(lore)
        data["guarded"] = [one.id for one in guard_packs.switch_on(lore, packs)]
        if data["guarded"] and not as_json:
            say(f"{counted(len(packs), 'pack')} of warnings on; `lore guard` shows them.")
    if as_json:
        return data
    _connect_agents()
    if past:
        say(past)
    say('By hand: lore brief "what you are about to do", lore remember "…", lore recall "…"')
    return None


def _ready_store(encrypt: bool | None, *, new: bool, as_json: bool) -> str | None:
    """Make the store if there is none; returns where the key of a new one is kept."""
    from loremap.app.encryption import care_here
    from loremap.config.folders import ensure_private, refuse_network_folder

    places = folders()
    care = care_here(places)
    if new:
        care.start_anew(datetime.now(UTC))
    care.refuse_gone()
    if care.exists():
        if encrypt and care.on_server:
            raise care.no_key()
        if encrypt:
            raise BadInput("There is a store already.", hint="`lore key encrypt` encrypts it.")
        return None
    refuse_network_folder(places.home)
    ensure_private(places.home)
    return _make_encrypted(care) if _wants_encryption(encrypt, as_json=as_json) else None


def _say_ready(lore: Lore, kept_in: str | None, *, as_json: bool) -> None:
    if as_json:
        return
    name = None if lore.project is None else lore.project.name
    where = "every project (no repository here)" if name is None else f"project {name}"
    say(f"Ready for {where}. The store is {lore.store.name}", whole=True)
    if lore.repository.trouble:
        warn(lore.repository.trouble)
    if kept_in:
        say(f"It is encrypted; its key is kept in {kept_in}.", whole=True)
    provider = lore.settings.text("embedding.provider")
    if provider == "local" and not _model_is_there(lore):
        say("Words answer already. For vectors too: lore model fetch")


def _past_of(lore: Lore) -> str:
    """What is said of sessions that agents had here before; empty where none is found quickly."""
    from loremap.clients.registry import CLIENTS
    from loremap.sessions.past import unknown_sessions

    if lore.project_id is None or not lore.sessions.is_on:
        return ""
    found = unknown_sessions(lore, within_s=PAST_WITHIN_S)
    count = len(found.sessions)
    titles = dict.fromkeys(CLIENTS[one.client].title for one in found.sessions)
    if not count:
        return ""
    said = f"{'' if found.is_whole else 'at least '}{counted(count, 'past session')}"
    return f"Found {said} of {' and '.join(titles)} here: lore import sessions"


def _connect_agents() -> None:
    """Offer to connect the agents found on this machine, by one key; without a terminal, and where
    none was found, say the command."""
    from loremap.clients.connect import connected, found, plan
    from loremap.clients.registry import CLIENTS
    from loremap.interfaces.cli.connect import connect_one

    home = folders().home
    if connected(home):
        return
    names = found(home)
    if not (names and interactive()):
        say("Next: lore connect --all brings it into the coding agents found on this machine.")
        return
    titles = ", ".join(CLIENTS[name].title for name in names)
    say(f"Connect {titles} now? It can be undone: lore disconnect --all", whole=True)
    if asked("y yes (Enter) · n not now", "yn", enter="y") == "n":
        say("Later: lore connect --all")
        return
    for name in names:
        try:
            connect_one(plan(name, home=home), yes=True)
        except LoremapError as fault:  # one that cannot be done keeps no other from it
            warn(str(fault))


def _mapped(lore: Lore, *, as_json: bool) -> tuple[ScanReport, ModuleMap]:
    with bar() as tell:
        lore.code.progress = tell
        report = lore.code.scan()
        found = lore.modules.refresh()
        lore.code.embed()
        counts = lore.code.counts()
    found = _described(lore, found, as_json=as_json)
    product = [module for module in found.modules if not module.role]
    if not as_json:
        say(
            f"Read {counted(counts.files, 'file')} ({counted(counts.lines, 'line')}): "
            f"{counted(counts.symbols, 'symbol')} in {counted(len(product), 'module')}."
        )
        if product:
            names = ", ".join(module.name for module in product[:12])
            more = "" if len(product) <= 12 else ", …"
            say((f"Modules: {names}{more}  (lore map)", "dim"))
        if found.build.commands:
            told = "; ".join(f"{what}: {how}" for what, how in found.build.said().items())
            say((f"Commands: {told}  (lore map shows who says so)", "dim"))
        say_given_up(report.given_up)
    return report, found


def _described(lore: Lore, found: ModuleMap, *, as_json: bool) -> ModuleMap:
    """The map with what a small model says of it, or as it is where none is there or that fails."""
    from loremap.errors import ModelError
    from loremap.sidecar.ask import Task

    if not lore.engine.sidecar_is_chosen or not lore.engine.sidecar.does(Task.CLASSIFY):
        return found
    from loremap.memory.modules_described import describe_modules

    try:
        count = describe_modules(lore)
    except ModelError as fault:
        if not as_json:
            warn(f"The map stands as rules found it: {fault.message}")
        return found
    if not as_json and count:
        say((f"The sidecar described {counted(count, 'module')}.", "dim"))
    return lore.modules.map()


def _seeded(
    lore: Lore, keep: str | None, *, left_out: bool, as_json: bool
) -> tuple[list[Memory], int]:
    """What was kept of the conventions that the files state, and how many were offered."""
    from loremap.memory import seeding

    found = seeding.found(lore)
    for note in found.notes:
        if not as_json:
            warn(f"Left out {note}")
    offered = (*found.seeds, *found.left_out) if left_out else found.seeds
    if not offered:
        if not as_json:
            say("No conventions were found that are not known.")
        return [], 0
    how = keep or ("" if interactive() and not as_json else "candidates")
    if not as_json and how != "none":
        _show(offered)
        if found.left_out and not left_out:
            left = counted(len(found.left_out), "less important convention")
            say((f"{left} left out: lore init --left-out offers them too.", "dim"))
    how = how or "choose"
    chosen = {"choose": _asked, "none": _none}.get(how, list)(offered)
    kept = seeding.keep(lore, chosen, confirmed=how != "candidates")
    if how != "candidates":
        seeding.decline(lore, [seed for seed in offered if seed not in chosen])
    if not as_json:
        _say_kept(len(kept), len(offered), candidates=how == "candidates")
    return kept, len(offered)


def _show(seeds: Sequence[Seed]) -> None:
    """The conventions, numbered, each with its source, its further lines under its first."""
    from rich.text import Text

    from loremap.interfaces.cli.shell import console

    say(f"Found {counted(len(seeds), 'convention')}:")
    screen, margin = console(), len(str(len(seeds))) + 4
    for number, seed in enumerate(seeds, start=1):
        said = Text.assemble(seed.text, "  ", (f"{seed.file}:{seed.line}", "dim"))
        for at, line in enumerate(said.wrap(screen, max(screen.width - margin, 20))):
            line.rstrip()
            mark = f"{number}  " if at == 0 else ""
            screen.print(Text.assemble((mark.rjust(margin), "dim"), line), soft_wrap=True)


def _asked(seeds: Sequence[Seed]) -> list[Seed]:
    """Which of them a person wants kept."""
    while True:
        answer = click.prompt("Keep which? all, none, or numbers such as 1-5,8", default="all")
        try:
            return [seeds[number - 1] for number in picked(answer, len(seeds))]
        except BadInput as problem:
            warn(problem.message)


def picked(answer: str, count: int) -> list[int]:
    """The numbers up to `count` that `all`, `none` or `1-5,8` name; raises BadInput."""
    word = answer.strip().lower()
    if word in ("all", "a"):
        return list(range(1, count + 1))
    if word in ("none", "n", ""):
        return []
    found = set[int]()
    for part in word.replace(" ", ",").split(","):
        first, dash, last = part.partition("-")
        if not part:
            continue
        if not first.isdecimal() or (dash and not last.isdecimal()):
            raise BadInput(f"{part} is no number from 1 to {count}.")
        begin, end = int(first), int(last) if dash else int(first)
        if not 1 <= begin <= end <= count:
            raise BadInput(f"{part} is not within 1 to {count}.")
        found.update(range(begin, end + 1))
    return sorted(found)


def _none(seeds: Sequence[Seed]) -> list[Seed]:
    return []


def _say_kept(kept: int, offered: int, *, candidates: bool) -> None:
    if candidates:
        say(f"Kept {kept} of {offered} as candidates; `lore review` asks about each.")
    else:
        say(f"Kept {kept} of {offered}.")


def _model_is_there(lore: Lore) -> bool:
    from loremap.embedding.pinned import local_model, looks_delivered

    model = local_model(lore.settings.text("embedding.local_model"))
    return looks_delivered(lore.places.cache, model)


def _wants_encryption(asked: bool | None, *, as_json: bool) -> bool:
    if asked is not None:
        return asked
    if as_json or not interactive():
        return False
    from loremap.safety.keys import has_keychain

    return has_keychain() and click.confirm(
        "Encrypt the store? Its key is kept in this machine's keychain", default=True
    )


def _make_encrypted(care: Care) -> str:
    """Make an empty encrypted store; returns where its key is kept."""
    from loremap import app
    from loremap.app.encryption import fresh_key
    from loremap.config.settings import load

    key, kept_in = fresh_key()
    options = app.store_options(load(folders().settings))
    care.make(key, options=options, now=app.utc_now())
    return kept_in


COMMANDS = (init,)

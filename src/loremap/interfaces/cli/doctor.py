"""`doctor`: looks at everything, proves that a memory arrives, and says what mends the rest."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from loremap.errors import LoremapError
from loremap.interfaces.cli import doctor_facts as facts
from loremap.interfaces.cli.shell import command, place, print_json, say
from loremap.model.version import VERSION

if TYPE_CHECKING:
    from loremap.app import Lore
    from loremap.app.doctor import AgentFacts, Finding


@click.command()
@command
def doctor(as_json: bool) -> Any:
    """Check everything and prove that a memory arrives. Exits with 1 if something is broken."""
    from loremap.app.doctor import exit_code

    found = []
    for finding in _looked():
        found.append(finding)
        if not as_json:
            _show(finding)
    code = exit_code(found)
    if as_json:
        print_json({"well": code == 0, "findings": [_data(one) for one in found]})
    else:
        _sum_up(found)
    sys.exit(code)


def _data(finding: Finding) -> dict[str, str]:
    return {
        "area": finding.area,
        "verdict": finding.verdict.value,
        "says": finding.says,
        "mend": finding.mend,
    }


def _show(finding: Finding) -> None:
    mark, style = {"well": ("✓", "green"), "odd": ("!", "yellow"), "broken": ("✗", "red")}[
        finding.verdict.value
    ]
    say((f"{mark} ", style), (f"{finding.area:<9}", "bold"), finding.says)
    if finding.mend:
        say(f"            → {finding.mend}")


def _sum_up(found: Sequence[Finding]) -> None:
    from loremap.app.doctor import Verdict

    wrong = sum(1 for one in found if one.verdict is Verdict.BROKEN)
    odd = sum(1 for one in found if one.verdict is Verdict.ODD)
    if wrong:
        say((f"{wrong} broken{f', {odd} to look at' if odd else ''}", "red"))
    elif odd:
        say(f"Nothing is broken; {odd} to look at.")
    else:
        say(("All is well.", "green"))


def _looked() -> Iterator[Finding]:
    """Every finding, in an order in which the first that is broken explains the others."""
    from loremap.app import doctor as judge
    from loremap.app.encryption import care_here
    from loremap.config.folders import folders

    places = folders()
    if not places.home.is_dir():
        yield judge.odd("data", f"{places.home} is not there yet", "lore init")
        return
    yield judge.judged_folder(facts.folder_facts(places.home))
    yield _installed(places.home)
    if not care_here(places).was_here():
        yield judge.odd("store", f"there is no store yet at {places.store}", "lore init")
        return
    try:
        with place().lore() as lore:
            yield from _looked_into(lore)
    except LoremapError as fault:
        yield judge.broken("store", fault.message, fault.hint)
        yield from _beside_the_store(places.home)


def _installed(home: Path) -> Finding:
    from loremap.app.doctor import broken, judged_install

    python = f"{platform.python_version()} ({sys.executable})"
    try:
        how, path = facts.launcher(home)
    except (LoremapError, OSError) as fault:
        said = f"the program that agents start cannot be written: {fault}"
        return broken("install", said, f"make {home / 'bin'} writable")
    return judged_install(version=VERSION, python=python, launcher=how, path=path)


def _looked_into(lore: Lore) -> Iterator[Finding]:
    from loremap.agent import switches
    from loremap.app import doctor as judge
    from loremap.memory.sidecar_state import sidecar_state

    home, now = lore.places.home, lore.now()
    yield from judge.judged_store(facts.store_facts(lore), now=now)
    yield judge.judged_model(lore.model_state(), tampered=facts.tampered(lore))
    yield from judge.judged_sidecar(sidecar_state(lore.engine), now=now)
    off = switches.is_off(home)
    project_off = lore.repository.name if switches.project_is_off(lore) else ""
    yield from judge.judged_switches(off=off, project_off=project_off)
    idle = judge.odd("resident", "not needed while everything is off")
    resident, *beside = [idle] if off else facts.resident(home, now)
    yield resident
    yield from beside
    agents = facts.agents(home)
    yield from judge.judged_agents(agents)
    yield from _beside_the_store(home)
    if resident.verdict is judge.Verdict.WELL:
        yield from _canary(lore, agents)
    else:
        yield judge.odd("canary", "was not sent: no resident answers")


def _beside_the_store(home: Path) -> Iterator[Finding]:
    """What hooks left in files of their own."""
    from loremap.app import doctor as judge
    from loremap.storage.caught import caught_since

    now = datetime.now(UTC)
    yield judge.judged_caught(caught_since(home, now - judge.LATELY), now=now)
    times = []
    for file in (home / "spool").glob("*.json"):
        try:
            times.append(file.stat().st_mtime)
        except OSError:
            continue  # taken up while we look
    oldest = None if not times else now - datetime.fromtimestamp(min(times), UTC)
    yield judge.judged_spool(len(times), oldest=oldest)


def _canary(lore: Lore, agents: Sequence[AgentFacts]) -> Iterator[Finding]:
    from loremap.app.doctor import broken, judged_canary, odd
    from loremap.clients.registry import NAMES, client_named
    from loremap.clients.settings.site import launcher_path
    from loremap.interfaces.cli.canary import proven

    if lore.settings.number("metrics.hold_out") >= 1:
        mend = "lore config set metrics.hold_out 0.2"
        yield odd("canary", "was not sent: every session is held out and gets nothing", mend)
        return
    hooked = [one.client for one in agents if client_named(one.client).takes]
    clients = list(dict.fromkeys(hooked)) or [NAMES[0]]
    try:
        sent = proven(lore, clients, launcher=launcher_path(lore.places.home))
    except (LoremapError, OSError) as fault:
        yield broken("canary", f"could not be sent: {fault}", "lore service logs")
        return
    yield from (judged_canary(one, connected=bool(hooked)) for one in sent)


COMMANDS = (doctor,)

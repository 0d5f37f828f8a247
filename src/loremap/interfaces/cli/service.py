"""`service`, `hook`, `mcp`: the resident, and what agents start to speak with it."""

from __future__ import annotations

import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from loremap.config.folders import folders
from loremap.errors import LoremapError
from loremap.interfaces.cli.shell import command, group, say, warn

if TYPE_CHECKING:
    from loremap.agent.service_level import Pace
    from loremap.interfaces.resident.places import ResidentState

service = group("service", "The resident: status, start, stop, logs.", default="status")


@service.command("status")
@command
def service_status(as_json: bool) -> Any:
    """Show whether the resident runs, and how it is doing."""
    from loremap.interfaces.resident.reach import status

    return _told(status(folders().home), as_json=as_json)


@service.command("start")
@click.option("--wait", default=5.0, show_default=True, help="Seconds it may take.")
@command
def service_start(wait: float, as_json: bool) -> Any:
    """Start the resident; agents do so by themselves."""
    from loremap.interfaces.resident.reach import ensure

    reached = ensure(folders().home, wait_s=wait)
    if reached.state is None:
        raise LoremapError("The resident does not answer.", hint=reached.trouble)
    return _told(reached.state, as_json=as_json)


@service.command("stop")
@command
def service_stop(as_json: bool) -> Any:
    """End the resident; the next event of an agent starts another."""
    from loremap.interfaces.resident.reach import stop

    ended = stop(folders().home)
    if not as_json:
        say("The resident has ended." if ended else "No resident was running.")
    return {"stopped": ended}


@service.command("logs")
@click.option("-n", "--lines", default=50, show_default=True, help="How many of the last lines.")
@click.option("--caught", is_flag=True, help="The errors that hooks kept from agents instead.")
@command
def service_logs(lines: int, caught: bool, as_json: bool) -> Any:
    """Show the resident's log. It holds nothing of what was said to it."""
    from loremap.interfaces.resident.places import run_folder

    home = folders().home
    if caught:
        file, written = _caught(home)
    else:
        file = run_folder(home).log
        written = file.read_text("utf-8", "replace").splitlines() if file.exists() else []
    shown = written[-lines:] if lines > 0 else []
    if not as_json:
        for line in shown:
            click.echo(line)
        if not written:
            say("Nothing is logged.")
    return {"file": str(file), "lines": shown}


def _caught(home: Path) -> tuple[Path, list[str]]:
    """Where errors are kept that hooks caught, and each of them in a line."""
    from datetime import UTC, datetime

    from loremap.storage.caught import CAUGHT_FILE, caught_since

    found = caught_since(home, datetime.min.replace(tzinfo=UTC))
    told = [
        f"{one.at.isoformat(sep=' ', timespec='seconds')} {one.fault} in {one.where}"
        f"{' at ' + ' < '.join(reversed(one.lines)) if one.lines else ''}"
        for one in found
    ]
    return home / CAUGHT_FILE, told


def _told(state: Any, *, as_json: bool) -> Any:
    if state is None:
        if not as_json:
            say("No resident is running; the next event of an agent starts one.")
        return {"running": False}
    if not as_json:
        ready = "ready" if state.ready else "loading"
        say(("running", "green"), f"  process {state.pid}, version {state.version}, {ready}")
        say(("since   ", "dim"), state.started)
        say(("model   ", "dim"), state.model or "none")
        say(("clients ", "dim"), str(state.clients))
        say(("recall  ", "dim"), str(pace_of(state)))
        for folder in state.folders:
            say(("folder  ", "dim"), folder, whole=True)
        if state.trouble:
            warn(state.trouble)
    return {"running": True, **asdict(state)}


def pace_of(state: ResidentState) -> Pace:
    """How quick a resident's retrieval is, by what it says of itself."""
    from loremap.agent.service_level import Health, Pace

    known = state.health in set(Health)
    health = Health(state.health) if known else Health.UNKNOWN
    return Pace(health=health, p95_ms=state.p95_ms, count=state.retrievals)


AGENT = {"ignore_unknown_options": True, "allow_extra_args": True}


@click.command("hook", context_settings=AGENT)
@click.argument("client")
@click.argument("event", required=False, default="")
def hook(client: str, event: str) -> None:
    """Run by agents at an event. Reads it from standard input and prints the answer."""
    _become("hook", client, event)


@click.command("mcp")
@click.argument("client", required=False, default="")
def mcp(client: str) -> None:
    """Run by agents as their MCP server, on standard input and output."""
    _become("mcp", client)


def _become(*words: str) -> None:
    """Replace this process by the light program that does the work."""
    from loremap.interfaces.hooks import enter
    from loremap.interfaces.resident.places import run_folder

    home = folders().home
    arguments = [sys.executable, "-I", "-S", str(Path(enter.__file__)), "--home", str(home)]
    arguments += ["--run", str(run_folder(home).path), *(word for word in words if word)]
    if sys.platform == "win32":  # a process cannot be replaced there: its parent would not wait
        import subprocess

        sys.exit(subprocess.run(arguments, check=False).returncode)
    os.execv(sys.executable, arguments)


COMMANDS = (service, hook, mcp)

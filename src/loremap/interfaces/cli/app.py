"""The `lore` command: its global options, its commands, and how it ends."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType

import click

from loremap.errors import BadInput
from loremap.interfaces.cli import (
    change,
    code,
    connect,
    control,
    doctor,
    episodes,
    facts,
    graph,
    guard,
    importing,
    insights,
    keep,
    learn,
    lessons,
    model,
    modules,
    note,
    patterns,
    preview,
    read,
    replay,
    review,
    service,
    sidecar,
    start,
    tend,
    watch,
    write,
)
from loremap.interfaces.cli.shell import EXIT_INTERRUPTED, FOLDER, Place, ask_there, complain
from loremap.model.text import one_line
from loremap.model.version import VERSION

EPILOG = """\b
Exit codes: 0 done · 1 an error of ours, or what `doctor` found broken · 2 input or store
that cannot be used (one line says why, nothing was stored) · 3 `check --exit-code` fired ·
130 interrupted.
The end of an id is enough. --session, --agent and --folder may also follow the command.
Data lies in LOREMAP_HOME or the platform's data folder."""


SECTIONS = {
    "Every day": "init connect remember recall search list show review forget status",
    "Memories": "edit confirm pin unpin tag link alias feedback wrong restore undo history "
    "conflicts resolve kinds log",
    "Facts": "facts fact entities",
    "Learned by itself": "learn inbox import note replay",
    "What was done": "tasks task session patterns insights sql",
    "Looked after": "tend proposals audit gaps tombstones tags clusters graph similar",
    "In agents": "brief preview check guard last metrics off on disconnect",
    "Code": "scan map locate outline symbol callers callees impact deps",
    "Administration": "doctor service config model sidecar key backup completion",
    "Run by agents": "hook mcp",
}
"""The commands as `--help` shows them: what most people need comes first."""


class Sections(click.Group):
    """A group whose commands are shown in sections, each in the order it is written in."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write every section that has commands."""
        width = max(len(name) for name in self.commands)
        for title, names in SECTIONS.items():
            limit = formatter.width - 6 - width
            rows = [
                (name.ljust(width), self.commands[name].get_short_help_str(limit))
                for name in names.split()
            ]
            with formatter.section(title):
                formatter.write_dl(rows)


@click.group(
    cls=Sections,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=EPILOG,
)
@click.version_option(VERSION, prog_name="lore")
@click.option("-C", "--folder", type=FOLDER, default=".", help="Work as if started in this folder.")
@click.option("--session", envvar="LOREMAP_SESSION", help="The session this speaks for.")
@click.option("--agent", envvar="LOREMAP_AGENT", help="The agent this speaks for.")
@click.pass_context
def lore(context: click.Context, folder: Path, session: str | None, agent: str | None) -> None:
    """The memory of AI coding agents: the map of a codebase and the lore learned in it."""
    context.obj = Place(folder, session, agent)


PARTS = (
    start, connect, write, read, preview, change, lessons, facts, graph, tend, review, learn,
    importing, note, replay, episodes, patterns, insights, code, modules, watch, doctor, control,
    guard, service, keep, model, sidecar,
)  # fmt: skip
for part in PARTS:
    for each in part.COMMANDS:
        lore.add_command(each)


def main(arguments: Sequence[str]) -> None:
    """Run `lore` in this process and end with the exit code that says how it went."""
    _write_every_sign()
    if not os.environ.get("LOREMAP_DEBUG"):
        sys.excepthook = _say_in_one_line
    try:
        if code := ended(arguments):
            sys.exit(code)
    except click.exceptions.Abort:
        click.echo("lore: interrupted; what was stored before is kept.", err=True)
        sys.exit(EXIT_INTERRUPTED)
    except click.exceptions.NoArgsIsHelpError as fault:
        fault.show()
        sys.exit(fault.exit_code)
    except BrokenPipeError:
        # The reader of our output, such as `head`, has gone; that is no error.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)


def ended(given: Sequence[str], standing: Mapping[str, str] | None = None) -> int:
    """Run a command, whoever waits for it; its exit code. `standing` says where it stands when the
    command does not."""
    try:
        _refuse_bytes(given)
        printed = lore.main(
            list(given), prog_name="lore", standalone_mode=False, default_map=standing
        )
        if printed is not None:  # help or the version, by click itself
            ask_there()
    except click.exceptions.NoArgsIsHelpError:
        raise
    except click.ClickException as fault:
        complain(_misuse(fault), as_json="--json" in given)
        return fault.exit_code
    return 0


def _refuse_bytes(given: Sequence[str]) -> None:
    """Raise where an argument was not UTF-8; Python hands its bytes on as surrogates."""
    for argument in given:
        if any("\ud800" <= character <= "\udfff" for character in argument):
            raise click.UsageError(f"{argument[:40]!a} is not UTF-8 text; nothing was stored.")


def _misuse(fault: click.ClickException) -> BadInput:
    """What is wrong with the command as it was typed."""
    context = fault.ctx if isinstance(fault, click.UsageError) else None
    path = context.command_path if context else "lore"
    said = fault.format_message().rstrip()
    return BadInput(said if said.endswith((".", "?")) else f"{said}.", hint=f"See {path} --help.")


def _write_every_sign() -> None:
    """Let a terminal whose encoding lacks a sign show another one instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _say_in_one_line(
    kind: type[BaseException], fault: BaseException, trace: TracebackType | None
) -> None:
    """Stands in for the traceback of an error nobody planned for."""
    said = one_line(f"{kind.__name__}: {fault}")
    click.echo(
        f"lore: an error of ours ({said[:300]}). Nothing stored before is harmed. "
        "LOREMAP_DEBUG=1 shows where.",
        err=True,
    )

"""What every command shares: where it stands, `--json`, errors in one line, exit codes."""

from __future__ import annotations

import functools
import json
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TextIO, TypeVar, cast

import click

from loremap.errors import Ambiguous, BadInput, LoremapError, StoreError
from loremap.model.clock import short_id
from loremap.model.text import one_line

if TYPE_CHECKING:
    from rich.console import Console

    from loremap.app import Lore

EXIT_BAD, EXIT_FIRED, EXIT_INTERRUPTED = 2, 3, 130
PIPE_WIDTH = 10_000
"""Columns of an output that is no terminal, so that a memory stays on its line there."""

Command = TypeVar("Command", bound=Callable[..., Any])
Part = str | tuple[str, str]
"""A piece of a line: a text, or a text and its style."""


@dataclass(frozen=True, slots=True)
class Place:
    """The folder, session and agent a command speaks for."""

    folder: Path
    session_id: str | None
    agent: str | None

    def lore(self) -> AbstractContextManager[Lore]:
        """The memory as seen from here."""
        if asker := ASKER.get():
            return asker.lore(self)
        from loremap import app
        from loremap.interfaces.hooks.client import is_incognito

        lore = app.open(self.folder, session_id=self.session_id, agent=self.agent)
        lore.incognito = is_incognito(os.environ)
        return lore


@dataclass(frozen=True, slots=True)
class Asker:
    """Another process, for which the resident runs a command: its folder, its terminal, and the
    memory as the resident holds it."""

    folder: Path
    out: TextIO
    err: TextIO
    console: Console
    is_person: bool
    """Whether somebody sits there who can be asked."""
    lore: Callable[[Place], AbstractContextManager[Lore]]


ASKER: ContextVar[Asker | None] = ContextVar("asker", default=None)
"""For whom this thread runs a command; None where this process was started for it."""


class AskThere(BaseException):
    """A person must be asked, or their input read, which only the process they started can do.

    It does the whole command, or only what `then` says where all before that is done.
    """

    def __init__(self, *then: str) -> None:
        super().__init__(*then)
        self.then = then


def ask_there(*then: str) -> None:
    """Before input is read: leave it to the process that a person started, where this is not it.

    `then` is what it does there; without it the whole command is run there, so nothing may have
    been changed yet.
    """
    if ASKER.get() is None:
        return
    if not then:
        raise AskThere
    here = place()
    session = () if here.session_id is None else ("--session", here.session_id)
    raise AskThere("-C", str(here.folder), *session, *then)


class _Folder(click.Path):
    """A folder that is there."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """`value` as a path; fails where it is no folder."""
        asker = ASKER.get()
        found = Path(value) if asker is None else asker.folder / value
        if not found.is_dir():
            self.fail(f"There is no folder {str(value)!r}.", param, ctx)
        return super().convert(found, param, ctx)


FOLDER = _Folder(file_okay=False, path_type=Path)


def place() -> Place:
    """Where the running command stands."""
    return cast(Place, click.get_current_context().find_object(Place))


def command(function: Command) -> Command:
    """A command that takes `--json` and says its errors in one line.

    The wrapped function gets `as_json`; what it returns is printed as the one object of `--json`.
    """

    @click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
    @functools.wraps(function)
    def wrapper(*args: Any, as_json: bool, **kwargs: Any) -> None:
        try:
            result = function(*args, as_json=as_json, **kwargs)
        except LoremapError as fault:
            complain(fault, as_json=as_json)
            sys.exit(EXIT_BAD)
        except BrokenPipeError:
            raise
        except OSError as fault:
            complain(_in_our_words(fault), as_json=as_json)
            sys.exit(EXIT_BAD)
        if as_json and result is not None:
            print_json(result)

    return cast(Command, _standing_anywhere(wrapper))


def _standing_anywhere(function: Command) -> Command:
    """`function`, taking after the command too what says where it stands, but for a name that the
    command has a meaning of its own for."""
    own: list[click.Parameter] = getattr(function, "__click_params__", [])
    taken = {name for parameter in own for name in parameter.opts}
    for names, field, type_ in (
        (("--session",), "session_id", None),
        (("--agent",), "agent", None),
        (("-C", "--folder"), "folder", FOLDER),
    ):
        if taken.intersection(names):
            continue
        function = click.option(
            *names,
            f"own_{field}",
            type=type_,
            hidden=True,
            expose_value=False,
            callback=functools.partial(_stand, field),
        )(function)
    return function


def _stand(field: str, context: click.Context, parameter: click.Parameter, value: Any) -> None:
    if value is not None and context.obj is not None:  # a shell that completes stands nowhere
        context.obj = replace(context.obj, **{field: value})


class DefaultGroup(click.Group):
    """A group of commands of which one runs where none is named."""

    default = ""
    takes_names = False
    """Whether a word that names no command is for the default one."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """The arguments, with the default command in front where they name none."""
        unnamed = not args or (args[0].startswith("-") and args[0] not in ctx.help_option_names)
        if self.takes_names and args and not args[0].startswith("-"):
            unnamed = args[0] not in self.commands
        if unnamed and not ctx.resilient_parsing:
            args = [self.default, *args]
        return super().parse_args(ctx, args)


def group(name: str, doc: str, *, default: str, takes_names: bool = False) -> DefaultGroup:
    """A group called `name` whose command `default` runs where none is named."""
    made = DefaultGroup(name, help=doc)
    made.default = default
    made.takes_names = takes_names
    return made


def complain(fault: LoremapError, *, as_json: bool) -> None:
    """Say what happened and what to do, in one line; with `--json` also as the one object."""
    if as_json:
        error: dict[str, Any] = {"message": fault.message, "hint": fault.hint}
        if isinstance(fault, Ambiguous):
            error["candidates"] = [
                {"id": id_, "summary": summary} for id_, summary in fault.candidates
            ]
        print_json({"error": error})
    echo(f"lore: {one_line(str(fault))}", err=True)  # it may quote what was stored


def _in_our_words(fault: OSError) -> StoreError:
    """What the system refused: a folder that cannot be written, a disk that is full."""
    what = f"{fault.filename}: " if fault.filename else ""
    return StoreError(
        f"{what}{fault.strerror or fault}; nothing was stored.",
        hint="Check that the folder can be written and has room, or set LOREMAP_HOME.",
    )


def print_json(value: Any) -> None:
    """Print one JSON object; the output's own encoding may not hold every sign."""
    asker = ASKER.get()
    encoding = (sys.stdout if asker is None else asker.out).encoding
    plain = (encoding or "").lower().replace("-", "") == "utf8"
    echo(json.dumps(value, ensure_ascii=not plain, default=str))


def echo(text: str, *, err: bool = False, nl: bool = True) -> None:
    """Print text as it is."""
    asker = ASKER.get()
    file = None if asker is None else asker.err if err else asker.out
    click.echo(text, file=file, err=err, nl=nl)


def console() -> Console:
    """The terminal, as rich sees it."""
    asker = ASKER.get()
    return _own_console() if asker is None else asker.console


@functools.cache
def _own_console() -> Console:
    return console_on(is_terminal=sys.stdout.isatty())


def console_on(
    file: IO[str] | None = None, *, is_terminal: bool, env: Mapping[str, str] | None = None
) -> Console:
    """A terminal, or what stands in for one, as rich sees it. What is printed there is text:
    nothing in it is read as markup."""
    from rich.console import Console

    class Output(Console):
        def on_broken_pipe(self) -> None:
            """Leave it to `main` to end well: rich would end with an error."""
            raise BrokenPipeError

    plain = functools.partial(
        Output, file=file, highlight=False, markup=False, emoji=False, _environ=env
    )
    return plain() if is_terminal else plain(soft_wrap=True, width=PIPE_WIDTH)


def say(*parts: Part, whole: bool = False) -> None:
    """Print a line; `whole` leaves it to the terminal where to break it, for paths and keys."""
    from rich.text import Text

    console().print(Text.assemble(*parts), soft_wrap=True if whole else None)


def warn(text: str) -> None:
    """Print a line that wants attention."""
    say((text, "yellow"))


def counted(number: int, noun: str) -> str:
    """A number with its noun: `1 backup`, `2 backups`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def interactive() -> bool:
    """Whether a person can be asked."""
    if asker := ASKER.get():
        return asker.is_person
    return sys.stdin.isatty() and sys.stdout.isatty() and "CI" not in os.environ


def agreed(question: str, *, yes: bool, as_json: bool, unasked: str) -> bool:
    """Whether a thing is to be done: by `--yes`, or because a person says so. Where nobody can be
    asked, BadInput says `unasked`."""
    if yes:
        return True
    if as_json or not interactive():
        raise BadInput(unasked, hint="Add --yes to confirm it.")
    ask_there()
    if click.confirm(question):
        return True
    say("Nothing was changed.")
    return False


def chosen(reference: str, find: Callable[[str], Any], *, as_json: bool) -> str:
    """The id a reference stands for; a person is asked where it is ambiguous."""
    try:
        return cast(str, find(reference).id)
    except Ambiguous as fault:
        if as_json or not interactive() or not fault.candidates:
            raise
        ask_there()
        shown = fault.candidates[:9]
        for number, (id_, summary) in enumerate(shown, 1):
            say((f"  {number}  ", "bold"), (f"{short_id(id_)}  ", "dim"), summary)
        if len(fault.candidates) > len(shown):
            say((f"     and {len(fault.candidates) - len(shown)} more", "dim"))
        click.echo("Which one? (a number; any other key for none) ", nl=False)
        key = click.getchar()
        click.echo(key if key.isprintable() else "")
        if key.isdecimal() and 1 <= int(key) <= len(shown):
            return shown[int(key) - 1][0]
        raise BadInput("None was chosen; nothing was changed.") from fault

"""`map` and `brief`: the modules of a project, and what an agent is told before a task."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from loremap.errors import NotFound
from loremap.interfaces.cli.progress import bar
from loremap.interfaces.cli.shell import command, counted, group, place, say
from loremap.model.module import command_said

if TYPE_CHECKING:
    from loremap.app import Lore
    from loremap.model.module import Module, ModuleMap
import textwrap
from collections.abc import Iterable

SHOWN_FILES = 12

map_ = group(
    "map",
    "Show the modules of this project, and how it is built and tested. With NAME, that module.",
    default="show",
    takes_names=True,
)


@contextmanager
def _lore() -> Iterator[Lore]:
    with place().lore() as lore, bar() as tell:
        lore.code.progress = tell
        yield lore


@map_.command()
@click.argument("module", required=False)
@command
def show(module: str | None, as_json: bool) -> Any:
    """Show the map, or one MODULE in full."""
    with _lore() as lore:
        found = lore.modules.map()
        counts = lore.modules.file_counts(found) if module is None else {}
    if module is not None:
        one = _named(found, module)
        if as_json:
            return _as_data(one)
        _print_module(one)
        return None
    if as_json:
        return asdict(found) | {"modules": [_as_data(one) for one in found.modules]}
    _print_map(found, counts)
    return None


def _as_data(module: Module) -> dict[str, Any]:
    return asdict(module) | {"role": module.role}


@map_.group()
def edit() -> None:
    """Correct the map. Corrections hold through every scan."""


def _edited(name: str, doc: str, *arguments: str) -> Callable[[Any], click.Command]:
    """A command of `map edit` that shows the module it changed."""

    def made(change: Callable[..., ModuleMap]) -> click.Command:
        @click.option(
            "--if-version", type=int, metavar="N", help="Refuse if MODULE has another version."
        )
        @command
        def run(as_json: bool, if_version: int | None, **given: Any) -> Any:
            with _lore() as lore:
                found = change(lore, **given, expected_version=if_version)
            if as_json:
                return asdict(found)
            say(f"Done. The map has {counted(len(found.modules), 'module')}; lore map shows it.")
            return None

        run.__doc__ = doc
        for argument in reversed(arguments):
            many = argument.endswith("*")
            run = click.argument(argument.rstrip("*"), nargs=-1 if many else 1, required=True)(run)
        return edit.command(name)(run)

    return made


def _kind(name: str) -> Any:
    from loremap.model.map_edits import EditKind

    return EditKind(name)


@_edited("rename", "Rename MODULE to NAME.", "module", "name")
def rename(lore: Lore, module: str, name: str, **seen: Any) -> ModuleMap:
    return lore.modules.edit(_kind("rename"), module, value=name, **seen)


@_edited("merge", "Make MODULE part of INTO.", "module", "into")
def merge(lore: Lore, module: str, into: str, **seen: Any) -> ModuleMap:
    return lore.modules.edit(_kind("merge"), module, value=into, **seen)


@_edited("split", "Move the files of MODULE that fit FILES to NAME.", "module", "name", "files*")
def split(lore: Lore, module: str, name: str, files: tuple[str, ...], **seen: Any) -> ModuleMap:
    return lore.modules.edit(_kind("split"), module, value=name, items=files, **seen)


@_edited("add", "Move FILES to MODULE.", "module", "files*")
def add(lore: Lore, module: str, files: tuple[str, ...], **seen: Any) -> ModuleMap:
    return lore.modules.edit(
        _kind("add"), module, items=[lore.path_here(file) for file in files], **seen
    )


@_edited("remove", "Remove FILES from MODULE.", "module", "files*")
def remove(lore: Lore, module: str, files: tuple[str, ...], **seen: Any) -> ModuleMap:
    return lore.modules.edit(
        _kind("remove"), module, items=[lore.path_here(file) for file in files], **seen
    )


@_edited("describe", "Describe MODULE in a sentence.", "module", "text*")
def describe(lore: Lore, module: str, text: tuple[str, ...], **seen: Any) -> ModuleMap:
    return lore.modules.update_module(module, description=" ".join(text), **seen)


@_edited("annotate", "Write a note beside MODULE; - removes it.", "module", "text*")
def annotate(lore: Lore, module: str, text: tuple[str, ...], **seen: Any) -> ModuleMap:
    said = " ".join(text)
    return lore.modules.annotate(module, "" if said == "-" else said, **seen)


@map_.command()
@click.option("--forget", type=int, help="Take the edit with this number back.")
@command
def edits(forget: int | None, as_json: bool) -> Any:
    """List what people changed in the map."""
    with _lore() as lore:
        if forget is not None:
            lore.modules.forget_edit(forget)
        found = lore.modules.edits()
    if as_json:
        return {"edits": [{"number": number} | asdict(edit) for number, edit in found]}
    if not found:
        say("Nobody has changed this map.")
    for number, one in found:
        rest = " ".join((one.value, *one.items)).strip()
        say((f"{number:>4}  ", "dim"), (f"{one.kind.value} ", "bold"), f"{one.module}  {rest}")
    return None


def _named(found: ModuleMap, name: str) -> Module:
    wanted = name.casefold()
    for module in found.modules:
        if module.name.casefold() == wanted:
            return module
    ending = [one for one in found.modules if one.name.casefold().endswith(f".{wanted}")]
    if len(ending) == 1:
        return ending[0]
    names = ", ".join(module.name for module in found.modules[:12]) or "none"
    raise NotFound(f"The map has no module {name!r}.", hint=f"Modules: {names}.")


def _print_map(found: ModuleMap, counts: Mapping[str, int]) -> None:
    from loremap.interfaces.cli.shell import console

    if not found.modules:
        say("There is no source code here that the map knows.")
    product = [one for one in found.modules if not one.role]
    apart = sorted((one for one in found.modules if one.role), key=lambda one: (one.role, one.name))
    for title, modules in (("Modules", product), ("Beside the product", apart)):
        if modules:
            say((title, "bold"))
            told = {one.name: one.description or one.role for one in modules}
            for line in module_lines(told, counts, width=console().width):
                say(line, whole=True)
    if found.build.commands:
        say(("Commands  ", "bold"), f"({found.build.tool})" if found.build.tool else "")
        for what, how in found.build.commands.items():
            said = command_said(how, found.build.folders.get(what, ""))
            source = found.build.sources.get(what, "")
            say((f"  {what:<10} ", "dim"), said, (f"  {source}", "dim"), whole=True)
    if found.tests.tool:
        at = f", set in {found.tests.config_file}" if found.tests.config_file else ""
        say(("Tests  ", "bold"), f"{found.tests.tool}{at}: {found.tests.run_command}", whole=True)


def _print_module(module: Module) -> None:
    say((module.name, "bold"), (f"  {module.confidence.value}", "dim"))
    if module.description:
        say(module.description)
    if module.annotation:
        say(("Note  ", "dim"), module.annotation)
    for title, names in (
        ("Files", module.core_files),
        ("Entry points", module.entry_points),
        ("Tests", module.test_files),
    ):
        if names:
            say((f"{title} ({len(names)})", "dim"))
            for name in names[:SHOWN_FILES]:
                say("  ", name, whole=True)
            if len(names) > SHOWN_FILES:
                say((f"  … and {len(names) - SHOWN_FILES} more; --json lists all", "dim"))
    for title, names in (("Uses", module.dependencies), ("Related", module.related_modules)):
        if names:
            say((f"{title}  ", "dim"), ", ".join(names))


@click.command()
@click.argument("task", nargs=-1, required=True)
@click.option(
    "--tokens", type=click.IntRange(50, 100_000), help="At most about this many tokens [1800]."
)
@command
def brief(task: tuple[str, ...], tokens: int | None, as_json: bool) -> Any:
    """Show what an agent is told before TASK."""
    from loremap.interfaces.cli.present import hit_data

    with _lore() as lore:
        found = lore.brief(" ".join(task), budget_tokens=tokens)
    if as_json:
        return {
            "text": found.text,
            "tokens": found.tokens,
            "modules": [module.name for module in found.modules],
            "memories": [hit_data(hit) for hit in found.hits],
            "left_out": found.left_out,
        }
    click.echo(found.text or "Nothing here concerns that.")
    return None


COMMANDS = (map_, brief)


LONGEST_NAME = 26
"""A longer name has a line of its own."""
_COUNT = 6
_WIDEST = 100


def module_lines(
    told: Mapping[str, str], counts: Mapping[str, int], *, width: int
) -> Iterator[str]:
    """A line or more for each module: its name, its files, what is `told` of it; modules of one
    group below the name they share."""
    names = _with_groups(told)
    column = min(LONGEST_NAME, max((len(_shown(name, names)) for name in names), default=0))
    room = max(20, min(width, _WIDEST) - column - _COUNT - 4)
    for name in names:
        inside = [one for one in told if one == name or (name not in told and _is_in(one, name))]
        number = sum(counts.get(one, 0) for one in inside)
        count = f"{number:>{_COUNT},}" if number else " " * _COUNT
        lines = textwrap.wrap(told.get(name, ""), room)
        shown = _shown(name, names)
        if len(shown) > column:
            yield f"{shown}  {count.strip()}".rstrip()
        else:
            first = lines.pop(0) if lines else ""
            yield f"{shown:<{column}}{count}  {first}".rstrip()
        yield from (" " * (column + _COUNT + 2) + line for line in lines)


def _with_groups(names: Iterable[str]) -> list[str]:
    """The names in order, each beginning that several share before them."""
    told = set(names)
    above = [name.rpartition(".")[0] for name in told]
    groups = {one for one in above if one and above.count(one) > 1 and one not in told}
    return sorted(told | groups, key=lambda name: name.lower().split("."))


def _shown(name: str, names: Iterable[str]) -> str:
    return f"  {name}" if any(_is_in(name, other) for other in names) else name


def _is_in(name: str, group: str) -> bool:
    return name.startswith(f"{group}.")

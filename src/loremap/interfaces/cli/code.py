"""`scan`, `outline`, `symbol`, `callers`, `callees`, `deps`, `impact`, `locate`: the code."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import click

from loremap.errors import BadInput
from loremap.interfaces.cli.progress import bar
from loremap.interfaces.cli.shell import (
    Part,
    command,
    counted,
    interactive,
    place,
    say,
    warn,
)
from loremap.interfaces.cli.write import FILE
from loremap.model.code import CALLABLE, Edge, Symbol, SymbolKind

if TYPE_CHECKING:
    from loremap.code.checkout import Code, Edges, Missing

SHOWN = 50
"""How many lines of an answer are shown where no limit is given."""
LISTED = 500
"""The same for `--json`."""
GIVEN_UP_SHOWN = 10
LIMITED = click.option("-n", "--limit", type=click.IntRange(1), help="At most this many [50].")


@contextmanager
def _code() -> Iterator[Code]:
    """The code of where the command stands, with a bar for what takes long."""
    from contextlib import closing

    from loremap.code.checkout import open_code

    with closing(open_code(place().folder)) as code, bar() as tell:
        code.progress = tell
        yield code


@click.command()
@click.option("--everything", is_flag=True, help="Scan even a home folder.")
@command
def scan(everything: bool, as_json: bool) -> Any:
    """Read what changed in this checkout into the code graph."""
    started = time.perf_counter()
    with _code() as code:
        if code.repository.kind == "global" and not everything and interactive() and not as_json:
            everything = click.confirm(
                f"{code.repository.root} holds everything you have. Scan it?", default=False
            )
        report = code.scan(consent=everything)
        waiting = code.embed()
        counts = code.counts()
    took_s = time.perf_counter() - started
    if as_json:
        return (
            asdict(counts)
            | asdict(report)
            | {
                "without_vectors": waiting,
                "took_s": round(took_s, 3),
            }
        )
    if report.busy:
        warn("Another process is scanning this checkout; these are its figures so far.")
    languages = ", ".join(f"{name} {count:,}" for name, count in counts.languages.items())
    say(
        f"{counted(counts.files, 'file')}, {counted(counts.lines, 'line')}, "
        f"{counted(counts.symbols, 'symbol')}, {counted(counts.edges, 'edge')}"
        f" ({report.read:,} read, {report.linked:,} linked in {took_s:.1f} s)"
    )
    if languages:
        say((f"Languages: {languages}", "dim"))
    if waiting:
        say((f"{counted(waiting, 'file')} without vectors yet; the next scan goes on.", "dim"))
    if counts.skipped:
        reasons = ", ".join(f"{reason} {count:,}" for reason, count in counts.skipped.items())
        say((f"Passed over: {reasons}", "dim"))
    if counts.broken:
        say((f"{counted(counts.broken, 'file')} with syntax the parser did not know.", "dim"))
    say_given_up(report.given_up)
    return None


def say_given_up(files: Sequence[tuple[str, str]]) -> None:
    """Name the files that could not be read or linked within the limits."""
    if not files:
        return
    warn(f"{counted(len(files), 'file')} given up; each is tried again when it changes:")
    for path, why in files[:GIVEN_UP_SHOWN]:
        say((f"  {path}: {why}", "dim"), whole=True)
    if len(files) > GIVEN_UP_SHOWN:
        say((f"  and {len(files) - GIVEN_UP_SHOWN:,} more (lore scan --json)", "dim"))


@click.command()
@click.argument("file", type=FILE)
@command
def outline(file: str, as_json: bool) -> Any:
    """Show what a source FILE holds: classes, functions and variables."""
    with _code() as code:
        found = code.outline(_path_here(code, file))
    if as_json:
        return {"path": found[0].path, "symbols": [symbol_data(one) for one in found[1:]]}
    for symbol in found[1:]:
        depth = symbol.qualified.count(".")
        say(
            (f"{symbol.start_line:>5}  ", "dim"),
            "  " * depth,
            (shown(symbol), _style(symbol)),
            (f"  {symbol.doc}" if symbol.doc else "", "dim"),
        )
    return None


@click.command()
@click.argument("name")
@click.option("--references", is_flag=True, help="Also every place that mentions it.")
@click.option("--to", help="The shortest way from it to this other symbol.")
@LIMITED
@command
def symbol(name: str, references: bool, to: str | None, limit: int | None, as_json: bool) -> Any:
    """Show where NAME is defined. `f`, `Class.method` or `path/file.py::Class`."""
    with _code() as code:
        if to is not None:
            way = code.path_between(name, to)
            return _way(way, name, to, code.missing(), as_json=as_json)
        found = code.symbols(name)
        edges = code.references(name, limit=_most(limit, as_json)) if references else None
        missing = code.missing()
    if as_json:
        return {
            "symbols": [symbol_data(one) for one in found],
            "references": [edge_data(edge) for edge in edges or ()],
        } | _missing_data(missing)
    for one in found:
        _print_symbol(one)
    if edges is not None:
        _print_edges(edges, end="source", nothing=f"Nothing mentions {name}.")
    _say_missing(missing if edges is not None else replace(missing, unlinked=0))
    return None


def _way(way: Sequence[Symbol], start: str, end: str, missing: Missing, *, as_json: bool) -> Any:
    if as_json:
        return {"path": [symbol_data(one) for one in way]} | _missing_data(missing)
    _say_missing(missing)
    if not way:
        say(f"{start} does not depend on {end}.")
    for step, one in enumerate(way):
        say("  " * step, ("→ " if step else "", "dim"), *_line(one))
    return None


@click.command()
@click.argument("name")
@LIMITED
@command
def callers(name: str, limit: int | None, as_json: bool) -> Any:
    """Show who calls NAME. Of a class, who makes it or calls its methods."""
    with _code() as code:
        edges = code.callers(name, limit=_most(limit, as_json))
        missing = code.missing()
    if as_json:
        lost = [{"path": path, "line": line} for path, line in edges.unresolved.places]
        return {
            "total": edges.total,
            "callers": [edge_data(edge) for edge in edges],
            "unresolved": {"total": edges.unresolved.total, "places": lost},
        } | _missing_data(missing)
    _print_edges(edges, end="source", nothing=edges.unresolved.said(name))
    _say_missing(missing)
    return None


@click.command()
@click.argument("name")
@LIMITED
@command
def callees(name: str, limit: int | None, as_json: bool) -> Any:
    """Show what NAME calls in this project."""
    with _code() as code:
        edges = code.callees(name, limit=_most(limit, as_json))
        missing = code.missing()
    if as_json:
        listed = [edge_data(edge) for edge in edges]
        return {"total": edges.total, "callees": listed} | _missing_data(missing)
    _print_edges(edges, end="target", nothing=f"{name} calls nothing that is in this project.")
    _say_missing(missing)
    return None


@click.command()
@click.argument("file", type=FILE)
@command
def deps(file: str, as_json: bool) -> Any:
    """Show which files FILE uses, and which use it."""
    with _code() as code:
        found = code.dependencies(_path_here(code, file))
        missing = code.missing()
    if as_json:
        return asdict(found) | {"external": list(found.external)} | _missing_data(missing)
    for title, names in (
        ("Uses", found.uses),
        ("Used by", found.used_by),
        ("From outside", found.external),
    ):
        say((f"{title} ({len(names)})", "bold"))
        for name in names[:SHOWN]:
            say("  ", name, whole=True)
        _say_more(len(names), min(len(names), SHOWN))
    _say_missing(missing)
    return None


@click.command()
@click.argument("name")
@click.option(
    "--depth", type=click.IntRange(1, 1000), default=50, help="At most so many steps [50]."
)
@click.option(
    "-n", "--limit", type=click.IntRange(1), default=SHOWN, help="Show at most this many."
)
@command
def impact(name: str, depth: int, limit: int | None, as_json: bool) -> Any:
    """Show what a change of NAME (a symbol or a file) may reach."""
    with _code() as code:
        found = code.impact(name, depth=depth, limit=_most(limit, as_json))
        missing = code.missing()
    if as_json:
        return {
            "total": found.total,
            "files": found.files,
            "impact": [symbol_data(one.symbol) | {"steps": one.steps} for one in found],
        } | _missing_data(missing)
    _say_missing(missing)
    if not found.total:
        say(f"Nothing in this project depends on {name}.")
        return None
    reach = f"{counted(found.total, 'symbol')} in {counted(found.files, 'file')}"
    say(f"A change of {name} may reach {reach}.")
    for one in found:
        say((f"{one.steps:>3}  ", "dim"), *_line(one.symbol))
    _say_more(found.total, len(found.reached))
    return None


@click.command()
@click.argument("task", nargs=-1, required=True)
@click.option(
    "-n", "--limit", type=click.IntRange(1, 200), default=10, help="At most so many [10]."
)
@click.option("--why", is_flag=True, help="Say for every file why it was found.")
@command
def locate(task: tuple[str, ...], limit: int, why: bool, as_json: bool) -> Any:
    """Find the files a TASK or an issue is about. - reads it from standard input."""
    text = " ".join(task)
    if text == "-":
        text = sys.stdin.buffer.read().decode("utf-8", "replace")
    if not text.strip():
        raise BadInput("There is nothing to look for: the task is empty.")
    with _code() as code:
        found = code.locate(text, limit=limit)
        missing = code.missing()
    if as_json:
        return asdict(found) | _missing_data(missing)
    if not found.files and not found.tests:
        say("No file here fits that.")
    for title, files in (("", found.files), ("Tests", found.tests)):
        if title and files:
            say((title, "dim"))
        for file in files:
            symbols = ", ".join(f"{one.name}:{one.line}" for one in file.symbols)
            say((f"{file.score:5.2f}  ", "dim"), (file.path, "cyan"), f"  {symbols}", whole=True)
            if why:
                say((f"       {'; '.join(file.reasons)}", "dim"))
    _say_missing(missing)
    return None


def symbol_data(symbol: Symbol) -> dict[str, Any]:
    """A symbol for `--json`."""
    return {"key": symbol.key} | asdict(symbol)


def edge_data(edge: Edge) -> dict[str, Any]:
    """An edge for `--json`."""
    return {
        "source": symbol_data(edge.source),
        "target": symbol_data(edge.target),
        "kind": edge.kind.value,
        "line": edge.line,
    }


def shown(symbol: Symbol) -> str:
    """A symbol in a line: its signature, or its kind and name."""
    return symbol.signature or f"{symbol.kind.value} {symbol.name}"


def _path_here(code: Code, file: str) -> str:
    """`file` as the project names it."""
    from loremap.safety.ignored import inside

    folder = place().folder.absolute()
    relative = inside(folder / file, code.repository.root)
    at_top = (code.repository.root / file).exists() and not (folder / file).exists()
    return file if relative is None or at_top else relative


def _print_symbol(symbol: Symbol) -> None:
    say((f"{symbol.path}:{symbol.start_line}", "cyan"), f"  {shown(symbol)}", whole=True)
    if symbol.doc:
        say(("    " + symbol.doc, "dim"))


def _print_edges(edges: Edges, *, end: str, nothing: str) -> None:
    if not edges.total:
        say(nothing)
    for edge in edges:
        one = edge.source if end == "source" else edge.target
        where = f"{edge.source.path}:{edge.line}"
        kind = "" if edge.kind.value == "calls" else f"  ({edge.kind.value})"
        name = one.qualified or "(the file itself)"
        at = "" if end == "source" else f"  {one.path}:{one.start_line}"
        say((where, "cyan"), f"  {name}", (at + kind, "dim"), whole=True)
    _say_more(edges.total, len(edges.edges))


def _line(symbol: Symbol) -> tuple[Part, ...]:
    where = f"{symbol.path}:{symbol.start_line}" if symbol.qualified else symbol.path
    return ((where, "cyan"), f"  {symbol.qualified}" if symbol.qualified else "")


def _say_more(total: int, shown_count: int) -> None:
    if total > shown_count:
        say((f"  … and {total - shown_count:,} more", "dim"))


def _say_missing(missing: Missing) -> None:
    """Say what an answer could not rest on, as long as the first scan is not done."""
    if missing:
        warn(f"{missing.said()} `lore scan` completes the graph.")


def _missing_data(missing: Missing) -> dict[str, Any]:
    """The same for `--json`; nothing where all is there."""
    return {"missing": asdict(missing)} if missing else {}


def _most(limit: int | None, as_json: bool) -> int:
    """How many are listed: as many as asked for, else what a person reads or a program takes."""
    return limit or (LISTED if as_json else SHOWN)


def _style(symbol: Symbol) -> str:
    if symbol.kind in CALLABLE:
        return ""
    return "dim" if symbol.kind is SymbolKind.VARIABLE else "bold"


COMMANDS = (scan, outline, symbol, callers, callees, deps, impact, locate)

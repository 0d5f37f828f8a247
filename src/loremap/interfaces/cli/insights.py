"""`insights`, `sql`: the log in figures and charts, and asked in SQL."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from loremap.errors import BadInput
from loremap.interfaces.cli.episodes import together_data
from loremap.interfaces.cli.shell import ask_there, command, console, counted, place, say

if TYPE_CHECKING:
    from loremap.model.episode import Insights, ToolRate
    from loremap.storage.analysis.asked import Analysis

BAR_CHARACTERS = 32
SHOWN_TOOLS = 12
SHOWN_ROWS = 1_000
LONGEST_CELL = 80
LOOKED_AT = 10_000
"""Characters of a cell of which the first are shown."""


@click.command()
@click.option("--days", type=click.IntRange(1, 3_650), default=30, help="The last days [30].")
@click.option("--png", type=click.Path(dir_okay=False, path_type=Path), help="Draw it into FILE.")
@command
def insights(days: int, png: Path | None, as_json: bool) -> Any:
    """What the last days came to: calls a day, how tools fared, files, tasks."""
    if png is not None:
        ask_there()  # a file is written where the person stands
    with place().lore() as lore:
        found, name = lore.episodes.insights(days=days), lore.folder.name
    if png is not None:
        draw(found, png, title=name)
    if as_json:
        return _data(found) | ({"png": str(png)} if png is not None else {})
    _print(found)
    if png is not None:
        say("Drawn into ", (str(png), "cyan"), whole=True)
    return None


def _data(found: Insights) -> dict[str, Any]:
    return {
        "days": found.days,
        "calls_per_day": {day.isoformat(): count for day, count in found.per_day},
        "tools": [_tool_data(one) for one in found.rates],
        "files_changed": dict(found.files),
        "together": [together_data(one) for one in found.together],
        "tasks_by_status": dict(found.statuses),
        "tasks_by_intent": dict(found.intents),
    }


def _tool_data(one: ToolRate) -> dict[str, Any]:
    return {
        "tool": one.tool,
        "calls": one.total,
        "succeeded": one.successes,
        "failed": one.failures,
        "success_rate": None if one.rate is None else round(one.rate, 4),
        "mean_ms": None if one.mean_ms is None else round(one.mean_ms, 1),
    }


def _print(found: Insights) -> None:
    if not (found.per_day or found.statuses):
        say(f"Nothing was recorded here in the last {counted(found.days, 'day')}.")
        return
    _bars("Tool calls a day", [(day.isoformat(), count) for day, count in found.per_day[-31:]])
    _print_tools(found.rates)
    _bars("Files changed most", found.files)
    _bars("Tasks by status", sorted(found.statuses.items()))
    _bars("Tasks by intent", sorted(found.intents.items()))
    if found.together:
        say(("\nFiles that change together", "bold"))
        for one in found.together:
            said = f"{counted(one.times, 'time')} in {counted(one.tasks, 'task')}"
            say(f"  {one.first} + {one.second}", (f"  {said}", "dim"))


def _bars(title: str, counts: Iterable[tuple[str, int]]) -> None:
    """A chart of horizontal bars, the longest as wide as there is room for."""
    held = list(counts)
    if not held:
        return
    say((f"\n{title}", "bold"))
    most, width = max(count for _, count in held), max(len(name) for name, _ in held)
    for name, count in held:
        bar = "█" * max(1, round(BAR_CHARACTERS * count / most)) if count else ""
        say(f"  {name:<{min(width, 60)}}  ", (bar, "cyan"), f" {count:,}")


def _print_tools(rates: Sequence[ToolRate]) -> None:
    if not rates:
        return
    from loremap.interfaces.cli.present import plain_table

    say(("\nTools", "bold"))
    table = plain_table("tool", "calls", "succeeded", "failed", "rate", "mean")
    for one in rates[:SHOWN_TOOLS]:
        table.add_row(
            one.tool,
            f"{one.total:,}",
            f"{one.successes:,}",
            f"{one.failures:,}",
            "" if one.rate is None else f"{one.rate:.0%}",
            "" if one.mean_ms is None else f"{one.mean_ms:,.0f} ms",
        )
    console().print(table)


def draw(found: Insights, path: Path, *, title: str) -> None:
    """Draw four charts into a PNG file."""
    try:
        import matplotlib as mpl
    except ImportError as fault:
        raise BadInput(
            "Drawing needs the extra `insights`.", hint="pip install 'loremap[insights]'"
        ) from fault
    mpl.use("Agg")
    from matplotlib import pyplot

    figure, ((days, tools), (files, tasks)) = pyplot.subplots(2, 2, figsize=(12, 8))
    days.bar([day for day, _ in found.per_day], [count for _, count in found.per_day])
    days.set_title(f"Tool calls a day, the last {counted(found.days, 'day')}")
    days.tick_params(axis="x", rotation=45)
    known = [one for one in found.rates if one.rate is not None][:SHOWN_TOOLS]
    _barh(tools, "Success rate by tool", [(one.tool, one.rate or 0.0) for one in known])
    _barh(files, "Files changed most", found.files)
    _barh(tasks, "Tasks", [*sorted(found.statuses.items()), *sorted(found.intents.items())])
    figure.suptitle(title)
    figure.tight_layout()
    figure.savefig(path, format="png", dpi=110)
    pyplot.close(figure)


def _barh(axis: Any, title: str, counts: Sequence[tuple[str, float]]) -> None:
    axis.barh([name[-40:] for name, _ in reversed(counts)], [one for _, one in reversed(counts)])
    axis.set_title(title)


@click.command()
@click.argument("query", required=False)
@click.option("--all", "everywhere", is_flag=True, help="Of all projects.")
@click.option("-n", "--limit", type=click.IntRange(1), help="At most so many rows [1000 shown].")
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the answer: .parquet, .csv or .json.",
)
@click.option(
    "--export",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write every table into FOLDER, as Parquet.",
)
@command
def sql(
    query: str | None,
    everywhere: bool,
    limit: int | None,
    out: Path | None,
    export: Path | None,
    as_json: bool,
) -> Any:
    """Ask the log in SQL (DuckDB): tool_executions, file_interactions, task_history,
    context_snapshots, learned_patterns, session_learnings."""
    if (query is None) == (export is None):
        raise BadInput("Give a query, or --export FOLDER.", hint=EXAMPLE)
    ask_there()
    with place().lore() as lore, lore.episodes.analysis(everywhere=everywhere) as log:
        if export is not None:
            written = _export(log, export)
            if as_json:
                return {"written": written}
            for name, count in written.items():
                say((f"{name}  ", "cyan"), counted(count, "row"), whole=True)
            return None
        shown = limit if limit is not None or out is not None else SHOWN_ROWS
        answer = log.sql(query or "", limit=shown)
        if out is not None:
            count = answer.write(out)
            if as_json:
                return {"written": {str(out): count}}
            say(f"{counted(count, 'row')} written into ", (str(out), "cyan"), whole=True)
            return None
        if as_json:
            return {"columns": list(answer.columns), "rows": answer.in_json}
        _print_rows(answer.columns, answer.rows)
    return None


EXAMPLE = 'lore sql "SELECT tool_name, count(*) FROM tool_executions GROUP BY ALL ORDER BY 2 DESC"'


def _export(log: Analysis, folder: Path) -> dict[str, int]:
    """Write every table into a folder that nobody else can read; how many rows each has."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    written = {}
    for name in log.tables:
        path = folder / f"{name}.parquet"
        written[str(path)] = log.table(name).write(path)
    return written


def _print_rows(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    from rich.table import Table

    from loremap.model.text import one_line

    if not columns:
        say("Done; it has no rows.")
        return
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in columns:
        table.add_column(one_line(name), overflow="fold")
    for row in rows:
        cells = ("" if value is None else _cell(value) for value in row)
        table.add_row(*cells)
    console().print(table)
    say((counted(len(rows), "row"), "dim"))


def _cell(value: Any) -> str:
    from loremap.model.text import cut, one_line

    return cut(one_line(str(value)[:LOOKED_AT]), LONGEST_CELL)


COMMANDS = (insights, sql)

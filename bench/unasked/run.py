"""How often the memory agent speaks up rightly, and how often it should have been silent.

    python -m bench.unasked.run [--repos FOLDER] [--filler N] [--words] [--results FOLDER] [--show]

The stores and prompts are the project's own. FOLDER holds checkouts of the repositories the stores
speak of, by name; where they are given, modules are named too and each store is filled up with N
sentences of the repository's documentation. The first run with them takes minutes, for the code is
read and every sentence embedded; both are kept.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.retrieval.embedder import KeptEmbedder
from bench.speed.stores import default_work
from bench.unasked.cases import SILENT, Sort, Store, prompts_for, stores
from bench.unasked.embedder import ReadyEmbedder
from bench.unasked.filler import filler
from bench.unasked.world import Told, world
from loremap.agent.retriever import as_question
from loremap.embedding.local import LocalEmbedder

HALVES = ("development", "held out")
SILENCE_BAR = 95.0


def asked_all(
    store: Store,
    every: list[Store],
    *,
    work: Path,
    embedder: ReadyEmbedder | None,
    repository: Path | None,
    fill: int,
) -> list[Told]:
    """What is told at every prompt to one store."""
    filling = filler(repository, fill) if repository else []
    prompts = prompts_for(store, every)
    if embedder is not None:
        embedder.prepare([*filling, *(one.text for one in store.memories)])
        embedder.prepare([as_question(one.text) for one in prompts])
    with world(
        store, work=work, embedder=embedder, repository=repository, filling=filling
    ) as place:
        return [place.told(prompt) for prompt in prompts]


def figures_of(told: Sequence[Told]) -> dict[str, float]:
    """Shares in percent of the prompts, and tokens a prompt."""
    return {
        "prompts": len(told),
        "silent": _share(not one.anything for one in told),
        "told a memory": _share(bool(one.memories) for one in told),
        "told a module": _share(bool(one.modules) for one in told),
        "right memory": _share(one.right_memory for one in told),
        "right module": _share(one.right_module for one in told),
        "memories": _mean(len(one.memories) for one in told),
        "tokens": _mean(one.tokens for one in told),
    }


def summed_up(told: Sequence[Told]) -> dict[str, dict[str, dict[str, float]]]:
    """half → sort of prompt → figures"""
    return {
        half: {
            sort.value: figures_of(
                [
                    one
                    for one in told
                    if one.prompt.sort is sort and one.prompt.held_out == (half == HALVES[1])
                ]
            )
            for sort in Sort
        }
        for half in HALVES
    }


def missed_bars(figures: dict[str, dict[str, dict[str, float]]]) -> list[str]:
    """The sorts of held-out prompts at which the agent is not silent often enough."""
    held_out = figures[HALVES[1]]
    return [
        f"{sort.value}: silent for {held_out[sort.value]['silent']:.1f} %, at least {SILENCE_BAR}"
        for sort in SILENT
        if held_out[sort.value]["silent"] < SILENCE_BAR
    ]


def tables_of(figures: dict[str, dict[str, dict[str, float]]], *, title: str) -> Iterable[Table]:
    """A table for each half."""
    for half, sorts in figures.items():
        table = Table("sort", *next(iter(sorts.values())), title=f"{title}, {half}")
        for sort, values in sorts.items():
            table.add_row(sort, *(f"{value:.1f}".removesuffix(".0") for value in values.values()))
        yield table


def shown(told: Iterable[tuple[str, Told]]) -> Iterable[str]:
    """The development prompts at which the agent erred; the other half is nobody's to look at."""
    for store, one in told:
        if one.prompt.held_out:
            continue
        if one.prompt.sort is not Sort.TASK and one.anything:
            what = (
                *(key or "filler" for key in one.memories),
                *(f"[{name}]" for name in one.modules),
            )
            yield f"told  {store}: {one.prompt.text[:80]!r} → {', '.join(what)}"
        elif one.prompt.sort is Sort.TASK and not one.right_memory:
            yield f"missed {store}: {one.prompt.text[:80]!r} → {', '.join(one.memories)}"


def main() -> int:
    """Measure, print, write; 1 where a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repos", type=Path)
    parser.add_argument("--filler", type=int, default=2_000)
    parser.add_argument("--words", action="store_true", help="as while the model is not loaded")
    parser.add_argument("--work", type=Path, default=default_work() / "unasked")
    parser.add_argument("--results", type=Path, default=Path("bench/results"))
    parser.add_argument("--show", action="store_true", help="the errors of the development half")
    given = parser.parse_args()
    started = time.perf_counter()
    embedder = None
    if not given.words:
        embedder = ReadyEmbedder(KeptEmbedder(LocalEmbedder.load(), given.work / "vectors.db"))
    every, told = stores(), list[tuple[str, Told]]()
    for store in every:
        repository = given.repos / store.name if given.repos else None
        if repository is not None and not repository.is_dir():
            repository = None
        asked = asked_all(
            store,
            every,
            work=given.work,
            embedder=embedder,
            repository=repository,
            fill=given.filler,
        )
        told += [(store.name, one) for one in asked]
    return report(told, given=given, took_s=time.perf_counter() - started)


def report(told: list[tuple[str, Told]], *, given: argparse.Namespace, took_s: float) -> int:
    """Print and write the figures."""
    console = Console()
    kind = f"with {given.filler} sentences a store" if given.repos else "memories alone"
    figures = summed_up([one for _, one in told])
    for table in tables_of(figures, title=f"Unasked, {kind}"):
        console.print(table)
    if given.show:
        for line in shown(told):
            console.print(line, markup=False, highlight=False, soft_wrap=True)
    missed = missed_bars(figures)
    for one in missed:
        console.print(f"[red]missed: {one}[/]")
    given.results.mkdir(parents=True, exist_ok=True)
    written: dict[str, Any] = {"figures": figures, "missed": missed, "took_s": round(took_s, 1)}
    name = "-".join(
        ["unasked", *(["words"] if given.words else []), *(["repositories"] if given.repos else [])]
    )
    (given.results / f"{name}.json").write_text(json.dumps(written, indent=1) + "\n", "utf-8")
    console.print(f"{took_s:.1f} s")
    return 1 if missed else 0


def _share(values: Iterable[bool]) -> float:
    return 100 * _mean(values)


def _mean(values: Iterable[float]) -> float:
    every = list(values)
    return sum(every) / len(every) if every else 0.0


if __name__ == "__main__":
    sys.exit(main())

"""Recall of coding notes as it is delivered: right ones, wrong ones, and silence.

    python -m bench.coding.run --data FOLDER [--distractors 10000] [--ablation] [--results FOLDER]

FOLDER holds coding*.json and, for distractors, the sets of `bench.retrieval`.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import platformdirs
from rich.console import Console
from rich.table import Table

from bench.coding.data import CodingStore, Prompt, coding, distractors
from bench.coding.world import World, world
from bench.retrieval.embedder import KeptEmbedder
from bench.retrieval.rows import GRAPH, HYBRID, LIFE, TAUGHT, UNTAUGHT
from bench.unasked.embedder import ReadyEmbedder
from loremap.agent.retriever import as_question
from loremap.embedding.local import LocalEmbedder
from loremap.memory.recall.recipes import RECIPES, Recipe

ProjectOf = Callable[[Prompt], str]
Found = dict[str, dict[str, float]]
"""By the way the notes lie: the figures."""
BARS = {
    "projects": {
        "any@1": 70, "any@5": 90, "MRR": 78, "right": 75, "precision": 50,
        "silent: nothing fits": 97, "silent: generic turn": 97,
        "hook right": 50, "hook precision": 70, "hook silent": 98, "standing in brief": 90,
    },
    "one store": {
        "any@1": 56, "any@5": 74, "right": 62, "precision": 40, "silent: generic turn": 95,
    },
}  # fmt: skip
"""In percent."""
LONGEST_LINE = 300


@dataclass
class Answers:
    """What prompts with an answer were given, and which prompts without one were not silent."""

    given: list[tuple[Prompt, list[str]]] = field(default_factory=list)
    silent: dict[str, list[bool]] = field(default_factory=dict)

    @property
    def right(self) -> float:
        """Share of prompts that were given a right one."""
        return _percent([not prompt.gold.isdisjoint(keys) for prompt, keys in self.given])

    @property
    def precision(self) -> float:
        """Share of right ones in what was given; near ones do not count."""
        counted = [
            key in prompt.gold
            for prompt, keys in self.given
            for key in keys
            if key not in prompt.near
        ]
        return _percent(counted)

    @property
    def items(self) -> float:
        """How many are given on average."""
        return float(np.mean([len(keys) for _, keys in self.given]))


def figures_of(place: World, store: CodingStore, project_of: ProjectOf) -> dict[str, float]:
    """All measures of one store."""
    ranks = [
        _rank(place.recall(project_of(one), one.text, ranked=True)[0], one) for one in store.fit
    ]
    asked = _answers(store, project_of, lambda project, text: place.recall(project, text)[0])
    told = _answers(store, project_of, place.told)
    return {
        **_ranking(ranks),
        "right": asked.right,
        "precision": asked.precision,
        "items": asked.items,
        **{f"silent: {sort}": _percent(silent) for sort, silent in asked.silent.items()},
        "hook right": told.right,
        "hook precision": told.precision,
        "hook silent": _percent([one for silent in told.silent.values() for one in silent]),
        **{f"hook silent: {sort}": _percent(silent) for sort, silent in told.silent.items()},
    }


def ablation(place: World, store: CodingStore, project_of: ProjectOf) -> Found:
    """What each part of the living memory adds to the ranking, and the recipes that walk it. Links
    are those of what the prompts before needed together; votes are those on every other prompt."""
    for project in dict.fromkeys(map(project_of, store.fit)):
        place.tend(project)
    ranks: dict[str, list[float]] = {}

    def ask(one: Prompt, recipe: Recipe) -> None:
        keys, _ = place.recall(project_of(one), one.text, ranked=True, recipe=recipe)
        ranks.setdefault(recipe.name, []).append(_rank(keys, one))

    for one in store.fit:
        for recipe in (HYBRID, *GRAPH, *LIFE, RECIPES["cascade"]):
            ask(one, recipe)
        place.used_together(project_of(one), one.gold)
    for one in store.fit[1::2]:
        ask(one, UNTAUGHT)
    for at, one in enumerate(store.fit[::2]):
        place.teach(project_of(one), one.text, one.gold, session=f"prompt-{at}")
    for one in store.fit[1::2]:
        ask(one, TAUGHT)
    return {name: _ranking(found) for name, found in ranks.items()}


def _ranking(ranks: Sequence[float]) -> dict[str, float]:
    return {
        "any@1": _percent([rank == 1 for rank in ranks]),
        "any@5": _percent([rank <= 5 for rank in ranks]),
        "MRR": 100 * float(np.mean([1 / rank for rank in ranks])),
    }


def standing_in_brief(place: World, store: CodingStore) -> float:
    """Share of the standing instructions of a prompt's repository that its session was told by the
    time it starts to work, word for word as far as anything is told."""
    told = []
    for prompt in store.fit:
        said = place.briefed(prompt.repo, prompt.text)
        told += [
            opening_of(note.text) in said
            for note in store.notes
            if note.standing and note.repo == prompt.repo
        ]
    return _percent(told)


def opening_of(text: str) -> str:
    """The first line of a text, which nothing indents or cuts."""
    return text.strip().splitlines()[0][:LONGEST_LINE]


def _answers(
    store: CodingStore,
    project_of: ProjectOf,
    ask: Callable[[str, str], list[str]],
) -> Answers:
    answers = Answers()
    projects = list(dict.fromkeys(project_of(one) for one in store.fit))
    for one in store.fit:
        answers.given.append((one, ask(project_of(one), one.text)))
    for sort, texts in (("nothing fits", store.nofit), ("generic turn", store.generic)):
        answers.silent[sort] = [not ask(project, text) for text in texts for project in projects]
    return answers


def _rank(keys: Sequence[str], prompt: Prompt) -> float:
    return next((at for at, key in enumerate(keys, 1) if key in prompt.gold), float("inf"))


def _percent(values: Sequence[bool]) -> float:
    return 100 * float(np.mean(values)) if values else 0.0


def measured(store: CodingStore, embedder: ReadyEmbedder, fill: Sequence[str]) -> Found:
    """The figures of each way the notes may lie."""
    found: Found = {}
    embedder.prepare([note.text for note in store.notes])
    embedder.prepare(
        [
            as_question(text)
            for text in (*(one.text for one in store.fit), *store.nofit, *store.generic)
        ]
    )
    embedder.prepare(list(fill))
    with world(embedder) as place:
        for repo in store.repos:
            place.remember(repo, [note for note in store.notes if note.repo == repo])
        found["projects"] = {
            **figures_of(place, store, lambda prompt: prompt.repo),
            "standing in brief": standing_in_brief(place, store),
        }
    with world(embedder) as place:
        place.remember("all", store.notes)
        found["one store"] = figures_of(place, store, lambda _: "all")
        if fill:
            place.fill("all", fill)
            found[f"one store and {len(fill):,} more"] = figures_of(place, store, lambda _: "all")
    return found


def missed(found: Found) -> list[str]:
    """The bars that are not reached, in words."""
    below = [
        f"{name}, {measure}: {found[name][measure]:.1f}, at least {bar}"
        for name, bars in BARS.items()
        for measure, bar in bars.items()
        if found[name][measure] < bar
    ]
    for name, figures in found.items():
        if name.startswith("one store and"):
            below += [
                f"{name}, {measure}: {figures[measure]:.1f} of {found['one store'][measure]:.1f}"
                for measure in BARS["one store"]
                if figures[measure] < 0.75 * found["one store"][measure]
            ]
    return below


def main() -> int:
    """Measure, print, write; 1 where a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--distractors", type=int, default=0)
    parser.add_argument("--ablation", action="store_true", help="only what the living memory adds")
    parser.add_argument("--results", type=Path, default=Path("bench/results"))
    given = parser.parse_args()
    kept = Path(platformdirs.user_cache_dir("loremap")) / "bench" / "vectors.db"
    embedder = ReadyEmbedder(KeptEmbedder(LocalEmbedder.load(), kept))
    if given.ablation:
        return report_ablation(coding(given.data), embedder, given.results)
    fill = distractors(given.data, given.distractors) if given.distractors else []
    found = measured(coding(given.data), embedder, fill)
    return report(found, given.results)


def report_ablation(store: CodingStore, embedder: ReadyEmbedder, results: Path) -> int:
    """Measure, print and write what the living memory adds."""
    with world(embedder) as place:
        for repo in store.repos:
            place.remember(repo, [note for note in store.notes if note.repo == repo])
        found = {"projects": ablation(place, store, lambda prompt: prompt.repo)}
    with world(embedder) as place:
        place.remember("all", store.notes)
        found["one store"] = ablation(place, store, lambda _: "all")
    console = Console(width=140)
    results.mkdir(parents=True, exist_ok=True)
    page = ["# What the living memory adds to the ranking of coding notes", ""]
    for name, rows in found.items():
        table = Table(name, "any@1", "any@5", "MRR")
        page += [f"| {name} | any@1 | any@5 | MRR |", "|---|---|---|---|"]
        for row, figures in rows.items():
            cells = [row, *(f"{value:.1f}" for value in figures.values())]
            table.add_row(*cells)
            page.append(f"| {' | '.join(cells)} |")
        console.print(table)
        page.append("")
    (results / "coding-ablation.md").write_text("\n".join(page), "utf-8")
    (results / "coding-ablation.json").write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    return 0


def report(found: Found, results: Path) -> int:
    """Print and write the figures."""
    console = Console(width=140)
    table = Table("measure", *found)
    for measure in dict.fromkeys(measure for figures in found.values() for measure in figures):
        cells = [f"{each[measure]:.1f}" if measure in each else "" for each in found.values()]
        table.add_row(measure, *cells)
    console.print(table)
    below = missed(found)
    for one in below:
        console.print(f"[red]missed: {one}[/]")
    results.mkdir(parents=True, exist_ok=True)
    written = {"figures": found, "missed": below}
    (results / "coding.json").write_text(json.dumps(written, indent=1) + "\n", "utf-8")
    return 1 if below else 0


if __name__ == "__main__":
    sys.exit(main())

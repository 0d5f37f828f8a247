"""Whether the statement that decides a bug report is in what an agent is briefed with.

    python -m bench.decisions.run --data FOLDER [--show] [--results FOLDER]

FOLDER holds sde*.json. For each report a project remembers the decoy chats and the report's own, a
turn a note of its session, on days of their own; then it is briefed within 600 tokens.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import platformdirs
from rich.console import Console
from rich.progress import track

from bench.decisions.data import Deciding, Decisions, Statement, Task, Turn, decisions
from bench.retrieval.data import Item, Store
from bench.retrieval.embedder import KeptEmbedder
from bench.retrieval.world import world
from loremap.embedding.local import LocalEmbedder
from loremap.memory.briefing import briefed
from loremap.model.kind import Kind

BRIEF_TOKENS = 600
BAR = 85
"""Percent of the reports whose deciding statement is briefed."""
NOWHERE = float("inf")
FIRST_DAY = datetime(2026, 1, 1, 9, tzinfo=UTC)


@dataclass(frozen=True)
class Judged:
    """What an agent was given for one report."""

    task: Task
    statement: str
    """The sentence that says most of the policy."""
    briefed: bool
    """Whether that one, or one that says nearly as much, stands in the brief."""
    verbatim: bool
    """Whether that very one does."""
    recalled: bool
    """Whether the note that holds it is among the ten best of a recall."""
    amending_above: bool | None
    """Whether what amends a decision is briefed, above what it amends or without it; None where
    nothing was amended."""


def judged(task: Task, all_chats: Decisions, embedder: KeptEmbedder) -> Judged:
    """One report, in a project of its own."""
    half = len(all_chats.decoys) // 2
    chats = [*all_chats.decoys[:half], task.chats[0], *all_chats.decoys[half:], *task.chats[1:]]
    deciding = Deciding(turn for chat in chats for turn in chat)
    new = deciding.statements(task.chats[-1], task.policy)
    old = deciding.statements(task.chats[0], task.policy) if task.amended else []
    with world(_store(task, chats), kind=Kind.SESSION_INSIGHT, embedder=embedder) as place:
        keys, _ = place.ask(task.report, "hybrid", limit=10)
        brief = briefed(place.lore, task.report, budget_tokens=BRIEF_TOKENS)
    return Judged(
        task,
        new[0].text,
        briefed=_place(new, brief.text) < NOWHERE,
        verbatim=_place(new[:1], brief.text) < NOWHERE,
        recalled=new[0].turn.key in keys,
        amending_above=_place(new, brief.text) < _place(old, brief.text) if old else None,
    )


def _place(statements: Sequence[Statement], told: str) -> float:
    """Where the first of some statements stands in a text."""
    line = " ".join(told.split())
    places = [line.find(" ".join(one.text.split())) for one in statements]
    return min((place for place in places if place >= 0), default=NOWHERE)


def _store(task: Task, chats: Sequence[Sequence[Turn]]) -> Store:
    items = [
        Item(
            key=turn.key,
            text=turn.text,
            session=turn.chat,
            at=FIRST_DAY + timedelta(days=day, minutes=turn.at),
        )
        for day, chat in enumerate(chats)
        for turn in chat
    ]
    return Store(name=task.name, items=tuple(items), questions=())


def main() -> int:
    """Measure, print, write; 1 where a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--results", type=Path, default=Path("bench/results"))
    given = parser.parse_args()
    kept = Path(platformdirs.user_cache_dir("loremap")) / "bench" / "vectors.db"
    embedder = KeptEmbedder(LocalEmbedder.load(), kept)
    every = decisions(given.data)
    found = [judged(task, every, embedder) for task in track(every.tasks, transient=True)]
    return report(found, given.results, show=given.show)


def report(found: Sequence[Judged], results: Path, *, show: bool) -> int:
    """Print and write."""
    plain = [one for one in found if not one.task.amended]
    amended = [one for one in found if one.task.amended]
    figures = {
        "deciding statement in the brief, %": _percent([one.briefed for one in plain]),
        "the very sentence that says most, %": _percent([one.verbatim for one in plain]),
        "its note among the ten best, %": _percent([one.recalled for one in plain]),
        "amended: in the brief, %": _percent([one.briefed for one in amended]),
        "amending above amended": sum(bool(one.amending_above) for one in amended),
        "amended decisions": len(amended),
    }
    console = Console()
    for one in found if show else ():
        console.print(f"{one.task.name}: {one.briefed=} {one.recalled=} {one.amending_above=}")
        console.print(f"   {one.statement}", markup=False)
    for name, value in figures.items():
        console.print(f"{name:<40} {value:g}", markup=False)
    missed = []
    if figures["deciding statement in the brief, %"] < BAR:
        missed.append(f"deciding statement in the brief: at least {BAR} %")
    if figures["amending above amended"] < len(amended):
        missed.append("an amended decision stands above what amends it")
    for line in missed:
        console.print(f"[red]missed: {line}[/]")
    results.mkdir(parents=True, exist_ok=True)
    written = {"figures": figures, "missed": missed}
    (results / "decisions.json").write_text(json.dumps(written, indent=1) + "\n", "utf-8")
    return 1 if missed else 0


def _percent(values: Sequence[bool]) -> float:
    return round(100 * sum(values) / len(values), 1) if values else 0.0


if __name__ == "__main__":
    sys.exit(main())

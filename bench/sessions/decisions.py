"""Whether what decides a bug report is in the brief of a session's first prompt.

    python -m bench.sessions.decisions --data FOLDER --host FOLDER [--unseen] [--results FOLDER]

FOLDER of the data holds sde*.json, that of the host a clone of mahmoud/boltons. A project is set up
as `lore init` does; decoy chats are held in it as sessions of a client, written as its transcripts
and learned from as any other. For each report its own chats are held after them, or its deciding
commit is made, and the one that breaks it; then it is the first prompt of a new session, whose
brief may take 800 tokens. Of the sentences of its source the deciding one is found as in
`bench/decisions`: the one that says most of the policy, or nearly as much. An outdated rule is
one that was decided before it was amended. The package's weights were fitted on these chats too;
with `--unseen` they are fitted on sessions alone, and nothing is written.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.progress import track

from bench.sessions.decisions_data import Task, deciding, tasks_and_decoys
from bench.sessions.decisions_world import World, clone, restored
from bench.sessions.learning_fit import fitted, of_sessions
from bench.sessions.learning_transcripts import Json
from bench.sessions.results import add_option, write
from loremap.embedding.local import LocalEmbedder
from loremap.memory.brief.said import OLDER
from loremap.model.tokens import tokens
from loremap.sessions.learning.evidence import Weights

HOST_COMMIT = "979fa9b"
MAX_TOKENS = 800
BARS = {"conversation": 85.0, "history": 70.0, "amended": 100.0}


@dataclass(frozen=True)
class Judged:
    """What a session was told for one report."""

    task: Task
    wanted: str
    told: str
    is_told: bool
    """Whether the deciding statement is in the brief."""
    is_outdated: bool
    """Whether a rule that was amended stands in it unmarked."""
    taught: int
    """How much its chats or commits taught."""

    @property
    def is_right(self) -> bool:
        """Whether it says what decides, and nothing that no longer does."""
        return self.is_told and not self.is_outdated


def judged(task: Task, decoys: Sequence[Sequence[Json]], world: World) -> Judged:
    """One report, where the decoys were held."""
    days = range(len(decoys), len(decoys) + len(task.chats))
    taught = sum(world.talked(chat, day) for chat, day in zip(task.chats, days, strict=True))
    if task.commit:
        taught += world.committed(task)
    told = world.briefed(task.report)
    if tokens(told) > MAX_TOKENS:
        raise ValueError(f"the brief of {task.name} has {tokens(told)} tokens")
    new, old = deciding(task, decoys)
    unmarked = "\n".join(line for line in _pieces(told) if OLDER not in line)
    return Judged(
        task,
        new[0],
        told,
        is_told=any(_says(told, one) for one in new),
        is_outdated=any(_says(unmarked, one) for one in old),
        taught=taught,
    )


def _pieces(told: str) -> list[str]:
    """What is told, a piece on each line."""
    pieces = [""]
    for line in told.splitlines():
        if line.startswith("  "):
            pieces[-1] += f" {line.strip()}"
        else:
            pieces.append(line)
    return pieces


def _says(told: str, statement: str) -> bool:
    return " ".join(statement.split()) in " ".join(told.split())


def main() -> int:
    """Measure, print, write; 1 where a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--host", type=Path, required=True)
    parser.add_argument("--only", default="", help="tasks whose name holds this")
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--unseen", action="store_true", help="weights that know no chat")
    add_option(parser)
    given = parser.parse_args()
    embedder = LocalEmbedder.load()
    tasks, decoys = tasks_and_decoys(given.data)
    tasks = [one for one in tasks if given.only in one.name]
    weights = fitted(of_sessions(given.data)) if given.unseen else None
    with tempfile.TemporaryDirectory() as folder:
        found = list(_all_judged(Path(folder), tasks, decoys, given.host, embedder, weights))
    is_partial = bool(given.only or given.unseen)
    return report(found, None if is_partial else given.results, show=given.show)


def _all_judged(
    place: Path,
    tasks: Sequence[Task],
    decoys: Sequence[Sequence[Json]],
    host: Path,
    embedder: LocalEmbedder,
    weights: Weights | None,
) -> list[Judged]:
    """Each report in a copy of the world where the decoys were held."""
    home, repository = place / "home", place / "boltons"
    clone(host, HOST_COMMIT, repository)
    world = World(home, repository, embedder, weights)
    world.begin()
    for day, chat in enumerate(track(decoys, "decoys", transient=True)):
        world.talked(chat, day)
    world.close()
    for one in (home, repository):
        restored(one, place / "kept" / one.name)
    found = []
    for task in track(tasks, "reports", transient=True):
        for one in (home, repository):
            restored(place / "kept" / one.name, one)
        world = World(home, repository, embedder, weights)
        found.append(judged(task, decoys, world))
        world.close()
    return found


def report(found: Sequence[Judged], results: Path | None, *, show: bool) -> int:
    """Print and write."""
    for one in found if show else ():
        sign = "right" if one.is_right else "OUTDATED" if one.is_told else "MISSED"
        print(f"{sign} {one.task.name}, taught {one.taught}: {one.wanted}")
        if not one.is_right:
            print(one.told)
    figures = {group: _share(found, group) for group in BARS}
    for group, share in figures.items():
        count = sum(one.task.group == group for one in found)
        print(f"{group:<14} {share:g} % of {count}, bar {BARS[group]:g} %")
    missed = [group for group, share in figures.items() if share < BARS[group]]
    print(f"missed: {', '.join(missed) or 'none'}")
    if results is not None:
        write("decisions", {"figures": figures, "missed": missed}, results)
    return 1 if missed else 0


def _share(found: Sequence[Judged], group: str) -> float:
    right = [one.is_right for one in found if one.task.group == group]
    return round(100 * sum(right) / len(right), 1) if right else 0.0


if __name__ == "__main__":
    sys.exit(main())

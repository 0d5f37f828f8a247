"""How long it takes to find the clusters and the tags of 5,000 memories, and what a cascade costs.

Run: python -m bench.living.cluster --data FOLDER [--size 5000]

The memories are the notes of `bench.coding` and texts of the sets of `bench.retrieval`, with the
vectors of the real model. What a write takes is how long others wait.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import platformdirs

from bench.coding.data import CodingStore, coding, distractors
from bench.coding.world import World, world
from bench.retrieval.embedder import KeptEmbedder
from bench.speed.timing import Bar, Times, summed, table, written
from bench.unasked.embedder import ReadyEmbedder
from loremap.app import Lore
from loremap.embedding.local import LocalEmbedder
from loremap.memory.graph.clustering import plan_clusters_now
from loremap.memory.graph.graph import done_in_small_writes
from loremap.memory.graph.tagging import plan_tags
from loremap.memory.step import Plan

SIZE = 5_000
MAX_CLUSTER_S, MAX_WRITE_MS = 20.0, 50.0
ASKED = 100
PROJECT = "all"


def done(lore: Lore, plan: Plan, name: str) -> tuple[Times, Times]:
    """How long a plan took, and each of its writes."""
    planned, writes = Times(f"{name}: plan"), Times(f"{name}: one write")
    writes.runs_ms = done_in_small_writes(lore, planned.run(lambda: plan(lore)))
    writes.processor_ms = [0.0] * len(writes.runs_ms)
    return planned, writes


def asked(place: World, store: CodingStore, recipe: str) -> Times:
    """How long recalls take by one recipe."""
    times = Times(f"recall: {recipe}")
    with place.workspaces.at(place.folder(PROJECT)) as lore:
        for prompt in store.fit[:ASKED]:
            lore.recall(prompt.text, recipe=recipe, count_use=False)
        for prompt in store.fit[:ASKED]:
            text = prompt.text
            times.run(lambda text=text: lore.recall(text, recipe=recipe, count_use=False))  # type: ignore[misc]
    return times


def measured(store: CodingStore, fill: Sequence[str], embedder: ReadyEmbedder) -> list[Times]:
    """All times, in one run."""
    embedder.prepare([note.text for note in store.notes])
    embedder.prepare(list(fill))
    embedder.prepare([prompt.text for prompt in store.fit])
    with world(embedder) as place:
        place.remember(PROJECT, store.notes)
        place.fill(PROJECT, fill)
        before = asked(place, store, "hybrid")
        with place.workspaces.at(place.folder(PROJECT)) as lore:
            found = [
                *done(lore, plan_clusters_now, "clusters"),
                *done(lore, plan_tags, "tags"),
                *done(lore, plan_clusters_now, "clusters again")[:1],
            ]
        return [*found, before, asked(place, store, "hybrid"), asked(place, store, "cascade")]


def main() -> int:
    """Measure, print, write; 1 where a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--size", type=int, default=SIZE)
    given = parser.parse_args()
    kept = Path(platformdirs.user_cache_dir("loremap")) / "bench" / "vectors.db"
    embedder = ReadyEmbedder(KeptEmbedder(LocalEmbedder.load(), kept))
    store = coding(given.data)
    fill = distractors(given.data, given.size - len(store.notes))
    times = measured(store, fill, embedder)
    planned, writes, _, tagged = times[:4]
    bars = [
        Bar("clusters, seconds", (planned.median_ms + sum(writes.runs_ms)) / 1_000, MAX_CLUSTER_S),
        Bar("longest write, ms", max(*writes.runs_ms, *tagged.runs_ms), MAX_WRITE_MS),
    ]
    print(table(f"{given.size:,} memories", times, bars))
    print(f"  {written('cluster', summed(times, bars))}")
    return 0 if all(bar.met for bar in bars) else 1


if __name__ == "__main__":
    sys.exit(main())

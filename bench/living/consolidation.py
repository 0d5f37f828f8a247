"""FactConsolidation by the facts recipe: later facts replace earlier ones, answers lie hops away.

    python -m bench.living.consolidation --data FOLDER

The way a user goes: the numbered facts are remembered in order, the passes over facts are done, the
questions asked. `subgraph` is the share of questions of which a memory within two hops of the
anchors says an answer; `memories in it` how many memories such a subgraph has.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import platformdirs

from bench.retrieval import data
from bench.retrieval.embedder import KeptEmbedder
from bench.retrieval.world import World, world
from loremap.embedding.local import LocalEmbedder
from loremap.memory.recall.recipes import RECIPES
from loremap.model.kind import Kind

EVERYTHING = 500
SUBGRAPH_BAR, NEWEST_BAR = 0.60, 0.97


def measured(place: World) -> dict[str, float]:
    """The figures of one store, by name."""
    place.lore.facts.learn()
    counts: Counter[str] = Counter()
    for question in place.store.questions:
        for name, value in _answered(place, question):
            counts[name] += value
    number = len(place.store.questions)
    return {name: value / number for name, value in counts.items()}


def _answered(place: World, question: data.Question) -> Iterator[tuple[str, float]]:
    wanted = [answer.lower() for answer in question.answers]
    for name in ("hybrid", "facts"):
        limit = EVERYTHING if name == "facts" else 10
        _, found = place.ask(question.text, RECIPES[name], limit=limit)
        told = [hit.memory.content.lower() for hit in found.hits]
        right = [any(answer in text for answer in wanted) for text in told]
        yield f"{name} first", any(right[:1])
        yield f"{name} top 10", any(right[:10])
        if name == "facts":
            yield "subgraph", any(right)
            yield "memories in it", len(told)
            yield "narrative", any(answer in found.narrative.lower() for answer in wanted)


def main() -> int:
    """Measure and print; 1 where a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    kept = Path(platformdirs.user_cache_dir("loremap")) / "bench" / "vectors.db"
    embedder = KeptEmbedder(LocalEmbedder.load(), kept)
    figures = {}
    for store in data.factconsolidation(given.data):
        with world(store, kind=Kind.FACT, embedder=embedder) as place:
            figures[store.name] = measured(place)
        print(store.name, {name: round(value, 3) for name, value in figures[store.name].items()})
    if given.out is not None:
        given.out.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")
    multi = next(one for name, one in figures.items() if "_mh_" in name)
    single = next(one for name, one in figures.items() if "_sh_" in name)
    return 0 if multi["subgraph"] >= SUBGRAPH_BAR and single["hybrid first"] >= NEWEST_BAR else 1


if __name__ == "__main__":
    sys.exit(main())

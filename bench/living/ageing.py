"""What the boost of what was used lately, and confidence, do to the ranking of coding notes.

    python -m bench.living.ageing --data FOLDER

Nobody knows when the notes were last used, so two worlds are made up, ninety days long: in one, use
has nothing to do with what is asked; in the other, half of what is asked for was used within a day.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Collection
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

import numpy as np
import platformdirs
from sqlalchemy import update

from bench.coding.data import CodingStore, coding
from bench.coding.world import World, world
from bench.retrieval.embedder import KeptEmbedder
from bench.unasked.embedder import ReadyEmbedder
from loremap.agent.retriever import as_question
from loremap.embedding.local import LocalEmbedder
from loremap.memory.recall import hybrid
from loremap.memory.recall.recipes import RECIPES, Recipe
from loremap.model.clock import to_ms
from loremap.storage import memories
from loremap.storage.memories import Filter
from loremap.storage.tables import memories as rows

SEED = 20_260_101
DAYS = 90
RELATED = 0.5
HYBRID = RECIPES["hybrid"]
RECIPES_ASKED: tuple[Recipe, ...] = (
    HYBRID,
    replace(HYBRID, name="+ recency", source=partial(hybrid.blended, use_recency=True)),
    replace(HYBRID, name="− confidence", source=partial(hybrid.blended, use_confidence=False)),
)
Age = Callable[[str], timedelta]


def unrelated(dice: random.Random, key: str) -> timedelta:
    """How long ago a note was last used, whatever it says: as often within an hour as a week."""
    return timedelta(days=DAYS ** dice.random() - 1)


def related(dice: random.Random, gold: Collection[str], key: str) -> timedelta:
    """The same, but half of what will be asked for was used within a day."""
    if key in gold and dice.random() < RELATED:
        return timedelta(days=dice.random())
    return unrelated(dice, key)


def aged(place: World, store: CodingStore, age: Age) -> None:
    """Set when each note was last used."""
    key_of = {note.text: note.key for note in store.notes}
    with place.workspaces.at(place.folder("all")) as lore:
        now: datetime = lore.now()
        with lore.store.read() as conn:
            held = memories.listing(conn, Filter(everywhere=True), limit=memories.ALL)
        with lore.store.write(now=now, actor=lore.actor) as tx:
            for one in held:
                at = to_ms(now - age(key_of.get(one.content, "")))
                values = {"last_accessed_at": at, "seq": tx.seq}
                tx.conn.execute(update(rows).where(rows.c.id == one.id).values(**values))


def figures(place: World, store: CodingStore, recipe: Recipe) -> dict[str, float]:
    """How far up the right notes stand among all projects' notes."""
    ranks = []
    for prompt in store.fit:
        keys = ranked(place, prompt.text, recipe)
        ranks.append(next((at for at, key in enumerate(keys, 1) if key in prompt.gold), np.inf))
    return {
        "any@1": 100 * float(np.mean([rank <= 1 for rank in ranks])),
        "any@5": 100 * float(np.mean([rank <= 5 for rank in ranks])),
        "MRR": 100 * float(np.mean([1 / rank for rank in ranks])),
    }


def ranked(place: World, text: str, recipe: Recipe) -> list[str]:
    """The keys of the ten best."""
    with place.workspaces.at(place.folder("all")) as lore:
        answer = lore.recall(text, limit=10, gate=False, count_use=False, recipe=recipe)
    return [place.key_of(hit.memory.id) for hit in answer.hits]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    store = coding(parser.parse_args().data)
    kept = Path(platformdirs.user_cache_dir("loremap")) / "bench" / "vectors.db"
    embedder = ReadyEmbedder(KeptEmbedder(LocalEmbedder.load(), kept))
    embedder.prepare([note.text for note in store.notes])
    embedder.prepare([prompt.text for prompt in store.fit])
    embedder.prepare([as_question(prompt.text) for prompt in store.fit])
    gold = {key for prompt in store.fit for key in prompt.gold}
    ages: dict[str, Age] = {
        "all just now": lambda key: timedelta(),
        "use unrelated": partial(unrelated, random.Random(SEED)),
        "use related": partial(related, random.Random(SEED), gold),
    }
    with world(embedder) as place:
        place.remember("all", store.notes)
        for name, age in ages.items():
            aged(place, store, age)
            for recipe in RECIPES_ASKED:
                found = figures(place, store, recipe)
                said = "  ".join(f"{measure} {value:.1f}" for measure, value in found.items())
                print(f"{name:<14} {recipe.name:<14} {said}")


if __name__ == "__main__":
    main()

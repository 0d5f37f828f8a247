"""How long a recall takes, against the sum of the two things it cannot do without.

Run: python -m bench.speed.recall [--sizes 10000,100000] [--work DIR]

The floor is what any recall over the same data has to pay: embedding the query and one scan of the
vectors by numpy. A raw query of the full-text index is shown beside them: arrays of words have to
be faster. All four are run in turn on each query, so that whatever else the machine does hits all
of them alike.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from bench.speed.sentences import Writer
from bench.speed.stores import REAL_VECTORS, default_work, ready_embedder, store_of
from bench.speed.timing import RESULTS, Bar, Times, summed, table, written
from loremap.app import Lore
from loremap.embedding.protocol import Embedder, Vectors
from loremap.model.words import words
from loremap.storage.sqlite.connect import connected
from loremap.storage.sqlite.text_index import any_of

QUERIES = 200
WARM_UP = 20
QUERY_TOKENS = range(12, 21)
QUERY_SEED = 7
TOP = 10
MAX_RATIO = 2.0

_VECTORS = "SELECT vector FROM vectors WHERE model = ? ORDER BY memory_id, chunk"
_WORDS = "SELECT rowid FROM memory_text WHERE memory_text MATCH ? ORDER BY rank LIMIT ?"


@dataclass(frozen=True, slots=True)
class Measured:
    """The times of the recall, of the parts no recall can do without, and of FTS5."""

    embed: Times = field(default_factory=lambda: Times("embed the query"))
    scan: Times = field(default_factory=lambda: Times("scan the vectors"))
    words: Times = field(default_factory=lambda: Times("ask the index"))
    recall: Times = field(default_factory=lambda: Times("recall"))

    @property
    def times(self) -> tuple[Times, ...]:
        """All of them, the parts first."""
        return (self.embed, self.scan, self.words, self.recall)

    @property
    def ratio(self) -> float:
        """The median recall over embedding and scan together, by the clock, as a person waits."""
        return self.recall.median_ms / (self.embed.median_ms + self.scan.median_ms)

    @property
    def processor_ratio(self) -> float:
        """The same in time of the processors."""
        floor = self.embed.processor_median_ms + self.scan.processor_median_ms
        return self.recall.processor_median_ms / floor


@dataclass(frozen=True, slots=True)
class Forgetful:
    """The model without its memory of the last questions, so that every recall pays for it."""

    inner: Embedder
    model: str
    dim: int
    leaves_machine: bool = False

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """One unit row per text, each worked out anew."""
        return self.inner.embed(texts)


def measured(lore: Lore, queries: Sequence[str], *, warm_up: int = WARM_UP) -> Measured:
    """The parts and the recall of each query, in turn; before that the first ones warm up."""
    ready = ready_embedder(lore)
    embedder = Forgetful(ready, ready.model, ready.dim)
    lore.use_embedder(embedder)
    raw = connected(lore.places.store, key=lore.store.key, options=lore.store.options)
    matrix = vectors_in(raw, model=embedder.model)
    result, unused = Measured(), Measured()
    for place, query in enumerate([*queries[:warm_up], *queries]):
        into = result if place >= warm_up else unused
        vector = embedder.embed([query], query=True)[0]
        match = any_of(dict.fromkeys(words(query)))
        into.embed.run(partial(embedder.embed, [query], query=True))
        into.scan.run(partial(scanned, matrix, vector))
        into.words.run(partial(matched, raw, match))
        into.recall.run(partial(lore.recall, query, count_use=False))
    raw.close()
    return result


def queries_of(count: int) -> list[str]:
    """The queries, the same in every run."""
    return list(islice(Writer(QUERY_SEED).questions(tokens=QUERY_TOKENS), count))


def vectors_in(raw: Any, *, model: str) -> Vectors:
    """The vectors of a store, one to a row."""
    found = [vector for (vector,) in raw.execute(_VECTORS, (model,))]
    return np.frombuffer(b"".join(found), np.float32).reshape(len(found), -1)


def scanned(matrix: Vectors, vector: Vectors) -> list[int]:
    """The places of the vectors most like `vector`."""
    similar = matrix @ vector
    return [int(place) for place in np.argpartition(-similar, TOP)[:TOP]]


def matched(raw: Any, match: str) -> list[Any]:
    """The rows of the index that match best."""
    return list(raw.execute(_WORDS, (match, TOP)))


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print and write down; 1 where a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--sizes", default="10000,100000")
    parser.add_argument("--queries", type=int, default=QUERIES)
    parser.add_argument("--real-vectors", type=int, default=REAL_VECTORS)
    parser.add_argument("--most", type=float, default=MAX_RATIO, help="the bar of the ratio")
    parser.add_argument("--work", type=Path, default=default_work())
    parser.add_argument("--results", type=Path, default=RESULTS)
    given = parser.parse_args(arguments)
    queries = queries_of(given.queries)
    sizes: dict[str, object] = {}
    missed = False
    for size in map(int, given.sizes.split(",")):
        with store_of(size, work=given.work, real_vectors=given.real_vectors) as lore:
            result = measured(lore, queries)
        bars = [Bar("ratio of recall to embedding and scan", result.ratio, given.most)]
        print(table(f"{size:,} memories, {len(queries)} queries", result.times, bars))
        print(f"  by the clock; in processor time it is {result.processor_ratio:.2f}")
        sizes[str(size)] = summed(result.times, bars) | {
            "processor_ratio": round(result.processor_ratio, 3)
        }
        missed = missed or not all(bar.met for bar in bars)
    note = f"{given.real_vectors} texts have their own vector; the others' lie near one of these."
    print(f"  {note}\n  {written('recall', {'note': note, 'sizes': sizes}, folder=given.results)}")
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())

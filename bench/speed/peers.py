"""How long it takes to remember and to recall, against chromadb fed by the same embedder.

Run: python -m bench.speed.peers [--memories 5000] [--work DIR]

Both hold the same texts and are asked in turn in one process, so that whatever else the machine
does hits both alike. Each is given the text and embeds it itself, by the same model. chromadb is
no dependency of ours: it is installed into a folder of its own, from wherever pip takes packages.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from bench.speed.recall import Forgetful, queries_of
from bench.speed.sentences import Writer
from bench.speed.stores import REAL_VECTORS, default_work, opened, ready_embedder, store_of
from bench.speed.timing import RESULTS, Bar, Times, summed, table, written
from loremap.app import Lore
from loremap.embedding.protocol import Embedder

RUNS = 200
WARM_UP = 20
BATCH = 1_000
ADD_SEED = 11
TOP = 10
MAX_ADD, MAX_SEARCH = 2.0, 1.0
PACKAGE = "chromadb"
QUIET = {"ANONYMIZED_TELEMETRY": "False", "OTEL_SDK_DISABLED": "true"}

_STORED = (
    "SELECT m.id, m.content, v.vector FROM memories m JOIN vectors v ON v.memory_id = m.id "
    "WHERE v.chunk = 0 AND v.model = ?"
)


class Collection(Protocol):
    """What is used of a collection of chromadb."""

    def add(self, *, ids: list[str], documents: list[str], embeddings: Any = None) -> None:
        """Store texts."""

    def query(self, *, query_texts: list[str], n_results: int) -> Any:
        """The texts most like others."""

    def count(self) -> int:
        """How many texts it holds."""


def installed(folder: Path) -> str:
    """Make chromadb importable from `folder`; returns why it cannot be, empty where it can."""
    if not (folder / PACKAGE).exists():
        done = subprocess.run(
            [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(folder), PACKAGE],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            return (done.stderr.strip().splitlines() or ["pip failed"])[-1]
    sys.path.append(str(folder))  # last, so that what both use is ours
    os.environ |= QUIET
    return ""


def collection_at(folder: Path, embedder: Embedder) -> Collection:
    """An empty collection on disk whose texts are embedded by our model."""
    import chromadb
    from chromadb.config import Settings

    class Ours(chromadb.EmbeddingFunction[Any]):
        """Our model, as chromadb asks for vectors."""

        def __init__(self) -> None:
            """It takes no settings."""

        def __call__(self, input: Any) -> Any:  # noqa: A002  # chromadb calls it so
            return list(embedder.embed(list(input)))

    settings = Settings(anonymized_telemetry=False)
    client = chromadb.PersistentClient(path=str(folder), settings=settings)
    made: Collection = client.create_collection(
        "memories", embedding_function=Ours(), configuration={"hnsw": {"space": "cosine"}}
    )
    return made


def filled(collection: Collection, lore: Lore, *, model: str) -> None:
    """Put all that `lore` holds into the collection, with the vectors it has."""
    with lore.store.read() as conn:
        held = conn.exec_driver_sql(_STORED, (model,)).fetchall()
    for start in range(0, len(held), BATCH):
        ids, texts, vectors = zip(*held[start : start + BATCH], strict=True)
        rows = [np.frombuffer(vector, np.float32) for vector in vectors]
        collection.add(ids=list(ids), documents=list(texts), embeddings=rows)


def measured(lore: Lore, peer: Collection, *, runs: int, warm_up: int = WARM_UP) -> list[Times]:
    """Adding and searching, each text in turn with the one and the other; the first warm up."""
    times = [Times(name) for name in ("remember", "chromadb add", "recall", "chromadb query")]
    texts = islice(Writer(ADD_SEED).sentences(), warm_up + runs)
    queries = queries_of(warm_up + runs)
    unused = [Times("") for _ in times]
    for place, text in enumerate(texts):
        into = times if place >= warm_up else unused
        into[0].run(partial(lore.remember, text))
        into[1].run(partial(peer.add, ids=[f"added-{place}"], documents=[text]))
    for place, query in enumerate(queries):
        into = times if place >= warm_up else unused
        into[2].run(partial(lore.recall, query))
        into[3].run(partial(peer.query, query_texts=[query], n_results=TOP))
    return times


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print and write down; 1 where a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--memories", type=int, default=5_000)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--real-vectors", type=int, default=REAL_VECTORS)
    parser.add_argument("--work", type=Path, default=default_work())
    parser.add_argument("--results", type=Path, default=RESULTS)
    given = parser.parse_args(arguments)
    why_not = installed(given.work / f"{PACKAGE}-{sys.version_info.major}.{sys.version_info.minor}")
    if why_not:
        print(f"Peers: skipped, because {PACKAGE} cannot be installed here ({why_not}).")
        return 0
    with store_of(given.memories, work=given.work, real_vectors=given.real_vectors) as kept:
        home = kept.places.home
    # What is remembered here shall not stay in the store kept; beside it, the project is the same.
    with tempfile.TemporaryDirectory(dir=given.work) as copy, tempfile.TemporaryDirectory() as own:
        shutil.copytree(home, copy, dirs_exist_ok=True)
        with opened(Path(copy)) as lore:
            ready = ready_embedder(lore)
            embedder = Forgetful(ready, ready.model, ready.dim)
            lore.use_embedder(embedder)
            peer = collection_at(Path(own), embedder)
            filled(peer, lore, model=ready.model)
            times = measured(lore, peer, runs=given.runs)
            held = peer.count()
    remember, add, recall, query = (each.median_ms for each in times)
    bars = [
        Bar("ratio of remember to add", remember / add, MAX_ADD),
        Bar("ratio of recall to query", recall / query, MAX_SEARCH),
    ]
    print(table(f"{given.memories:,} memories, {given.runs} runs, against {PACKAGE}", times, bars))
    figures = summed(times, bars) | {"memories": given.memories, "peer_holds": held}
    print(f"  {written('peers', figures, folder=given.results)}")
    return int(not all(bar.met for bar in bars))


if __name__ == "__main__":
    sys.exit(main())

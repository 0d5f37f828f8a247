"""Stores of many memories, built once and kept in a folder for the next run."""

from __future__ import annotations

import hashlib
import inspect
import random
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path

import numpy as np
import platformdirs

from bench.speed import sentences
from bench.speed.sentences import Writer
from loremap.app import Lore
from loremap.config.folders import Folders, folders
from loremap.config.settings import load
from loremap.embedding.pinned import DEFAULT
from loremap.embedding.protocol import Embedder, Vectors
from loremap.embedding.weights import deliver
from loremap.errors import ModelError
from loremap.memory.admission.fingerprint import fingerprint
from loremap.model.kind import RULES
from loremap.model.memory import ConflictType, Memory, Origin, Scope, Status, Trigger
from loremap.model.words import words
from loremap.storage import memories, relations, tables, vectors
from loremap.storage.sqlite import text_index

SEED = 20_260_101
REAL_VECTORS = 2_000
"""So many texts get their own vector; the others get a neighbour of one of these, because a
hundred thousand real ones would take a quarter of an hour to make."""
NOISE = 0.6
"""How far a made-up vector lies from the real one it comes from: a cosine of about 0.86."""
CONFLICTS_PER_1000 = 2
PER_SESSION = 40
_BATCH = 5_000
_KINDS = [kind for kind, rule in RULES.items() if not rule.branch_bound]
_SPEAKING = [kind for kind in _KINDS if RULES[kind].may_trigger]
_WRITTEN = datetime(2026, 1, 1, tzinfo=UTC)


def default_work() -> Path:
    """Where stores are kept when nobody says otherwise."""
    return Path(platformdirs.user_cache_dir("loremap-bench", appauthor=False))


def store_of(
    size: int, *, work: Path, triggers: Sequence[Trigger] = (), real_vectors: int = REAL_VECTORS
) -> Lore:
    """A store of `size` memories, opened; the first of them carry one trigger each."""
    kind = f"{size}-{len(triggers)}"
    home = work / f"{kind}-{_fingerprint(triggers, real_vectors)}"
    if not home.exists():
        for outdated in work.glob(f"{kind}-*"):
            shutil.rmtree(outdated)
        started = home.with_name(home.name + ".part")
        _build(started, size, triggers=triggers, real_vectors=real_vectors)
        started.rename(home)
    return opened(home)


def ready_embedder(lore: Lore) -> Embedder:
    """The embedder of `lore`, fetched where this machine never had it."""
    deliver(lore.places.cache)
    embedder = lore.embedder()
    if embedder is None:
        raise ModelError(lore.model_trouble)
    return embedder


def opened(home: Path) -> Lore:
    project = home.parent / "project"
    project.mkdir(parents=True, exist_ok=True)
    return Lore(
        project, places=Folders(home=home, cache=folders().cache), settings=load(home / "none")
    )


def _build(home: Path, size: int, *, triggers: Sequence[Trigger], real_vectors: int) -> None:
    with opened(home) as lore:
        lore.init()
        embedder = ready_embedder(lore)
        made = list(islice(_memories(lore.project_id), size))
        made[: len(triggers)] = [
            replace(memory, kind=_SPEAKING[place % len(_SPEAKING)], triggers=(trigger,))
            for place, (memory, trigger) in enumerate(zip(made, triggers, strict=False))
        ]
        rows = _vectors([memory.content for memory in made], embedder, real=real_vectors)
        for start in range(0, size, _BATCH):
            with lore.store.write(now=_WRITTEN, actor=lore.actor) as tx:
                for place in range(start, min(start + _BATCH, size)):
                    memory = made[place]
                    memories.insert_memory(tx, memory)
                    vectors.put(
                        tx,
                        memory.id,
                        fingerprint=memory.fingerprint,
                        model=embedder.model,
                        chunks=rows[place : place + 1],
                    )
        with lore.store.write(now=_WRITTEN, actor=lore.actor) as tx:
            for place in range(size * CONFLICTS_PER_1000 // 1000):
                one, other = made[2 * place].id, made[2 * place + 1].id
                relations.add_conflict(tx, one, other, ConflictType.AMBIGUOUS, "they differ")


def _memories(project_id: str | None) -> Iterator[Memory]:
    dice, writer = random.Random(SEED), Writer(SEED)
    for place, text in enumerate(writer.sentences()):
        at = _WRITTEN - timedelta(minutes=7 * place)
        yield Memory(
            id=f"{dice.getrandbits(128):032x}",
            kind=dice.choice(_KINDS),
            content=text,
            summary=text,
            status=dice.choices(list(Status), weights=(30, 65, 4, 1))[0],
            scope=Scope.GLOBAL if dice.random() < 0.1 else Scope.PROJECT,
            project_id=project_id,
            created_at=at,
            updated_at=at,
            last_accessed_at=at,
            origin=dice.choice((Origin.USER_STATED, Origin.OBSERVED, Origin.EXTRACTED)),
            fingerprint=fingerprint(text),
            uses=dice.randrange(10),
            session_id=f"session-{place // PER_SESSION}",
            files=(writer.path(),) if dice.random() < 0.3 else (),
            tags=(writer.tag(),) if dice.random() < 0.5 else (),
        )


def _vectors(texts: Sequence[str], embedder: Embedder, *, real: int) -> Vectors:
    """A unit vector for each text: of its own for the first ones, else near one of those."""
    own = embedder.embed(texts[:real])
    chance = np.random.default_rng(SEED)
    near = own[chance.integers(len(own), size=len(texts) - len(own))]
    noise = chance.standard_normal(near.shape, dtype=np.float32) * (NOISE / near.shape[1] ** 0.5)
    near = near + noise
    near /= np.linalg.norm(near, axis=1, keepdims=True)
    return np.concatenate((own, near))


def _fingerprint(triggers: Sequence[Trigger], real_vectors: int) -> str:
    """Changes with all that shapes a store, so that an outdated one is not used."""
    sources = [inspect.getsource(each) for each in (sentences, tables, _memories)]
    terms = [words(text) for text in islice(Writer(SEED).sentences(), 100)]
    shape = (sources, terms, text_index.CREATE, triggers, real_vectors, DEFAULT.space)
    return hashlib.sha256(repr(shape).encode()).hexdigest()[:12]

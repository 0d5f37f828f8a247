"""A data set in a real store: its items admitted in order, its questions asked of real recall."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from itertools import combinations
from pathlib import Path

from bench.retrieval.data import Item, Question, Store
from bench.retrieval.embedder import KeptEmbedder
from bench.retrieval.rows import teach
from loremap import app as facade
from loremap.app import Lore
from loremap.memory.admission.limits import Limits
from loremap.memory.recall.recipes import Recipe
from loremap.model.kind import Kind
from loremap.model.memory import Candidate, Origin, Relation
from loremap.model.outcome import Refused
from loremap.model.recall import Recall

BATCH = 64
LIMITS = Limits(content_bytes=1 << 20, per_session=1 << 30)
"""The data sets hold longer texts than an agent may write."""

MAX_LINKED, LINK_WEIGHT = 5, 0.5
"""Of what was used together so many are linked, each so strongly."""


class World:
    """A store filled with one data set, and which memory each item became."""

    def __init__(self, lore: Lore, store: Store, kind: Kind) -> None:
        self.lore = lore
        self.store = store
        self._keys: dict[str, list[str]] = {}
        for start in range(0, len(store.items), BATCH):
            self._admit(store.items[start : start + BATCH], kind)

    def _admit(self, items: Sequence[Item], kind: Kind) -> None:
        outcomes = self.lore.admit_all(
            [
                Candidate(
                    content=item.text,
                    kind=kind,
                    origin=Origin.USER_STATED,
                    session_id=item.session,
                    created_at=item.at,
                )
                for item in items
            ],
            limits=LIMITS,
        )
        for item, outcome in zip(items, outcomes, strict=True):
            if isinstance(outcome, Refused):  # a lost item would pass for a lost answer
                raise ValueError(f"item {item.key} was refused: {outcome.reason}")
            self._keys.setdefault(outcome.memory.id, []).append(item.key)

    def ask(
        self, text: str, recipe: str | Recipe, *, limit: int, gate: bool = False
    ) -> tuple[list[str], Recall]:
        """The keys of what is recalled, best first, and the recall itself."""
        answer = self.lore.recall(text, recipe=recipe, limit=limit, gate=gate, count_use=False)
        return [self._keys[hit.memory.id][0] for hit in answer.hits], answer

    def tend(self) -> None:
        """Tags and clusters, as the passes make them."""
        self.lore.graph.infer_tags()
        self.lore.graph.refresh_clusters()

    def used_together(self, keys: frozenset[str]) -> None:
        """Link what one answer needed, as use in one piece of work links it."""
        ids = sorted(id_ for id_, own in self._keys.items() if keys.intersection(own))
        for one, other in combinations(ids[:MAX_LINKED], 2):
            self.lore.link(one, other, Relation.RELATES_TO, weight=LINK_WEIGHT)

    def teach(
        self,
        question: Question,
        is_right: Callable[[Question, frozenset[str]], bool],
        *,
        session: str,
    ) -> None:
        """Vote on what a question is given."""
        teach(
            self.lore,
            question.text,
            lambda memory: is_right(question, frozenset(self._keys[memory.id])),
            session=session,
        )

    def known(self, keys: frozenset[str]) -> frozenset[str]:
        """`keys`, each as the item that stands for it now: what was merged counts as one."""
        stands = {key: keys_[0] for keys_ in self._keys.values() for key in keys_}
        return frozenset(stands.get(key, key) for key in keys)


@contextmanager
def world(store: Store, *, kind: Kind, embedder: KeptEmbedder | None) -> Iterator[World]:
    """A fresh store with `store` in it."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "project"
        place.mkdir()
        subprocess.run(["git", "init", "-q", str(place)], check=True)
        before = os.environ.get("LOREMAP_HOME")
        os.environ["LOREMAP_HOME"] = str(Path(folder) / "home")
        latest = max(item.at for item in store.items) + timedelta(days=1)
        try:
            with facade.open(place, now=lambda: latest) as lore:
                lore.use_embedder(embedder)
                yield World(lore, store, kind)
        finally:
            if before is None:
                del os.environ["LOREMAP_HOME"]
            else:
                os.environ["LOREMAP_HOME"] = before

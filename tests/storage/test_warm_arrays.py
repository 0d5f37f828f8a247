"""The arrays of a reader that was kept warm are those of one that starts now, whoever wrote."""

from __future__ import annotations

import random
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from numpy.typing import NDArray
from store_tools import ME, NOW, memory, rare_text, store_at

from loremap.model.kind import Kind
from loremap.model.life import may_move
from loremap.model.memory import ConflictType, Memory, Status, Visibility
from loremap.storage import memories, relations, vectors
from loremap.storage.store import Store
from loremap.storage.warm import ERASED, SCANNED_AT_ONCE, Warm, scan

MODEL, DIM = "made-up", 8
PROBES = np.random.default_rng(7).standard_normal((3, DIM)).astype(np.float32)


def held_by(warm: Warm) -> dict[str, dict[str, Any]]:
    """What the arrays say of every memory that is not erased, independent of slots and codes."""
    names = {
        column: {code: value for value, code in codes.items()}
        for column, codes in warm._codes.items()
    }
    similar = np.stack([warm.similarity(probe) for probe in PROBES])
    found: dict[str, dict[str, Any]] = {}
    for slot, id_ in enumerate(warm.ids):
        if warm["status"][slot] == ERASED:
            assert (similar[:, slot] == -1).all(), "an erased memory has a vector left"
            continue
        said = {
            name: names[name][int(warm[name][slot])] if name in names else warm[name][slot].item()
            for name in warm.columns
            if name != "first_vector"  # a place in memory, not a fact
        }
        assert int(warm.slots_of(np.asarray([said["row"]]))[0]) == slot
        found[id_] = said | {"similar": _About(similar[:, slot])}
    return found


class _About:
    """Numbers that are alike when they differ by less than sums in another order do."""

    def __init__(self, values: NDArray[np.float32]) -> None:
        self.values = values

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _About) and np.allclose(self.values, other.values, atol=1e-4)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(self.values.tolist())


def refreshed(warm: Warm, store: Store) -> Warm:
    with store.read() as conn:
        warm.refresh(conn, seq=store.change_seq(conn))
    return warm


def loaded_by(warm: Warm, store: Store) -> dict[str, Memory]:
    """Every memory as the arrays load it, by id."""
    refreshed(warm, store)
    with store.read() as conn:
        return {one.id: one for one in warm.load(conn, range(warm.size)).values()}


def _reached_from(status: Status) -> list[Status]:
    return [one for one in Status if may_move(status, one, "update")]


class TwoWriters(RuleBasedStateMachine):
    """Two processes write in turn; a third reads, now and then."""

    @initialize(seed=st.integers(0, 1 << 30))
    def begin(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.folder = Path(tempfile.mkdtemp())
        self.writers = [store_at(self.folder), store_at(self.folder)]
        self.reader = store_at(self.folder)
        self.warm = Warm(MODEL)
        self.live: list[Memory] = []

    def chunks(self) -> vectors.Matrix:
        made: vectors.Matrix = np.asarray(
            [[self.rng.gauss(0, 1) for _ in range(DIM)] for _ in range(self.rng.choice([1, 1, 3]))],
            np.float32,
        )
        made /= np.linalg.norm(made, axis=1, keepdims=True)
        return made

    def pick(self) -> int:
        return self.rng.randrange(len(self.live))

    @rule(who=st.integers(0, 1), many=st.integers(1, 4), embedded=st.booleans())
    def insert(self, who: int, many: int, embedded: bool) -> None:
        with self.writers[who].write(now=NOW, actor=ME) as tx:
            for _ in range(many):
                one = memory(rare_text(self.rng, 4), session_id=self.rng.choice([None, "s", "t"]))
                memories.insert_memory(tx, one)
                self.live.append(one)
                if embedded:
                    vectors.put(tx, one.id, fingerprint="f", model=MODEL, chunks=self.chunks())

    @precondition(lambda self: self.live)
    @rule(who=st.integers(0, 1), what=st.sampled_from(["word", "status", "delete", "fields"]))
    def update(self, who: int, what: str) -> None:
        place = self.pick()
        old = self.live[place]
        text = rare_text(self.rng, 5)
        after = {
            "word": replace(old, content=text, fingerprint=text),
            "status": replace(old, status=self.rng.choice(_reached_from(old.status))),
            "delete": replace(old, deleted_at=None if old.deleted_at else NOW),
            "fields": replace(
                old,
                kind=self.rng.choice(list(Kind)),
                pinned=not old.pinned,
                visibility=self.rng.choice(list(Visibility)),
                branch=self.rng.choice(["main", "next", None]),
                confidence=self.rng.random(),
            ),
        }[what]
        with self.writers[who].write(now=NOW, actor=ME) as tx:
            self.live[place] = memories.update_memory(tx, old, after, action="update")

    @precondition(lambda self: self.live)
    @rule(who=st.integers(0, 1), model=st.sampled_from([MODEL, "another"]))
    def embed(self, who: int, model: str) -> None:
        with self.writers[who].write(now=NOW, actor=ME) as tx:
            chunks = self.chunks()
            vectors.put(tx, self.live[self.pick()].id, fingerprint="f", model=model, chunks=chunks)

    @precondition(lambda self: len(self.live) > 1)
    @rule(who=st.integers(0, 1))
    def erase(self, who: int) -> None:
        gone = self.live.pop(self.pick())
        with self.writers[who].write(now=NOW, actor=ME) as tx:
            memories.erase(tx, [gone.id])

    @precondition(lambda self: len(self.live) > 1)
    @rule(who=st.integers(0, 1))
    def quarrel(self, who: int) -> None:
        one, other = self.rng.sample(self.live, 2)
        with self.writers[who].write(now=NOW, actor=ME) as tx:
            relations.add_conflict(tx, one.id, other.id, ConflictType.AMBIGUOUS, "why")

    @precondition(lambda self: self.live)
    @rule(who=st.integers(0, 1))
    def touch(self, who: int) -> None:
        place = self.pick()
        with self.writers[who].write(now=NOW, actor=ME) as tx:
            memories.touch(tx, [self.live[place].id])
            self.live[place] = memories.get(tx.conn, self.live[place].id)

    @precondition(lambda self: self.live)
    @rule(who=st.integers(0, 1))
    def fail(self, who: int) -> None:
        with pytest.raises(KeyError), self.writers[who].write(now=NOW, actor=ME) as tx:  # noqa: PT012
            memories.erase(tx, [self.live[0].id])
            raise KeyError

    @invariant()
    def look(self) -> None:
        if self.rng.random() < 0.5:
            loaded_by(self.warm, self.reader)

    def teardown(self) -> None:
        kept, fresh = refreshed(self.warm, self.reader), refreshed(Warm(MODEL), self.reader)
        assert held_by(kept) == held_by(fresh)
        assert kept.in_conflict == fresh.in_conflict
        assert set(held_by(fresh)) == {one.id for one in self.live}
        assert loaded_by(kept, self.reader) == loaded_by(fresh, self.reader)
        assert set(loaded_by(kept, self.reader)) == {one.id for one in self.live}
        for store in (*self.writers, self.reader):
            store.close()
        shutil.rmtree(self.folder)


TestTwoWriters = TwoWriters.TestCase
TestTwoWriters.settings = settings(
    max_examples=15,
    stateful_step_count=25,
    deadline=None,
    phases=(Phase.reuse, Phase.generate),  # each step is a commit: shrinking would take minutes
)


def test_a_warm_reader_of_a_large_store_grows_with_it(store: Store) -> None:
    rng, warm = random.Random(3), Warm(MODEL)
    for _ in range(5):
        with store.write(now=NOW, actor=ME) as tx:
            for _ in range(60):
                one = memory(rare_text(rng, 4))
                memories.insert_memory(tx, one)
                made = PROBES[:1] / np.linalg.norm(PROBES[0])
                vectors.put(tx, one.id, fingerprint="f", model=MODEL, chunks=made)
        refreshed(warm, store)
    assert (warm.size, warm.vector_count) == (300, 300)
    assert held_by(warm) == held_by(refreshed(Warm(MODEL), store))


@pytest.mark.parametrize("column", ["status", "kind", "scope", "visibility"])
def test_a_word_nobody_knows_silences_its_row_only(store: Store, column: str) -> None:
    one, other = memory("Damaged."), memory("Untouched.")
    with store.write(now=NOW, actor=ME) as tx:
        for each in (one, other):
            memories.insert_memory(tx, each)
    with store.engine.connect() as conn, conn.begin():
        conn.exec_driver_sql(f"UPDATE memories SET {column} = 'x' WHERE id = '{one.id}'")
    assert set(held_by(refreshed(Warm(None), store))) == {other.id}


def test_a_memory_is_read_once_while_it_stays_as_it_is(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = memory("First."), memory("Second.")
    with store.write(now=NOW, actor=ME) as tx:
        for each in (one, other):
            memories.insert_memory(tx, each)
    warm, read = Warm(None), list[list[int]]()
    by_rows = memories.by_rows

    def noting(conn: Any, rows: Any) -> dict[int, Memory]:
        read.append(list(rows))
        return by_rows(conn, rows)

    monkeypatch.setattr(memories, "by_rows", noting)
    assert loaded_by(warm, store) == {one.id: one, other.id: other} == loaded_by(warm, store)
    with store.write(now=NOW, actor=ME) as tx:
        after = memories.update_memory(tx, other, replace(other, pinned=True), action="pin")
    assert loaded_by(warm, store) == {one.id: one, other.id: after}
    assert read == [[1, 2], [], [2]]


@pytest.mark.parametrize("rows", [0, 1, 7, SCANNED_AT_ONCE, SCANNED_AT_ONCE + 1])
def test_two_halves_are_compared_as_the_whole(rows: int) -> None:
    drawn = np.random.default_rng(rows)
    vectors = drawn.normal(size=(rows, 8)).astype(np.float32)
    vector = drawn.normal(size=8).astype(np.float32)
    found = np.full(rows, -1.0, np.float32)
    scan(vectors, vector, into=found)
    assert np.allclose(found, vectors @ vector, atol=1e-5)

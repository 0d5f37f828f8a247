"""What ranking needs of every memory, held in arrays and refreshed from the rows that changed."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection

from loremap.model.kind import Kind
from loremap.model.memory import Memory, Scope, Status, Visibility
from loremap.storage import memories
from loremap.storage.bm25 import Slots, Words
from loremap.storage.dialect import dialect_of
from loremap.storage.shared_lock import SharedLock
from loremap.storage.word_arrays import WordArrays

DELETED = len(Status)
"""The status code of what is forgotten but can be restored."""
ERASED = DELETED + 1
"""The status code of what is gone for good."""
UNKNOWN = -2
"""The code of a name no memory carries."""

STATUS_CODE = {status.value: code for code, status in enumerate(Status)}
SCOPE_CODE = {scope.value: code for code, scope in enumerate(Scope)}
KIND_CODE = {kind.value: code for code, kind in enumerate(Kind)}
VISIBILITY_CODE = {visibility.value: code for code, visibility in enumerate(Visibility)}

_INTERNED = ("tenant_id", "owner_id", "project_id", "session_id", "branch", "seasonal")
_COLUMNS: dict[str, type[np.generic]] = {
    "row": np.int64,
    "status": np.int8,
    "scope": np.int8,
    "kind": np.int16,
    "visibility": np.int8,
    "tainted": np.bool_,
    "pinned": np.bool_,
    "created_at": np.int64,
    "last_accessed_at": np.int64,
    "access_count": np.int32,
    "votes_against": np.int32,
    "recency_weight": np.float32,
    "confidence": np.float32,
    "trust": np.float32,
    "length": np.int32,
    "is_code": np.bool_,
    "first_vector": np.int64,
    "vector_count": np.int32,
} | dict.fromkeys(_INTERNED, np.int32)

_ROWS = (
    "SELECT row, id, status, deleted_at, scope, kind, visibility, tainted, pinned, created_at, "
    "last_accessed_at, uses + repetitions + confirmations + helpful + unhelpful, "
    "unhelpful - helpful - confirmations, recency_weight, confidence, trust, length(content), "
    "is_code, tenant_id, owner_id, project_id, session_id, branch, seasonal "
    "FROM memories WHERE seq > ? ORDER BY +row"
)
"""Sorted afterwards (`+`), else a planner may walk all rows in order and look at each one's seq."""
_UNVECTORED = (
    "SELECT row FROM memories m WHERE seq > ? AND NOT EXISTS "
    "(SELECT 1 FROM vectors v WHERE v.memory_id = m.id AND v.model = ?)"
)
_ERASED = "SELECT row FROM erasures WHERE seq > ?"
_IN_CONFLICT = (
    "SELECT memory_a FROM conflicts WHERE resolved_at IS NULL UNION "
    "SELECT memory_b FROM conflicts WHERE resolved_at IS NULL"
)
_DERIVED_KEPT = 32
SCANNED_AT_ONCE = 32_768
"""From so many vectors on, two halves are compared at once."""
LOADED_KEPT = 4_096
"""How many memories are kept whole, because the same ones answer again and again."""
ASKED_OF_INDEX = 1
"""How often the index itself is asked for words before the arrays of all are built."""

Floats = NDArray[np.float32]
T = TypeVar("T")


class Warm:
    """The arrays. A memory's position in them, its slot, stays the same while the process lives."""

    def __init__(self, model: str | None) -> None:
        self.model = model
        self.seq = -1
        self.size = 0
        self.ids: list[str] = []
        self.in_conflict: frozenset[str] = frozenset()
        """The ids of memories in an open conflict: few, so that most recalls need not ask."""
        self.columns: dict[str, NDArray[Any]] = {
            name: np.zeros(0, dtype) for name, dtype in _COLUMNS.items()
        }
        self._codes: dict[str, dict[str | None, int]] = {name: {None: -1} for name in _INTERNED}
        self._slot_of_row = np.full(0, -1, np.int64)
        self._vectors: Floats = np.zeros((0, 0), np.float32)
        self._vector_slot = np.zeros(0, np.int64)
        self._vector_count = 0
        self._derived: dict[Hashable, Any] = {}
        self._loaded: dict[int, Memory] = {}
        self._words: WordArrays | None = None
        self._word_questions = 0
        self._lock = threading.Lock()
        self.use = SharedLock()
        """Shared by whoever asks the arrays, held alone by whoever refreshes them."""

    def __getitem__(self, name: str) -> NDArray[Any]:
        """One column, of all slots in use."""
        return self.columns[name][: self.size]

    def code(self, name: str, value: str | None) -> int:
        """The number that stands for `value` in column `name`."""
        return self._codes[name].get(value, UNKNOWN)

    def names(self, name: str) -> list[str]:
        """The values that column `name` ever held, without none."""
        return [value for value in self._codes[name] if value]

    def slots_of(self, rows: NDArray[np.int64]) -> Slots:
        """The slots of rows; −1 for a row that is not known."""
        slots = np.full(len(rows), -1, np.int64)
        known = rows < len(self._slot_of_row)
        slots[known] = self._slot_of_row[rows[known]]
        return slots

    @property
    def vector_count(self) -> int:
        """How many vectors are held, chunks counted singly."""
        return self._vector_count

    def refresh(self, conn: Connection, *, seq: int) -> None:
        """Take in what was written since the last time."""
        if seq == self.seq:
            return
        with self._lock:
            since, dialect = self.seq, dialect_of(conn)
            asked = dialect.asked
            self._take_rows(asked(conn, _ROWS, since))
            erased = [row for (row,) in asked(conn, _ERASED, since)]
            self._set_erased(erased)
            if self.model is not None:
                if since >= 0:
                    gone = [row for (row,) in asked(conn, _UNVECTORED, since, self.model)]
                    self._drop_vectors([*gone, *erased])
                self._take_vectors(dialect.vectors_of(conn, self.model, since=since))
            self.in_conflict = frozenset(id_ for (id_,) in asked(conn, _IN_CONFLICT))
            self.seq = seq
            self._derived = {}

    def words(self, conn: Connection, *, at_once: bool = False) -> Words:
        """The words of every memory as of the last refresh, which was with the same `conn` and
        before anything was written by it.

        Arrays answer best, but take as long to build as many single questions: whoever asks once
        is answered by the index itself, with the same figures, unless they are to be built
        `at_once`.
        """
        with self._lock:
            self._word_questions += 1
            if self._words is None and not at_once and self._word_questions <= ASKED_OF_INDEX:
                cold = dialect_of(conn).cold_words(conn, self)
                if cold is not None:
                    return cold
            if self._words is None:
                self._words = WordArrays(self.slots_of)
            self._words.refresh(conn, seq=self.seq)
            return self._words

    def load(self, conn: Connection, slots: Sequence[int]) -> dict[int, Memory]:
        """The memories in `slots`, in that order; what is gone or damaged is left out. `conn` is
        that of the last refresh and has written nothing: what was read before is not read again
        while it stays as it is."""
        with self._lock:
            rows = self["row"]
            missing = {int(rows[slot]): slot for slot in slots if slot not in self._loaded}
            for row, memory in memories.by_rows(conn, list(missing)).items():
                self._loaded[missing[row]] = memory
            found = {slot: self._loaded[slot] for slot in slots if slot in self._loaded}
            if len(self._loaded) > LOADED_KEPT:
                self._loaded = {}
            return found

    def derived(self, key: Hashable, make: Callable[[], T]) -> T:
        """What `make` works out from the store, worked out once while the store stays as it is."""
        dated = (self.seq, key)
        if dated in (kept := self._derived):
            found: T = kept[dated]
            return found
        made = make()
        if len(kept) >= _DERIVED_KEPT:
            kept = self._derived = {}
        kept[dated] = made
        return made

    def similarity(self, vector: Floats, *, opening_share: float = 0.5) -> Floats:
        """Cosine of every slot with `vector`; −1 if there is none.

        A long text has several vectors, the first of its opening: its best chunk and its opening
        count half each, because the opening says what it is about; at a share of 0 the best chunk
        counts alone.
        """
        if not self._vector_count:
            return np.full(self.size, -1.0, np.float32)
        similar = np.full(self._vector_count + 1, -1.0, np.float32)
        scan(self._vectors[: self._vector_count], vector, into=similar[:-1])
        first = self["first_vector"]  # −1 if there is none, which is the place appended
        likeness: Floats = similar[first]
        several = np.flatnonzero(self.several)
        if len(several):
            starts = first[several]
            bounds = np.column_stack((starts, starts + self["vector_count"][several])).ravel()
            best = np.maximum.reduceat(similar, bounds)[::2]  # a text's chunks lie side by side
            opening = likeness[several]
            likeness[several] = (1 - opening_share) * best + opening_share * opening
        return likeness

    @property
    def several(self) -> NDArray[np.bool_]:
        """Which slots hold a text so long that it has several vectors."""
        long: NDArray[np.bool_] = self["vector_count"] > 1
        return long

    def vectors_of(self, slots: Slots) -> tuple[Slots, Floats]:
        """Those of `slots` that have a vector, and the first one of each."""
        first = self["first_vector"][slots]
        return slots[first >= 0], self._vectors[first[first >= 0]]

    def _take_rows(self, rows: Sequence[Any]) -> None:
        if not rows:
            return
        highest = rows[-1][0]
        if highest >= len(self._slot_of_row):
            grown = np.full(max(highest + 1, 2 * len(self._slot_of_row)), -1, np.int64)
            grown[: len(self._slot_of_row)] = self._slot_of_row
            self._slot_of_row = grown
        numbers = np.fromiter((row[0] for row in rows), np.int64, len(rows))
        fresh = self._slot_of_row[numbers] < 0
        added = int(fresh.sum())
        self._reserve(self.size + added)
        self._slot_of_row[numbers[fresh]] = np.arange(self.size, self.size + added)
        self.ids.extend(row[1] for row, new in zip(rows, fresh, strict=True) if new)
        self.size += added
        slots = self._slot_of_row[numbers]
        self._forget_loaded(slots)
        for name, values in _by_column(rows).items():
            if name in _INTERNED:
                codes = self._codes[name]
                values = [codes.setdefault(value, len(codes)) for value in values]
            self.columns[name][slots] = values

    def _reserve(self, wanted: int) -> None:
        held = len(self.columns["row"])
        if wanted <= held:
            return
        capacity = max(wanted, held + held // 2, 64)
        for name, values in self.columns.items():
            grown = np.full(capacity, -1 if name == "first_vector" else 0, values.dtype)
            grown[:held] = values
            self.columns[name] = grown

    def _set_erased(self, rows: list[int]) -> None:
        if rows:
            slots = self.slots_of(np.asarray(rows, np.int64))
            self.columns["status"][slots[slots >= 0]] = ERASED
            self._forget_loaded(slots)

    def _forget_loaded(self, slots: Slots) -> None:
        if self._loaded:
            for slot in slots.tolist():
                self._loaded.pop(slot, None)

    def _drop_vectors(self, rows: list[int]) -> None:
        if not rows or not self._vector_count:
            return
        slots = self.slots_of(np.asarray(rows, np.int64))
        held = self._vector_slot[: self._vector_count]
        stale = np.isin(held, slots[slots >= 0])
        if stale.any():
            self.columns["first_vector"][held[stale]] = -1
            self.columns["vector_count"][held[stale]] = 0
            held[stale] = -1
            self._vectors[: self._vector_count][stale] = 0.0

    def _take_vectors(self, rows: Sequence[Any]) -> None:
        if not rows:
            return
        numbers = np.fromiter((row[0] for row in rows), np.int64, len(rows))
        first = np.flatnonzero(np.diff(numbers, prepend=-1))  # they come in order of their rows
        self._drop_vectors(numbers[first].tolist())
        fresh = np.frombuffer(b"".join(row[1] for row in rows), np.float32).reshape(len(rows), -1)
        wanted = self._vector_count + len(rows)
        if wanted > len(self._vectors):
            capacity = max(wanted, self._vector_count + self._vector_count // 2)
            grown = np.empty((capacity, fresh.shape[1]), np.float32)
            if self._vector_count:
                grown[: self._vector_count] = self._vectors[: self._vector_count]
            self._vectors = grown
            slots = np.empty(capacity, np.int64)
            slots[: self._vector_count] = self._vector_slot[: self._vector_count]
            self._vector_slot = slots
        owners = self.slots_of(numbers)
        self._vectors[self._vector_count : wanted] = fresh
        self._vector_slot[self._vector_count : wanted] = owners
        self.columns["first_vector"][owners[first]] = self._vector_count + first
        self.columns["vector_count"][owners[first]] = np.diff(first, append=len(rows))
        self._vector_count = wanted


def _by_column(rows: Sequence[Any]) -> dict[str, Any]:
    """The values of `_ROWS`, by column, in the codes the arrays hold."""
    (
        row, _, status, deleted, scope, kind, visibility, tainted, pinned, created, accessed,
        count, against, recency, confidence, trust, length, is_code, tenant, owner, project,
        session, branch, seasonal,
    ) = zip(*rows, strict=True)  # fmt: skip
    words = (
        [STATUS_CODE.get(value, UNKNOWN) for value in status],
        [SCOPE_CODE.get(value, UNKNOWN) for value in scope],
        [KIND_CODE.get(value, UNKNOWN) for value in kind],
        [VISIBILITY_CODE.get(value, UNKNOWN) for value in visibility],
    )
    return {
        "row": row,
        "status": [
            # A word we do not know is a damaged row's; it stays silent, as if it were gone.
            ERASED if UNKNOWN in codes else DELETED if gone is not None else codes[0]
            for gone, codes in zip(deleted, zip(*words, strict=True), strict=True)
        ],
        "scope": words[1],
        "kind": words[2],
        "visibility": words[3],
        "tainted": tainted,
        "pinned": pinned,
        "created_at": created,
        "last_accessed_at": accessed,
        "access_count": count,
        "votes_against": against,
        "recency_weight": recency,
        "confidence": confidence,
        "trust": trust,
        "length": length,
        "is_code": is_code,
        "tenant_id": tenant,
        "owner_id": owner,
        "project_id": project,
        "session_id": session,
        "branch": branch,
        "seasonal": seasonal,
    }


def scan(vectors: Floats, vector: Floats, *, into: Floats) -> None:
    """The product of every row with `vector`. Not `@`: BLAS would wait for its threads, tenfold
    where others use the processors too. Past what a processor's cache holds one core cannot read
    as fast as memory gives, so two halves are read at once."""
    half = len(vectors) // 2 if len(vectors) >= SCANNED_AT_ONCE else 0
    other = threading.Thread(target=np.vecdot, args=(vectors[:half], vector, into[:half]))
    if half:
        other.start()
    np.vecdot(vectors[half:], vector, out=into[half:])
    if half:
        other.join()

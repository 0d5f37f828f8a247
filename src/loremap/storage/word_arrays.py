"""The words of every memory as arrays: for each word the slots that hold it, and how often."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import count
from threading import RLock
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection

from loremap.storage.bm25 import COLUMNS, Numbers, Slots, Words, damping, idf, saturated
from loremap.storage.dialect import dialect_of
from loremap.storage.postings import (
    COLUMN_BITS,
    MOST,
    SHIFTS,
    SLOT_BITS,
    Ints,
    Settled,
    tallied,
    unpacked,
)

LATE_SHARE = 0.05
"""Changed memories are kept apart until they are this share of all, then taken in."""
LATE_AT_LEAST = 512

_ERASED = "SELECT row FROM erasures WHERE seq > ?"

Row = Sequence[Any]
"""The number of a row, and the words of each column with spaces between them, as bytes."""


class WordArrays(Words):
    """The arrays, in step with the store as of the last `refresh`; safe to ask while another
    thread refreshes."""

    def __init__(self, slots_of: Callable[[NDArray[np.int64]], Slots]) -> None:
        self.seq = -1
        self._slots_of = slots_of
        self._lock = RLock()
        self._clear()

    def _clear(self) -> None:
        self._words: defaultdict[str, int] = defaultdict(count().__next__)
        self._patterns: dict[int, int] = {}
        self._counts = np.zeros((0, len(COLUMNS)))
        self._settled = Settled(np.zeros(1, np.int64), np.zeros(0, np.int64), np.zeros(0, np.int32))
        self._late: dict[int, dict[int, int]] = {}
        """By word: the slots taken in since the arrays were settled, and their patterns."""
        self._late_words: dict[int, list[int]] = {}
        """The words of each of these slots."""
        self._changed = False
        self._outdated = np.zeros(0, np.bool_)
        """Whether what the settled arrays say of a slot is true no longer."""
        self._lengths = np.zeros(0, np.int32)
        """Words of each text and its place, as the index counts them; 0 where none is."""
        self._texts = np.zeros(0, np.int64)
        """Hashes of the indexed texts, because most changes of a memory change no word."""
        self._sorted: list[str] = []
        self._rows = 0
        self._damping = np.zeros(0)
        """By slot: how many occurrences count half of the most."""
        self._weighed: dict[tuple[float, ...], Numbers] = {}
        """By the weights of columns: what each pattern of counts comes to."""

    # Asking

    @property
    def rows(self) -> int:
        """How many memories are indexed."""
        return self._rows

    @property
    def size(self) -> int:
        """How many slots there are."""
        return len(self._lengths)

    def gains(self, term: str, weights: Sequence[float]) -> tuple[Slots, Numbers]:
        """The slots that hold `term`, each once, and what it adds to the BM25 of each."""
        with self._lock:
            slots, frequency = self._held(term, tuple(weights))
            rarity = idf(rows=self._rows, holding=len(slots))
            return slots, rarity * saturated(frequency, self._damping[slots])

    def holds(self, term: str, *, columns: Sequence[str] = COLUMNS) -> Slots:
        """The slots that hold `term` in one of `columns`."""
        with self._lock:
            return self._held(term, tuple(float(name in columns) for name in COLUMNS))[0]

    def frequencies(
        self, terms: Iterable[str], *, columns: Sequence[str] = COLUMNS
    ) -> NDArray[np.int64]:
        """How many memories hold each of `terms`."""
        if set(columns) < set(COLUMNS):
            return super().frequencies(terms, columns=columns)
        with self._lock:
            return np.asarray([len(self._places(term)[0]) for term in terms], np.int64)

    def vocabulary(self) -> list[str]:
        """Every word that occurs, in order."""
        with self._lock:
            held = np.zeros(len(self._words), np.bool_)
            held[self._settled.keys[~self._outdated[self._settled.slots]] >> SLOT_BITS] = True
            held[[word for word, tally in self._late.items() if tally]] = True
            return [term for term in self._in_order() if held[self._words[term]]]

    def with_prefix(self, prefix: str) -> list[str]:
        """The words that begin with `prefix`, in order."""
        with self._lock:
            terms, found = self._in_order(), []
            for place in range(bisect_left(terms, prefix), len(terms)):
                if not terms[place].startswith(prefix):
                    break
                found.append(terms[place])
            return [term for term in found if len(self.holds(term))]

    def _in_order(self) -> list[str]:
        if len(self._sorted) != len(self._words):
            self._sorted = sorted(self._words)
        return self._sorted

    def _held(self, term: str, weights: tuple[float, ...]) -> tuple[Slots, Numbers]:
        """The slots that hold `term` in a column with a weight, and the weighted count."""
        slots, patterns = self._places(term)
        weighed = self._weighed.get(weights)
        if weighed is None:
            weighed = self._weighed[weights] = self._counts @ np.asarray(weights, np.float64)
        frequency = weighed[patterns]
        if not all(weights):
            held = frequency > 0
            slots, frequency = slots[held], frequency[held]
        return slots, frequency

    def _places(self, term: str) -> tuple[Slots, Ints]:
        """The slots that hold `term`, and how often by column, as the number of a pattern."""
        word = self._words.get(term, len(self._words))
        slots, patterns = self._settled.of(word)
        if self._changed:
            current = ~self._outdated[slots]
            slots, patterns = slots[current], patterns[current]
            if tally := self._late.get(word):
                slots = np.append(slots, np.fromiter(tally, np.int64, len(tally)))
                patterns = np.append(patterns, np.fromiter(tally.values(), np.int32, len(tally)))
        return slots, patterns

    # Keeping in step

    def refresh(self, conn: Connection, *, seq: int) -> None:
        """Take in what was written since the last time."""
        if seq == self.seq:
            return
        with self._lock:
            if self.seq < 0:
                self._build(dialect_of(conn).words_of(conn, since=None))
            else:
                self._follow(conn)
            self._rows = int(np.count_nonzero(self._lengths))
            mean = float(self._lengths.sum(dtype=np.int64)) / (self._rows or 1) or 1.0
            self._damping = damping(self._lengths.astype(np.float64), mean_length=mean)
            self.seq = seq

    def _follow(self, conn: Connection) -> None:
        dialect = dialect_of(conn)
        changed = dialect.words_of(conn, since=self.seq)
        most = max(LATE_AT_LEAST, LATE_SHARE * self._rows)
        if len(changed) > most:
            self._clear()
            self._build(dialect_of(conn).words_of(conn, since=None))
            return
        for slot, _ in self._placed(dialect.asked(conn, _ERASED, self.seq)):
            self._drop(slot)
        for slot, (_, *texts) in self._placed(changed):
            self._take(slot, texts)
        if len(self._late_words) > most:
            self._settle()

    def _placed(self, rows: Sequence[Row]) -> list[tuple[int, Row]]:
        """The rows that have a slot, each with its own; there is room for them."""
        slots = self._slots_of(np.fromiter((row[0] for row in rows), np.int64, len(rows)))
        missing = int(slots.max(initial=-1)) + 1 - len(self._lengths)
        if missing > 0:
            room = missing + len(self._lengths) // 2
            self._outdated = np.append(self._outdated, np.zeros(room, np.bool_))
            self._lengths = np.append(self._lengths, np.zeros(room, np.int32))
            self._texts = np.append(self._texts, np.zeros(room, np.int64))
        return [(int(slot), row) for slot, row in zip(slots, rows, strict=True) if slot >= 0]

    def _drop(self, slot: int) -> None:
        for word in self._late_words.pop(slot, ()):
            del self._late[word][slot]
        if self._lengths[slot]:
            self._lengths[slot] = self._texts[slot] = 0
            self._outdated[slot] = self._changed = True

    def _take(self, slot: int, texts: Sequence[bytes]) -> None:
        if self._lengths[slot] and self._texts[slot] == hash(tuple(texts)):
            return
        self._drop(slot)
        packed: Counter[str] = Counter()
        length = 1
        for text, shift, most in zip(texts, SHIFTS.tolist(), MOST.tolist(), strict=True):
            terms = _terms(text)
            length += len(terms)
            for term, times in Counter(terms).items():
                packed[term] += min(times, most) << shift
        words = [self._words[term] for term in packed]
        for word, pattern in zip(words, self._patterned(list(packed.values())), strict=True):
            self._late.setdefault(word, {})[slot] = pattern
        self._late_words[slot] = words
        self._lengths[slot], self._texts[slot] = length, hash(tuple(texts))
        self._changed = True

    def _build(self, rows: Sequence[Row]) -> None:
        """Take in all rows at once."""
        placed = self._placed(rows)
        slots = np.fromiter((slot for slot, _ in placed), np.int64, len(placed))
        self._texts[slots] = [hash(tuple(texts)) for _, (_, *texts) in placed]
        self._lengths[slots] = 1
        found = []
        for place in range(len(COLUMNS)):
            texts = [row[place + 1] for _, row in placed]
            counts = [text.count(b" ") + 1 if text else 0 for text in texts]
            terms = _terms(b" ".join(filter(None, texts)))
            words = np.fromiter(map(self._words.__getitem__, terms), np.int64, len(terms))
            keys = (words << SLOT_BITS) | np.repeat(slots, counts)
            found.append((keys << COLUMN_BITS) | place)
            self._lengths[slots] += np.asarray(counts, np.int32)
        keys, packed = tallied(np.concatenate(found))
        kinds, which = np.unique(packed, return_inverse=True)
        patterns = np.asarray(self._patterned(kinds.tolist()), np.int32)[which]
        self._settled = Settled.ordered(keys, patterns, words=len(self._words))

    def _settle(self) -> None:
        """Take what came late into the arrays."""
        late = [
            ((word << SLOT_BITS) | slot, pattern)
            for word, tally in self._late.items()
            for slot, pattern in tally.items()
        ]
        keys, late_patterns = np.asarray(late, np.int64).reshape(-1, 2).T
        kept = ~self._outdated[self._settled.slots]
        keys = np.append(self._settled.keys[kept], keys)
        order = np.argsort(keys, kind="stable")
        patterns = np.append(self._settled.patterns[kept], late_patterns.astype(np.int32))[order]
        self._settled = Settled.ordered(keys[order], patterns, words=len(self._words))
        self._late, self._late_words = {}, {}
        self._outdated[:] = self._changed = False

    def _patterned(self, packed: Sequence[int]) -> list[int]:
        """The numbers of patterns; new ones are given the next."""
        numbers = [self._patterns.setdefault(one, len(self._patterns)) for one in packed]
        if len(self._patterns) > len(self._counts):
            every = np.fromiter(self._patterns, np.int64, len(self._patterns))
            self._counts = unpacked(every)
            self._weighed = {}
        return numbers


def _terms(text: bytes) -> list[str]:
    return text.decode("utf-8", "surrogateescape").split(" ") if text else []

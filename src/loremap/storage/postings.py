"""Which texts hold which words and how often, packed into few and compact arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from loremap.storage.bm25 import Numbers, Slots

_BITS = (12, 20, 11, 14, 6)
"""How often a word occurs in a text, by column, fits into one number of 63 bits."""
SHIFTS = np.cumsum((0, *_BITS[:-1]))
MOST = (1 << np.asarray(_BITS)) - 1
SLOT_BITS = 32
_SLOT_MASK = (1 << SLOT_BITS) - 1
COLUMN_BITS = 3

Ints = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Settled:
    """The words of most memories: those of word `w` lie from `starts[w]` to `starts[w + 1]`."""

    starts: Slots
    slots: Slots
    patterns: Ints
    """Which of the patterns of counts by column each one has; texts share a few of them."""

    @classmethod
    def ordered(cls, keys: Slots, patterns: Ints, *, words: int) -> Settled:
        """Of keys in order, each a word and a slot."""
        starts = np.searchsorted(keys, np.arange(words + 1) << SLOT_BITS)
        return cls(starts, keys & _SLOT_MASK, patterns)

    @property
    def keys(self) -> Slots:
        """The word and the slot of each, as one number."""
        of_word = np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))
        return (of_word << SLOT_BITS) | self.slots

    def of(self, word: int) -> tuple[Slots, Ints]:
        """The slots that hold a word, and their patterns."""
        if word + 1 >= len(self.starts):
            return self.slots[:0], self.patterns[:0]
        lies = slice(self.starts[word], self.starts[word + 1])
        return self.slots[lies], self.patterns[lies]


def tallied(found: Slots) -> tuple[Slots, Slots]:
    """Each word and slot once, in order, with its packed counts by column."""
    found.sort()
    first = np.flatnonzero(np.diff(found, prepend=-1))
    times, column = np.diff(first, append=len(found)), found[first] & ((1 << COLUMN_BITS) - 1)
    packed = np.minimum(times, MOST[column]) << SHIFTS[column]
    keys = found[first] >> COLUMN_BITS
    start = np.flatnonzero(np.diff(keys, prepend=-1))
    return keys[start], np.add.reduceat(packed, start) if len(start) else packed


def unpacked(packed: Slots) -> Numbers:
    """The counts by column, one row to each."""
    counts: Numbers = ((packed[:, None] >> SHIFTS) & MOST).astype(np.float64)
    return counts

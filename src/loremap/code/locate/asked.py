"""A task asked of an index: what several signals need is found once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import numpy as np

from loremap.code.locate.index import Floats, Ints, LocateIndex, Postings, summed
from loremap.code.locate.task import Task
from loremap.code.term_hashes import Hashes, name_hash

SATURATION = 1.2
LENGTH_SHARE = 0.75
"""BM25's k1 and b, at their usual values."""

Signal = Callable[["Asked"], Floats]
"""One number per file, none below 0; a larger one speaks for the file."""


@dataclass(frozen=True, eq=False)
class Asked:
    """A task, an index, and what is already known of the two."""

    index: LocateIndex
    task: Task
    similar: Floats | None = None
    """How like each file's symbols are to the task; not a number where a file has no vectors."""
    _found: dict[Signal, Floats] = field(default_factory=dict)

    def found(self, signal: Signal) -> Floats:
        """What a signal says of every file."""
        if signal not in self._found:
            self._found[signal] = signal(self)
        return self._found[signal]

    @cached_property
    def terms(self) -> Hashes:
        """The terms of the task, in order."""
        return np.array(sorted(self.task.terms), np.uint32)

    @cached_property
    def _said(self) -> tuple[Ints, Ints]:
        return self.index.passages.matching(self.terms)

    @cached_property
    def file_counts(self) -> Floats:
        """How often each file says each term of the task: files × terms."""
        at, which = self._said
        files = self.index.file_of[self.index.passages.places[at]].astype(np.int64)
        size = len(self.index) * len(self.terms)
        counts = summed(files * len(self.terms) + which, self.index.passages.counts[at], size)
        return counts.reshape(len(self.index), len(self.terms))

    @cached_property
    def telling(self) -> Floats:
        """How much each term tells, by how many files say it."""
        said = np.count_nonzero(self.file_counts, axis=0)
        return inverse_frequency(said, len(self.index))

    def counts_in(self, at: int) -> Floats:
        """How often one file says each term of the task, without looking at the others."""
        terms = self.index.files[at]
        which = np.minimum(np.searchsorted(self.terms, terms.terms), max(len(self.terms) - 1, 0))
        said = np.isin(terms.terms, self.terms)
        return summed(which[said], terms.counts[said], len(self.terms))

    @cached_property
    def passages_telling(self) -> Floats:
        """How much each term tells, by how many passages say it."""
        said = np.bincount(self._said[1], minlength=len(self.terms))
        return inverse_frequency(said, len(self.index.file_of))

    @cached_property
    def passage_scores(self) -> Floats:
        """How well each passage matches all words of the task."""
        return self.scored_passages(self.task.terms)

    def scored_passages(self, weights: Mapping[int, float]) -> Floats:
        """How well each passage matches some of the task's words."""
        weight = np.array([weights.get(int(term), 0.0) for term in self.terms])
        return bm25_of(self.index.passages, self._said, weight)

    @cached_property
    def definers(self) -> dict[str, Ints]:
        """Name → files that define it, of the names and dotted names of the task."""
        chains = [chain.split(".") for chain in self.task.dotted]
        held = {f"{left}.{right}" for chain in chains for left, right in pairwise(chain)}
        names = {*self.task.identifiers, *held, *(frame.function for frame in self.task.frames)}
        names.update(part for chain in chains for part in chain)
        return files_by_name(self.index.defined, names - {""})


def bm25(
    postings: Postings, weights: Mapping[int, float], *, length_share: float = LENGTH_SHARE
) -> Floats:
    """BM25 of every place, each term weighed."""
    wanted = np.array(sorted(weights), np.uint32)
    weight = np.array([weights[int(term)] for term in wanted])
    return bm25_of(postings, postings.matching(wanted), weight, length_share=length_share)


def bm25_of(
    postings: Postings,
    said: tuple[Ints, Ints],
    weight: Floats,
    *,
    length_share: float = LENGTH_SHARE,
) -> Floats:
    """BM25 of every place by the postings that say a term, and which."""
    at, which = said
    places = len(postings.lengths)
    idf = inverse_frequency(np.bincount(which, minlength=len(weight)), places)
    place, count = postings.places[at], postings.counts[at].astype(np.float64)
    norm = length_norm(postings.lengths, length_share=length_share)[place]
    scores = (weight * idf)[which] * count * (SATURATION + 1) / (count + norm)
    return summed(place, scores, places)


def length_norm(lengths: Floats, *, length_share: float = LENGTH_SHARE) -> Floats:
    """What long places pay in BM25."""
    mean = max(float(lengths.mean()), 1e-9) if len(lengths) else 1.0
    return SATURATION * (1 - length_share + length_share * lengths / mean)


def inverse_frequency(frequency: Ints, places: int) -> Floats:
    """How much a term tells that so many of the places say."""
    told: Floats = np.log1p((places - frequency + 0.5) / (frequency + 0.5))
    return told


def files_by_name(defined: Postings, names: Iterable[str]) -> dict[str, Ints]:
    """The files that define each name; names that none defines are left out."""
    by_hash = {name_hash(name): name for name in names}
    wanted = np.array(sorted(by_hash), np.uint32)
    at, which = defined.matching(wanted)
    order = np.argsort(which, kind="stable")
    cuts = np.flatnonzero(np.diff(which[order])) + 1
    return {
        by_hash[int(wanted[which[group[0]]])]: defined.places[at[group]].astype(np.int64)
        for group in np.split(order, cuts)
        if len(group)
    }

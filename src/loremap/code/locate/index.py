"""The counts of many files side by side, ready to be asked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import PurePosixPath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from loremap.code.term_hashes import Hashes, token_hashes
from loremap.code.terms import FileTerms
from loremap.model.paths import is_beside_path

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_INDEX_STEMS = frozenset({"__init__", "index", "mod", "main", "lib"})
"""Files that stand for their folder."""
_LOW = 0xFFFF
_BESIDE = 0.7
_BESIDE_FOLDERS = frozenset(
    "example examples sample samples demo demos bench benches benchmark benchmarks sandbox "
    "playground playgrounds".split()
)
"""Folders whose files try the product out, wherever they lie."""
_DECLARING = 0.7
_DECLARES = re.compile(r"\.d\.[cm]?ts$|\.pyi$")
_BY_LENGTH = 0.05
"""What the longest file counts more than one of the middle."""


@dataclass(frozen=True, eq=False)
class Postings:
    """Which place says which term how often."""

    low: NDArray[np.uint16]
    """The low half of each term: a look-up of it leaves few to compare."""
    terms: Hashes
    places: NDArray[np.int32]
    counts: NDArray[np.uint8]
    lengths: Floats
    """All counts of a place."""

    def matching(self, wanted: Hashes) -> tuple[Ints, Ints]:
        """Postings that say a wanted term, and which; `wanted` is in order."""
        if not len(wanted):
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        listed = np.zeros(_LOW + 1, bool)
        listed[wanted & _LOW] = True
        near = np.flatnonzero(listed[self.low])
        said = self.terms[near]
        which = np.minimum(np.searchsorted(wanted, said), len(wanted) - 1)
        exact = wanted[which] == said
        return near[exact], which[exact]


@dataclass(frozen=True, eq=False)
class LocateIndex:
    """Files, their passages and what they say."""

    paths: tuple[str, ...]
    files: tuple[FileTerms, ...]
    first_passage: Ints
    """Of each file, and the number of all passages at the end."""
    file_of: NDArray[np.int32]
    """The file of each passage."""
    passages: Postings
    names: Postings
    path_words: Postings
    defined: Postings
    messages: Postings
    by_stem: dict[str, list[int]]
    """Name without extension, or the folder's where the name stands for it → files."""

    def __len__(self) -> int:
        return len(self.paths)

    @cached_property
    def standing(self) -> Floats:
        """What a file's score counts: seldom is an example, a file of mere declarations or a very
        short one what is meant."""
        return np.array([_standing(path) for path in self.paths]) * length_factors(
            self.file_lengths
        )

    @cached_property
    def file_lengths(self) -> Floats:
        """How many terms each file counts."""
        return summed(self.file_of, self.passages.lengths, len(self))


def _standing(path: str) -> float:
    folders = path.lower().split("/")[:-1]
    is_beside = is_beside_path(path) or not _BESIDE_FOLDERS.isdisjoint(folders)
    return (_BESIDE if is_beside else 1.0) * (_DECLARING if _DECLARES.search(path) else 1.0)


def length_factors(lengths: Floats) -> Floats:
    """What files of these lengths count: 1 in the middle, a little more or less at the ends."""
    if not len(lengths):
        return np.ones(0)
    apart = np.log1p(lengths) - np.median(np.log1p(lengths))
    factors: Floats = 1 + _BY_LENGTH * apart / max(float(np.abs(apart).max()), 1e-9)
    return factors


def summed(places: NDArray[np.integer[Any]], values: NDArray[Any], place_count: int) -> Floats:
    """The sum of the values at each place."""
    sums: Floats = np.bincount(places, values, minlength=place_count).astype(np.float64)
    return sums


def built_index(files: Iterable[tuple[str, FileTerms]]) -> LocateIndex:
    """The index of some files, given as path and counts; files of one path must come once."""
    rows = list(files)
    paths, terms = tuple(path for path, _ in rows), tuple(one for _, one in rows)
    passage_counts = [len(one.lines) for one in terms]
    first = np.concatenate(([0], np.cumsum(passage_counts, dtype=np.int64)))
    words = [path_words(path) for path in paths]
    return LocateIndex(
        paths=paths,
        files=terms,
        first_passage=first,
        file_of=np.repeat(np.arange(len(rows), dtype=np.int32), passage_counts),
        passages=_passages(terms, int(first[-1])),
        names=_postings([one.name_terms for one in terms], [one.name_counts for one in terms]),
        path_words=_postings([terms for terms, _ in words], [counts for _, counts in words]),
        defined=_postings([one.defined for one in terms]),
        messages=_postings([one.messages for one in terms]),
        by_stem=_by_stem(paths),
    )


@lru_cache(maxsize=65_536)
def path_words(path: str) -> tuple[Hashes, NDArray[np.uint8]]:
    """The words in a path; those of the file's own name count twice."""
    *folders, own = dotted_path(path).split(".")
    counts = {term: 1 for folder in folders for term in token_hashes(folder)}
    counts.update(dict.fromkeys(token_hashes(own), 2))
    return np.array(list(counts), np.uint32), np.array(list(counts.values()), np.uint8)


@lru_cache(maxsize=65_536)
def dotted_path(path: str) -> str:
    """A path as a module would be named: `a/b/c.py` and `a/b/c/__init__.py` → `a.b.c`."""
    pure = PurePosixPath(path)
    parts = list(pure.parts[:-1])
    stem = pure.name.split(".")[0] or pure.name
    if stem not in _INDEX_STEMS or not parts:
        parts.append(stem)
    return ".".join(parts)


def _by_stem(paths: Sequence[str]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for at, path in enumerate(paths):
        found.setdefault(dotted_path(path).rpartition(".")[2], []).append(at)
    return found


def _passages(files: Sequence[FileTerms], passage_count: int) -> Postings:
    sizes = np.concatenate([np.zeros(0, np.int64), *(np.diff(one.bounds) for one in files)])
    places = np.repeat(np.arange(passage_count, dtype=np.int32), sizes.astype(np.int64))
    return _joined([one.terms for one in files], [one.counts for one in files], places,
                   place_count=passage_count)  # fmt: skip


def _postings(
    terms: Sequence[Hashes], counts: Sequence[NDArray[np.uint8]] | None = None
) -> Postings:
    """Postings whose places are files; without counts, each term counts once."""
    places = np.repeat(np.arange(len(terms), dtype=np.int32), [len(one) for one in terms])
    once = [np.ones(len(places), np.uint8)]
    return _joined(terms, once if counts is None else counts, places, place_count=len(terms))


def _joined(
    terms: Sequence[Hashes],
    counts: Sequence[NDArray[np.uint8]],
    places: NDArray[np.int32],
    *,
    place_count: int,
) -> Postings:
    all_terms = np.concatenate([np.zeros(0, np.uint32), *terms])
    all_counts = np.concatenate([np.zeros(0, np.uint8), *counts])
    return Postings(
        low=(all_terms & _LOW).astype(np.uint16),
        terms=all_terms,
        places=places,
        counts=all_counts,
        lengths=summed(places, all_counts, place_count),
    )

"""Counts the words of a source file, passage by passage, for finding files by a description.

A passage is a function, method or type; passage 0 is what lies outside all of them.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from loremap.code.facts import Definition, FileFacts, qualified_names
from loremap.code.term_hashes import (
    KEEP_NUL,
    MARK,
    WORD_BYTES,
    Hashes,
    name_hash,
    packed_hashes,
    run_hashes,
)
from loremap.model.code import SymbolKind

_QUOTED = re.compile(rb"\"[^\"\n]{10,300}\"|'[^'\n]{10,300}'|`[^`\n]{10,300}`")
_HOLE = re.compile(rb"%[-\d.]*\(?\w*\)?[sdrfvqTi]\b|\$?\{[^}\0]{0,60}\}")
"""Where a message is filled in: no words run across it."""
_BREAK = b" \x00 "
_PASSAGE_KINDS = frozenset(
    {
        SymbolKind.FUNCTION.value,
        SymbolKind.METHOD.value,
        SymbolKind.CLASS.value,
        SymbolKind.TYPE.value,
    }
)
_CALLABLE_KINDS = frozenset({SymbolKind.FUNCTION.value, SymbolKind.METHOD.value})
TERMS_VERSION = 3
"""Raised when counting changes, so that old counts are made anew."""

_MAX_COUNT = 255
_HEADER = struct.Struct("<9I")


@dataclass(frozen=True, eq=False)
class FileTerms:
    """What `locate` keeps of one file; passage `i` owns `terms[bounds[i]:bounds[i + 1]]`."""

    names: tuple[str, ...]
    """The qualified name of each passage; that of passage 0 is empty."""
    lines: Hashes
    """The first line of each passage."""
    bounds: Hashes
    terms: Hashes
    counts: NDArray[np.uint8]
    defined: Hashes
    """Name and holder.name of everything defined here, each once, as `name_hash` gives them."""
    name_terms: Hashes
    """The words of the names defined here, each once."""
    name_counts: NDArray[np.uint8]
    messages: Hashes
    """Runs of three words inside quoted text, as `run_hashes` gives them."""


def file_terms(source: bytes, facts: FileFacts) -> FileTerms:
    """The counts of one file; `facts` are what was extracted from the same bytes."""
    chosen = passages(facts.definitions)
    qualified = qualified_names(facts)
    names = ["", *(qualified[at] for at in chosen)]
    spans = [facts.definitions[at] for at in chosen]
    bounds, terms, counts = _counted(*_said(source, spans, names, facts), len(names) + 1)
    end = int(bounds[-2])
    return FileTerms(
        names=tuple(names),
        lines=np.array([1, *(span.start_line for span in spans)], np.uint32),
        bounds=bounds[:-1],
        terms=terms[:end],
        counts=counts[:end],
        defined=_defined(facts.definitions),
        name_terms=terms[end:],
        name_counts=counts[end:],
        messages=run_hashes(_quoted(source)),
    )


def passages(definitions: Sequence[Definition]) -> list[int]:
    """Indices of the definitions that are passages: types, and callables not inside another."""
    return [
        at
        for at, definition in enumerate(definitions)
        if definition.kind in _PASSAGE_KINDS and not _is_inside_callable(definitions, at)
    ]


def _is_inside_callable(definitions: Sequence[Definition], at: int) -> bool:
    while (at := definitions[at].parent) != 0:
        if definitions[at].kind in _CALLABLE_KINDS:
            return True
    return False


def to_bytes(terms: FileTerms) -> bytes:
    """`terms` for the cache."""
    names = "\n".join(terms.names).encode("utf-8", "replace")
    wide = (terms.lines, terms.bounds, terms.terms, terms.defined, terms.name_terms, terms.messages)
    narrow = (terms.counts, terms.name_counts)
    sizes = _HEADER.pack(len(names), *(len(array) for array in (*wide, *narrow)))
    return b"".join([sizes, *(array.tobytes() for array in (*wide, *narrow)), names])


def from_bytes(data: bytes) -> FileTerms:
    """The terms that `to_bytes` wrote; the arrays look into `data`."""
    name_bytes, *lengths = _HEADER.unpack_from(data)
    wide, at = [], _HEADER.size
    for length in lengths[:-2]:
        wide.append(np.frombuffer(data, np.uint32, length, at))
        at += 4 * length
    counts = np.frombuffer(data, np.uint8, lengths[-2], at)
    name_counts = np.frombuffer(data, np.uint8, lengths[-1], at + len(counts))
    at += len(counts) + len(name_counts)
    return FileTerms(
        names=tuple(data[at : at + name_bytes].decode("utf-8", "replace").split("\n")),
        lines=wide[0],
        bounds=wide[1],
        terms=wide[2],
        counts=counts,
        defined=wide[3],
        name_terms=wide[4],
        name_counts=name_counts,
        messages=wide[5],
    )


def _said(
    source: bytes, spans: Sequence[Definition], names: Sequence[str], facts: FileFacts
) -> tuple[list[int], Hashes]:
    """Passages, and what each says in turn, a mark after each; a passage may come again.

    A method says its own name once and its class's not at all, so each says its qualified name.
    The words of all names are counted like one more passage.
    """
    pieces = _pieces(spans, len(source))
    words = source.translate(WORD_BYTES)
    every = " ".join([definition.name for definition in facts.definitions[1:]])
    named = "\0".join([*names[1:], every]).encode("utf-8", "replace").translate(KEEP_NUL)
    said = [words[start:end] for start, end, _ in pieces] + named.split(b"\0") + [b""]
    packed = b"".join(map(packed_hashes.__getitem__, _BREAK.join(said).split()))
    return [*(at for _, _, at in pieces), *range(1, len(names) + 1)], np.frombuffer(
        packed, np.uint32
    )


def _pieces(chosen: Sequence[Definition], size: int) -> list[tuple[int, int, int]]:
    """Stretches (start, end, passage) that cover a file; what is nested belongs to the inner."""
    cuts = [(0, 0)]
    stack = [(size, 0)]
    for at, definition in enumerate(chosen, 1):
        while definition.start_byte >= stack[-1][0] and len(stack) > 1:
            cuts.append((stack.pop()[0], stack[-1][1]))
        cuts.append((definition.start_byte, at))
        stack.append((min(definition.end_byte, stack[-1][0]), at))
    while len(stack) > 1:
        cuts.append((stack.pop()[0], stack[-1][1]))
    cuts.append((size, 0))
    return [(start, end, at) for (start, at), (end, _) in pairwise(cuts) if end > start]


def _counted(
    places: Sequence[int], said: Hashes, passage_count: int
) -> tuple[Hashes, Hashes, NDArray[np.uint8]]:
    """Bounds, terms and counts of each passage, terms in order."""
    is_mark = said == MARK
    marks = is_mark.nonzero()[0]
    lengths = marks - 1
    lengths[:1] += 1
    lengths[1:] -= marks[:-1]
    keys = (np.array(places, np.uint64) << np.uint64(32)).repeat(lengths)
    keys |= said[~is_mark]
    keys.sort()
    is_first = np.ones(len(keys), bool)
    np.not_equal(keys[1:], keys[:-1], out=is_first[1:])
    first = is_first.nonzero()[0]
    counts = -first
    counts[:-1] += first[1:]
    counts[-1:] += len(keys)
    keys = keys[first]
    bounds = keys.searchsorted(np.arange(passage_count + 1, dtype=np.uint64) << np.uint64(32))
    terms = (keys & np.uint64(0xFFFFFFFF)).astype(np.uint32)
    return bounds.astype(np.uint32), terms, np.minimum(counts, _MAX_COUNT).astype(np.uint8)


def _defined(definitions: Sequence[Definition]) -> Hashes:
    names = {definition.name for definition in definitions[1:]}
    held = {
        f"{definitions[definition.parent].name}.{definition.name}"
        for definition in definitions[1:]
        if definition.parent
    }
    return np.array(sorted(map(name_hash, names | held)), np.uint32)


def _quoted(source: bytes) -> bytes:
    """The quoted texts of a source, one break after another."""
    texts = _BREAK.join([match[1:-1] for match in _QUOTED.findall(source) if b" " in match])
    return _HOLE.sub(_BREAK, texts)

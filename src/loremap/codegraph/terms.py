"""Counts the words of a source file, passage by passage, for finding files by a description.

A passage is a function, method or type; passage 0 is what lies outside all of them. Terms are
32-bit hashes, so that files need no common vocabulary: a file's counts never change because
another file did. An identifier counts as each of its words, stemmed, and as a whole.
"""

from __future__ import annotations

import re
import struct
import sys
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from loremap.codegraph.facts import Definition, FileFacts, qualified_names
from loremap.model.code import SymbolKind
from loremap.model.words import STOP_WORDS, plain, stem

Hashes = NDArray[np.uint32]

_WORD_BYTES = bytes(
    byte if byte >= 0x80 or chr(byte).isalnum() or byte == 0x5F else 0x20 for byte in range(256)
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
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

_MARK = 0xFFFFFFFF
"""What ends a passage among hashes; no term has it."""
_MAX_COUNT = 255
_MAX_CACHED = 400_000
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


def text_hash(text: str) -> int:
    """The hash of one term."""
    return min(zlib.crc32(text.encode("utf-8", "replace")), _MARK - 1)


def name_hash(name: str) -> int:
    """The hash of a name as it is defined, case and all; apart from those of terms."""
    return zlib.crc32(name.encode("utf-8", "replace"), 1)


def name_parts(name: str) -> list[str]:
    """The words of an identifier, folded and stemmed: `getHTTPResponse` → get, http, respons."""
    return [stemmed for part in _parts(name) if (stemmed := _stemmed(part))]


def _parts(name: str) -> list[str]:
    """The words of an identifier as written; what has no capital inside is parted by `_` alone."""
    if name.islower():
        return [part for part in name.split("_") if part]
    return [part for snake in name.split("_") for part in _CAMEL.split(snake) if part]


@lru_cache(maxsize=65_536)
def _stemmed(part: str) -> str:
    """One word folded and stemmed; empty where it tells nothing."""
    folded = plain(part)
    return stem(folded) if _tells(folded) else ""


@lru_cache(maxsize=65_536)
def _part_hash(part: str) -> int | None:
    stemmed = _stemmed(part)
    return text_hash(stemmed) if stemmed else None


def token_hashes(token: str) -> list[int]:
    """The hashes of an identifier's words, and of its whole where it has several."""
    hashes = [value for part in _parts(token) if (value := _part_hash(part)) is not None]
    if is_compound(token):
        hashes.append(text_hash(whole(token)))
    return hashes


def is_compound(token: str) -> bool:
    """Whether a token is written as no prose word is: `a_b`, `aB`, `__a__`."""
    return "_" in token or _CAMEL.search(token) is not None


def whole(token: str) -> str:
    """How the whole of a compound identifier is spelt as a term."""
    return f"={token}"


def run_hashes(source: bytes) -> Hashes:
    """Hashes of every three words in a row; a NUL between words breaks the run."""
    words = b"".join(map(_folded_hashes.__getitem__, source.lower().translate(_KEEP_NUL).split()))
    hashes = np.frombuffer(words, np.uint32)
    if len(hashes) < 3:
        return np.zeros(0, np.uint32)
    first, second, third = hashes[:-2], hashes[1:-1], hashes[2:]
    runs = (first * np.uint32(0x9E3779B1)) ^ (second * np.uint32(0x85EBCA77)) ^ third
    return np.unique(runs[(first != 0) & (second != 0) & (third != 0)])


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


class _PackedHashes(dict[bytes, bytes]):
    """Token → its hashes, packed; sources say the same tokens over and over. NUL is a mark."""

    def __missing__(self, token: bytes) -> bytes:
        if len(self) > _MAX_CACHED:
            self.clear()
        hashes = token_hashes(token.decode("utf-8", "replace")) if token != b"\0" else [_MARK]
        self[token] = packed = struct.pack(f"={len(hashes)}I", *hashes)
        return packed


class _PackedFolded(dict[bytes, bytes]):
    """Folded word → its hash, packed; the mark of a break is 0."""

    def __missing__(self, word: bytes) -> bytes:
        if len(self) > _MAX_CACHED:
            self.clear()
        value = 0 if word == b"\0" else zlib.crc32(word) or 1
        self[word] = packed = value.to_bytes(4, sys.byteorder)
        return packed


_hashes = _PackedHashes()
_folded_hashes = _PackedFolded()
_KEEP_NUL = b"\0" + _WORD_BYTES[1:]


def _said(
    source: bytes, spans: Sequence[Definition], names: Sequence[str], facts: FileFacts
) -> tuple[list[int], Hashes]:
    """Passages, and what each says in turn, a mark after each; a passage may come again.

    A method says its own name once and its class's not at all, so each says its qualified name.
    The words of all names are counted like one more passage.
    """
    pieces = _pieces(spans, len(source))
    words = source.translate(_WORD_BYTES)
    every = " ".join([definition.name for definition in facts.definitions[1:]])
    named = "\0".join([*names[1:], every]).encode("utf-8", "replace").translate(_KEEP_NUL)
    said = [words[start:end] for start, end, _ in pieces] + named.split(b"\0") + [b""]
    packed = b"".join(map(_hashes.__getitem__, _BREAK.join(said).split()))
    return [*(at for _, _, at in pieces), *range(1, len(names) + 1)], np.frombuffer(
        packed, np.uint32
    )


def _tells(folded: str) -> bool:
    return len(folded) > 1 and not folded.isdigit() and folded not in STOP_WORDS


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
    is_mark = said == _MARK
    ends = np.flatnonzero(is_mark) - np.arange(len(places))
    keys = np.repeat(np.array(places, np.uint64) << np.uint64(32), np.diff(ends, prepend=0))
    keys |= said[~is_mark]
    keys.sort()
    is_first = np.ones(len(keys), bool)
    np.not_equal(keys[1:], keys[:-1], out=is_first[1:])
    first = np.flatnonzero(is_first)
    counts = np.append(first[1:], len(keys)) - first
    keys = keys[first]
    bounds = np.searchsorted(keys, np.arange(passage_count + 1, dtype=np.uint64) << np.uint64(32))
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

"""The hashes that words and identifiers are counted by.

Terms are 32-bit hashes, so that files need no common vocabulary: a file's counts never change
because another file did. An identifier counts as each of its words, stemmed, and as a whole.
"""

from __future__ import annotations

import re
import struct
import sys
import zlib
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from loremap.model.words import STOP_WORDS, plain, stem

Hashes = NDArray[np.uint32]

WORD_BYTES = bytes(
    byte if byte >= 0x80 or chr(byte).isalnum() or byte == 0x5F else 0x20 for byte in range(256)
)
KEEP_NUL = b"\0" + WORD_BYTES[1:]
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")

MARK = 0xFFFFFFFF
"""What ends a passage among hashes; no term has it."""
_MAX_CACHED = 400_000


def text_hash(text: str) -> int:
    """The hash of one term."""
    return min(zlib.crc32(text.encode("utf-8", "replace")), MARK - 1)


def name_hash(name: str) -> int:
    """The hash of a name as it is defined, case and all; apart from those of terms."""
    return zlib.crc32(name.encode("utf-8", "replace"), 1)


def name_parts(name: str) -> list[str]:
    """The words of an identifier, folded and stemmed: `getHTTPResponse` → get, http, respons."""
    return [stemmed for part in _parts(name) if (stemmed := _stemmed(part))]


def _parts(name: str) -> list[str]:
    """The words of an identifier as written; what has no capital inside is parted by `_` alone."""
    if name.islower():
        return [part for part in name.split("_") if part] if "_" in name else [name]
    if name[1:].islower() and "_" not in name:
        return [name]
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
    parts = _parts(token)
    hashes = [value for part in parts if (value := _part_hash(part)) is not None]
    if len(parts) > 1 or "_" in token:  # as `is_compound` says
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
    words = b"".join(map(_folded_hashes.__getitem__, source.lower().translate(KEEP_NUL).split()))
    hashes = np.frombuffer(words, np.uint32)
    if len(hashes) < 3:
        return np.zeros(0, np.uint32)
    first, second, third = hashes[:-2], hashes[1:-1], hashes[2:]
    runs = (first * np.uint32(0x9E3779B1)) ^ (second * np.uint32(0x85EBCA77)) ^ third
    runs = runs[(first != 0) & (second != 0) & (third != 0)]
    runs.sort()
    is_new = np.ones(len(runs), bool)
    np.not_equal(runs[1:], runs[:-1], out=is_new[1:])
    found: Hashes = runs[is_new]
    return found


def _tells(folded: str) -> bool:
    return len(folded) > 1 and not folded.isdigit() and folded not in STOP_WORDS


class _PackedHashes(dict[bytes, bytes]):
    """Token → its hashes, packed; sources say the same tokens over and over. NUL is a mark."""

    def __missing__(self, token: bytes) -> bytes:
        if len(self) > _MAX_CACHED:
            self.clear()
        hashes = token_hashes(token.decode("utf-8", "replace")) if token != b"\0" else [MARK]
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


packed_hashes = _PackedHashes()
_folded_hashes = _PackedFolded()

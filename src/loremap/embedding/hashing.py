"""A deterministic embedder for tests: the words of a text, hashed into a few hundred places."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from loremap.embedding.protocol import Vectors
from loremap.model.words import words


class HashingEmbedder:
    """Texts with common words are near each other; it knows no meaning and needs no model."""

    model = "hashing-256"
    dim = 256
    leaves_machine = False

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """One unit row per text; a text without words gets the first axis."""
        vectors = np.zeros((len(texts), self.dim), dtype=np.float32)
        for row, text in zip(vectors, texts, strict=True):
            for word in words(text):
                place, sign = _place(word, self.dim)
                row[place] += sign
            if not row.any():
                row[0] = 1.0
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors


@lru_cache(maxsize=65_536)
def _place(word: str, dim: int) -> tuple[int, float]:
    """Where a word counts, and with which sign, so that chance meetings cancel out."""
    digest = hashlib.blake2b(word.encode("utf-8", "replace"), digest_size=8).digest()
    number = int.from_bytes(digest, "little")
    return (number >> 1) % dim, 1.0 if number & 1 else -1.0

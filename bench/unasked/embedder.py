"""Vectors that are there before anybody asks: what is told must not depend on the machine."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock

import numpy as np

from bench.retrieval.embedder import KeptEmbedder
from loremap.embedding.protocol import Vectors

BATCH = 64


class ReadyEmbedder:
    """The real embedder, asked beforehand; any thread may ask for what is ready."""

    def __init__(self, kept: KeptEmbedder) -> None:
        self._kept = kept
        self._ready: dict[str, Vectors] = {}
        self._lock = Lock()

    @property
    def model(self) -> str:
        """The space of the real embedder."""
        return self._kept.model

    @property
    def dim(self) -> int:
        """The dimension of the real embedder."""
        return self._kept.dim

    @property
    def leaves_machine(self) -> bool:
        """Nothing leaves."""
        return False

    def prepare(self, texts: Sequence[str]) -> None:
        """Have the vectors of `texts` ready."""
        unknown = [text for text in dict.fromkeys(texts) if text not in self._ready]
        unknown.sort(key=len)  # texts of one length are embedded faster together
        for start in range(0, len(unknown), BATCH):
            batch = unknown[start : start + BATCH]
            self._ready.update(zip(batch, self._kept.embed(batch), strict=True))

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """The vectors of `texts`."""
        with self._lock:
            self.prepare(texts)
            return np.stack([self._ready[text] for text in texts])

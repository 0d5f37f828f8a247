"""The embedder in use: opened when first needed, and left alone for a while after it failed."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import RLock

from loremap.embedding.protocol import Embedder, Vectors
from loremap.errors import BadInput, ModelError

RETRY_S = 30.0
"""After a model failed, words answer alone this long before it is asked again."""


class EmbedderSlot:
    """Who makes the vectors now, and why nobody does where that is so."""

    def __init__(self, opened: Callable[[], Embedder | None]) -> None:
        self._opened = opened
        self._embedder: Embedder | None = None
        self._retry_at = 0.0
        self._opening = RLock()
        """Held while a model is opened, so that it is opened once."""
        self.trouble = ""
        """Why vectors are not used now; empty when they are."""

    @property
    def taken(self) -> Embedder | None:
        """The embedder if it is open already."""
        return self._embedder

    def embedder(self) -> Embedder | None:
        """The embedder, or None while it cannot be used."""
        if self._embedder is None:
            with self._opening:
                if self._embedder is None and time.monotonic() >= self._retry_at:
                    try:
                        self._embedder = self._opened()
                        self.trouble = ""
                    except (ModelError, BadInput) as fault:
                        self.failed(fault)
        return self._embedder

    def use(self, embedder: Embedder | None) -> None:
        """Put this embedder in place of the chosen one; None leaves words alone."""
        self._embedder, self.trouble = embedder, ""
        self._retry_at = float("inf") if embedder is None else 0.0

    def failed(self, fault: ModelError | BadInput) -> None:
        """Leave the model alone for a while."""
        self.trouble = str(fault)
        self._retry_at = time.monotonic() + RETRY_S

    def query_vector(self, text: str) -> Vectors | None:
        """The vector of a query; None while the model cannot answer."""
        embedder = self.embedder()
        if embedder is None or time.monotonic() < self._retry_at:
            return None
        try:
            vector: Vectors = embedder.embed([text], query=True)[0]
        except ModelError as fault:
            self.failed(fault)
            return None
        self.trouble = ""
        return vector

"""The local model with its answers kept on disk, so that a second run of the benchmark is quick."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from loremap.embedding.local import LocalEmbedder
from loremap.embedding.protocol import Vectors


class KeptEmbedder:
    """The real embedder; a text seen before is looked up."""

    def __init__(self, embedder: LocalEmbedder, file: Path) -> None:
        self._embedder = embedder
        file.parent.mkdir(parents=True, exist_ok=True)
        self._kept = sqlite3.connect(file, isolation_level=None)
        self._kept.execute("CREATE TABLE IF NOT EXISTS kept (key BLOB PRIMARY KEY, vector BLOB)")

    @property
    def model(self) -> str:
        """The space of the real embedder."""
        return self._embedder.model

    @property
    def dim(self) -> int:
        """The dimension of the real embedder."""
        return self._embedder.dim

    @property
    def leaves_machine(self) -> bool:
        """Nothing leaves."""
        return False

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """The vectors of `texts`."""
        keys = [hashlib.sha256(f"{self.model}\n{text}".encode()).digest() for text in texts]
        found = {key: self._look_up(key) for key in keys}
        missing = [at for at, key in enumerate(keys) if found[key] is None]
        if missing:
            fresh = self._embedder.embed([texts[at] for at in missing], query=query)
            for at, vector in zip(missing, fresh, strict=True):
                found[keys[at]] = vector.tobytes()
            self._kept.execute("BEGIN")
            self._kept.executemany(
                "INSERT OR REPLACE INTO kept VALUES (?, ?)",
                [(keys[at], found[keys[at]]) for at in missing],
            )
            self._kept.execute("COMMIT")
        return np.frombuffer(b"".join(found[key] or b"" for key in keys), np.float32).reshape(
            len(texts), self.dim
        )

    def _look_up(self, key: bytes) -> bytes | None:
        row = self._kept.execute("SELECT vector FROM kept WHERE key = ?", (key,)).fetchone()
        return None if row is None else bytes(row[0])

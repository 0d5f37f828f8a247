"""Texts to vectors: one protocol, a local model, remote endpoints, and one embedder for tests."""

from __future__ import annotations

from loremap.embedding.choose import EmbedderChoice, open_embedder
from loremap.embedding.chunks import chunked
from loremap.embedding.protocol import Embedder, Progress, Vectors

__all__ = ["Embedder", "EmbedderChoice", "Progress", "Vectors", "chunked", "open_embedder"]

SURFACE = (
    "choose",
    "chunks",
    "pinned",
    "protocol",
    "scale",
    "slot",
    "weights",
)
"""What other rooms may import; `make lint` holds them to it."""

"""The embedder behind an OpenAI-compatible `/v1/embeddings`: Ollama, TEI, Voyage, OpenAI."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from loremap.embedding.protocol import Vectors, well_formed
from loremap.endpoint.post import Endpoint, Manner

_SMALLER = "Check that the model embeds, or make the batch smaller."
_MANNER = Manner(
    called="embedding endpoint",
    otherwise="choose the local model",
    hints={
        400: _SMALLER,
        413: "Make the batch smaller.",
        422: _SMALLER,
        429: "Wait, or make the batch smaller.",
    },
)
_EMPTY = "(empty)"
"""Stands for a text without a sign in it: endpoints refuse an empty one."""


class RemoteEmbedder:
    """Embeds through an endpoint; every answer is checked before it is believed."""

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        key_env: str = "",
        dim: int = 0,
        timeout_s: float = 30.0,
        batch_size: int = 64,
        query_prefix: str = "",
        document_prefix: str = "",
    ) -> None:
        self.model = space_name(model, query_prefix, document_prefix)
        self._endpoint = Endpoint(
            embeddings_url(base_url), _MANNER, key_env=key_env, timeout_s=timeout_s
        )
        self.leaves_machine = self._endpoint.leaves_machine
        self._name = model
        self._expected_dim = dim
        self._batch_size = batch_size
        self._query_prefix = query_prefix
        self._document_prefix = document_prefix

    @cached_property
    def dim(self) -> int:
        """The dimension that was given, or the one a first answer shows."""
        return self._expected_dim or self._answer(["dimension"], dim=0).shape[1]

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """One unit row per text, in batches; raises `ModelFailed` and never returns a part."""
        prefix = self._query_prefix if query else self._document_prefix
        sent = [prefix + (well_formed(text) if text.strip() else _EMPTY) for text in texts]
        rows = [
            self._answer(sent[start : start + self._batch_size], dim=self.dim)
            for start in range(0, len(sent), self._batch_size)
        ]
        return np.concatenate(rows) if rows else np.empty((0, self.dim), dtype=np.float32)

    def _answer(self, texts: Sequence[str], *, dim: int) -> Vectors:
        answer = self._endpoint.post({"model": self._name, "input": list(texts)})
        try:
            return unit_rows(answer, count=len(texts), dim=dim)
        except UnusableError as reason:
            raise self._endpoint.failure(
                f"gave an answer that cannot be used: {reason}", hint=reason.hint
            ) from reason


class UnusableError(Exception):
    """Why an answer is not what was asked for; never leaves this room."""

    def __init__(self, what: str, *, hint: str = "Check that the model embeds texts.") -> None:
        super().__init__(what)
        self.hint = hint


def unit_rows(answer: object, *, count: int, dim: int) -> Vectors:
    """The answer's vectors at unit length, in the order of the texts; `dim` 0 takes any."""
    data = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(data, list) or not all(isinstance(item, dict) for item in data):
        raise UnusableError("it holds no list of vectors")
    if len(data) != count:
        raise UnusableError(f"{len(data)} vectors for {count} texts")
    by_index = {item.get("index"): item.get("embedding") for item in data}
    if set(by_index) != set(range(count)):
        raise UnusableError("its indices do not name every text once")
    try:
        rows = np.array([by_index[place] for place in range(count)], dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise UnusableError("its vectors are not rows of numbers of one length") from error
    if rows.ndim != 2 or not rows.shape[1]:
        raise UnusableError("its vectors are not rows of numbers of one length")
    if dim and rows.shape[1] != dim:
        hint = "Choose the model that made the stored vectors, or set its dimension and re-embed."
        raise UnusableError(f"{rows.shape[1]} dimensions where {dim} were expected", hint=hint)
    return _normalised(rows)


def embeddings_url(base_url: str) -> str:
    """The address to post to; a bare host gets the usual `/v1`."""
    base = base_url.rstrip("/")
    if base.endswith("/embeddings"):
        return base
    has_path = "/" in base.partition("://")[2]
    return f"{base}/embeddings" if has_path else f"{base}/v1/embeddings"


def space_name(model: str, query_prefix: str, document_prefix: str) -> str:
    """The model's name, marked where prefixes make its vectors differ."""
    if not query_prefix and not document_prefix:
        return model
    prefixes = f"{query_prefix}\0{document_prefix}".encode()
    return f"{model}+{hashlib.sha256(prefixes).hexdigest()[:8]}"


def _normalised(rows: NDArray[np.float64]) -> Vectors:
    if not np.isfinite(rows).all():
        raise UnusableError("a vector holds a number that is not finite")
    with np.errstate(over="ignore"):  # an endless length is refused below
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if not (np.isfinite(lengths) & (lengths > 0)).all():
        raise UnusableError("a vector has no length")
    return np.asarray(rows / lengths, dtype=np.float32)

"""The default embedder: a small model on onnxruntime, on this machine, without torch."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from loremap.embedding.bert import DIM
from loremap.embedding.encoders import PROBE, Encoder, encoder_of
from loremap.embedding.pinned import DEFAULT, LocalModel, local_model
from loremap.embedding.protocol import Vectors, well_formed
from loremap.errors import ModelFailed

_BATCH_TOKENS = 512
"""Larger batches were no faster on two cores (it is all arithmetic) and took more memory."""
_MAX_CHARS = 16_384
"""What a model reads of real text is less; the tokenizer would read the rest only to drop it."""
_MAX_THREADS = 4
_AT_ONCE = 2
"""Batches at work together, each on its share of the processors: two that never wait for each
other are done sooner than one that is split, and a question leaves room for what is beside it."""
_ASKED_KEPT = 16


class LocalEmbedder:
    """Embeds on this machine; safe to share between threads."""

    dim = DIM
    leaves_machine = False

    def __init__(self, model: LocalModel, encoder: Encoder) -> None:
        self.model = model.space
        self._encoder = encoder
        self._lately: deque[tuple[str, Vectors]] = deque(maxlen=_ASKED_KEPT)

    @classmethod
    def load(
        cls,
        cache_dir: Path | None = None,
        *,
        name: str = DEFAULT.name,
        threads: int | None = None,
    ) -> LocalEmbedder:
        """The model from the cache, warm and proven; `ModelMissing` when it was never fetched."""
        model = local_model(name)
        encoder = encoder_of(model, cache_dir, threads=threads or default_threads())
        return cls(model, encoder).proven()

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """One unit row per text; of a text past what the model reads the beginning counts."""
        if query:
            return self._asked(texts)
        vectors = np.empty((len(texts), DIM), dtype=np.float32)
        tokens = [self._tokens(text) for text in texts]

        def fill(batch: Sequence[int]) -> None:
            vectors[batch] = self._encoder.vectors(*padded([tokens[index] for index in batch]))

        groups = list(batches([len(ids) for ids in tokens], budget_tokens=_BATCH_TOKENS))
        if len(groups) < 2:
            for group in groups:
                fill(group)
        else:
            with ThreadPoolExecutor(_AT_ONCE) as pool:
                for _ in pool.map(fill, groups):
                    pass
        return vectors

    def _asked(self, texts: Sequence[str]) -> Vectors:
        """The rows of queries; one that was asked lately is not worked out again, for one prompt
        asks in several places."""
        known = {text: row for text, row in tuple(self._lately) if text in texts}
        new = [text for text in dict.fromkeys(texts) if text not in known]
        if new:
            known.update(zip(new, self.embed(new), strict=True))
            self._lately.extend((text, known[text]) for text in new)
        return (
            np.stack([known[text] for text in texts]) if texts else np.empty((0, DIM), np.float32)
        )

    def _tokens(self, text: str) -> list[int]:
        return list(self._encoder.tokenizer.encode(well_formed(text[:_MAX_CHARS])).ids)

    def proven(self) -> LocalEmbedder:
        """This embedder, once a known text gave the known numbers; that also warms it up."""
        expected = self._encoder.probe_start
        start = self.embed([PROBE])[0, : len(expected)]
        if not np.allclose(start, expected, rtol=0.0, atol=self._encoder.tolerance):
            raise ModelFailed(
                "The embedding model computes wrong numbers on this machine.",
                hint="Choose another embedder, and report the processor and onnxruntime version.",
            )
        return self


def default_threads() -> int:
    """How many threads one run takes: half of the processors this process may use, at most four."""
    if hasattr(os, "sched_getaffinity"):
        processors = len(os.sched_getaffinity(0))
    else:
        processors = os.cpu_count() or 1
    return min(_MAX_THREADS, max(1, processors // _AT_ONCE))


def batches(lengths: Sequence[int], *, budget_tokens: int) -> Iterator[list[int]]:
    """Indices grouped by like length, so that little is padded; a group fits the budget."""
    group: list[int] = []
    for index in sorted(range(len(lengths)), key=lengths.__getitem__):
        if group and (len(group) + 1) * lengths[index] > budget_tokens:
            yield group
            group = []
        group.append(index)
    if group:
        yield group


def padded(tokens: Sequence[Sequence[int]]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The tokens of several texts, filled up to the longest, and the mask of what is real."""
    ids = np.zeros((len(tokens), max(map(len, tokens))), dtype=np.int32)
    mask = np.zeros_like(ids)
    for row, text in enumerate(tokens):
        ids[row, : len(text)] = text
        mask[row, : len(text)] = 1
    return ids, mask

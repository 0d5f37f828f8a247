"""The default embedder: all-MiniLM-L6-v2 on onnxruntime, on this machine, without torch."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from loremap.embedding.graph import ready_graph, rebuilt_graph
from loremap.embedding.pinned import (
    DIM,
    MAX_TOKENS,
    SPACE,
    TOKENIZER,
    model_folder,
    verified_bytes,
)
from loremap.embedding.protocol import Vectors, well_formed
from loremap.embedding.session import Session
from loremap.errors import ModelFailed

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_BATCH_TOKENS = 1024
"""Larger batches were no faster on two cores (it is all arithmetic) and took more memory."""
_MAX_CHARS = 16_384
"""256 tokens of real text are fewer; the tokenizer would read the rest only to drop it."""
_MAX_THREADS = 4
_AT_ONCE = 2
"""Batches at work together, each on its share of the processors: two that never wait for each
other are done sooner than one that is split, and a question leaves room for what is beside it."""
_ASKED_KEPT = 16

_PROBE = "the map and the lore"
_PROBE_START = (0.07133866, 0.11557847, 0.04333069, -0.01557805)
"""How the probe's vector begins, computed with numpy alone from the pinned weights."""
_PROBE_TOLERANCE = 1e-4


class LocalEmbedder:
    """Embeds on this machine; safe to share between threads."""

    model = SPACE
    dim = DIM
    leaves_machine = False

    def __init__(self, session: Session, tokenizer: Tokenizer) -> None:
        self._session = session
        self._tokenizer = tokenizer
        self._lately: deque[tuple[str, Vectors]] = deque(maxlen=_ASKED_KEPT)

    @classmethod
    def load(cls, cache_dir: Path | None = None, *, threads: int | None = None) -> LocalEmbedder:
        """The model from the cache, warm and proven; `ModelMissing` when it was never fetched."""
        home = model_folder(cache_dir)
        tokenizer = _tokenizer(verified_bytes(home, TOKENIZER))
        graph = ready_graph(home)
        threads = threads or default_threads()
        try:
            return cls(Session(graph, threads), tokenizer)._proven()
        except ModelFailed:
            return cls(Session(rebuilt_graph(home), threads), tokenizer)._proven()

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """One unit row per text; of a text past 256 tokens the beginning counts."""
        if query:
            return self._asked(texts)
        vectors = np.empty((len(texts), DIM), dtype=np.float32)
        tokens = [self._tokens(text) for text in texts]

        def fill(batch: Sequence[int]) -> None:
            vectors[batch] = self._session.run(*padded([tokens[index] for index in batch]))

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
        return list(self._tokenizer.encode(well_formed(text[:_MAX_CHARS])).ids)

    def _proven(self) -> LocalEmbedder:
        """This embedder, once a known text gave the known numbers; that also warms it up."""
        start = self.embed([_PROBE])[0, : len(_PROBE_START)]
        if not np.allclose(start, _PROBE_START, rtol=0.0, atol=_PROBE_TOLERANCE):
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


def _tokenizer(content: bytes) -> Tokenizer:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_buffer(content)
    tokenizer.no_padding()  # the bundled file pads and truncates to 128
    tokenizer.enable_truncation(MAX_TOKENS)
    return tokenizer

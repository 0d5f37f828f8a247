"""How each local model is run: its tokenizer, its graph, and how its output becomes vectors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from loremap.embedding import bert
from loremap.embedding.pack import unpacked
from loremap.embedding.pinned import GRANITE, MINILM, LocalModel, model_folder, verified_bytes
from loremap.embedding.protocol import Vectors
from loremap.embedding.session import Session
from loremap.errors import ModelFailed

if TYPE_CHECKING:
    from tokenizers import Tokenizer

Tokens = NDArray[np.int32]

PROBE = "the map and the lore"
_GRANITE_TOKENS, _MINILM_TOKENS = 512, 256
"""How much of a text each was trained to read."""


@dataclass(frozen=True)
class Encoder:
    """A model that is loaded and ready."""

    tokenizer: Tokenizer
    vectors: Callable[[Tokens, Tokens], Vectors]
    """One unit row per row of token ids, given with the mask of what is not padding."""
    probe_start: tuple[float, ...]
    """How the probe's vector begins, computed with numpy alone from the pinned weights."""
    tolerance: float


def encoder_of(model: LocalModel, cache_dir: Path | None, *, threads: int) -> Encoder:
    """The model in the cache, loaded from its verified bytes; who opens it again shares it."""
    folder = model_folder(cache_dir, model)
    stamps = tuple(_stamp(folder / pinned.name) for pinned in model.files)
    return _loaded(model.name, cache_dir, threads, stamps)


@lru_cache(maxsize=1)  # a second project in the same process waits for no second load
def _loaded(
    name: str, cache_dir: Path | None, threads: int, stamps: tuple[tuple[str, int, int], ...]
) -> Encoder:
    return {GRANITE.name: _granite, MINILM.name: _minilm}[name](cache_dir, threads)


def _stamp(file: Path) -> tuple[str, int, int]:
    """Which file this is now; one that is gone or was changed is read again."""
    try:
        found = file.stat()
    except OSError:
        return str(file), 0, 0
    return str(file), found.st_mtime_ns, found.st_size


def _granite(cache_dir: Path | None, threads: int) -> Encoder:
    pack = unpacked(verified_bytes(cache_dir, GRANITE, GRANITE.weights))
    weights = bert.weights_of(pack)
    session = Session(bert.graph_of(weights), threads, weights=weights)

    def vectors(ids: Tokens, mask: Tokens) -> Vectors:
        return session.run({bert.INPUT_IDS: ids, bert.INPUT_MASK: mask})

    start = (-0.07371137, 0.03865266, 0.03873648, -0.0257398)
    return Encoder(_tokenizer(pack.tokenizer, _GRANITE_TOKENS), vectors, start, tolerance=1e-4)


def _minilm(cache_dir: Path | None, threads: int) -> Encoder:
    (tokenizer,) = MINILM.others
    session = Session(verified_bytes(cache_dir, MINILM, MINILM.weights), threads)

    def vectors(ids: Tokens, mask: Tokens) -> Vectors:
        wide, seen = ids.astype(np.int64), mask.astype(np.int64)
        given = {"input_ids": wide, "attention_mask": seen, "token_type_ids": np.zeros_like(wide)}
        # The mean over the tokens that are not padding, at unit length: there the length of the
        # text cancels out, so the sum serves as the mean.
        sums = np.einsum("bsd,bs->bd", session.run(given), mask.astype(np.float32))
        unit: Vectors = sums / np.linalg.norm(sums, axis=1, keepdims=True)
        return unit

    content = verified_bytes(cache_dir, MINILM, tokenizer)
    start = (0.06730362, 0.12358829, 0.04298828, -0.00973588)
    # int8 arithmetic rounds differently from processor to processor.
    return Encoder(_tokenizer(content, _MINILM_TOKENS), vectors, start, tolerance=0.02)


def _tokenizer(content: bytes, max_tokens: int) -> Tokenizer:
    try:
        from tokenizers import Tokenizer
    except ImportError as error:  # there is no wheel for every machine
        raise ModelFailed(
            f"tokenizers cannot be loaded ({error}).", hint="Install tokenizers again."
        ) from error
    tokenizer = Tokenizer.from_buffer(content)
    tokenizer.no_padding()  # the bundled file may pad and truncate to 128
    tokenizer.enable_truncation(max_tokens)
    return tokenizer

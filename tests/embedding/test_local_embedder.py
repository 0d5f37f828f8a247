from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from math import erf, sqrt
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from safetensors.numpy import load_file
from tokenizers import Tokenizer

from loremap.embedding.local import LocalEmbedder, batches
from loremap.errors import ModelMissing, ModelTampered

Array = NDArray[np.float64]


class NumpyBert:
    """The model written out once more from its description, in numpy and double precision."""

    def __init__(self, home: Path) -> None:
        loaded = load_file(home / "model.safetensors")
        self._weights = {name: tensor.astype(np.float64) for name, tensor in loaded.items()}
        self._tokenizer = Tokenizer.from_file(str(home / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(256)
        self._erf = np.vectorize(erf, otypes=[np.float64])

    def vector(self, text: str) -> Array:
        ids = self._tokenizer.encode(text).ids
        words = self._weights["embeddings.word_embeddings.weight"][ids]
        places = self._weights["embeddings.position_embeddings.weight"][: len(ids)]
        kinds = self._weights["embeddings.token_type_embeddings.weight"][0]
        x = self._norm(words + places + kinds, "embeddings.LayerNorm")
        for layer in range(6):
            x = self._layer(x, f"encoder.layer.{layer}.")
        mean = x.mean(axis=0)
        return np.asarray(mean / np.linalg.norm(mean))

    def _layer(self, x: Array, at: str) -> Array:
        query, key, value = (
            self._linear(x, f"{at}attention.self.{part}").reshape(len(x), 12, 32).swapaxes(0, 1)
            for part in ("query", "key", "value")
        )
        scores = np.exp(query @ key.swapaxes(1, 2) / sqrt(32))
        shares = scores / scores.sum(axis=-1, keepdims=True)
        seen = (shares @ value).swapaxes(0, 1).reshape(len(x), 384)
        mixed = self._linear(seen, f"{at}attention.output.dense")
        x = self._norm(mixed + x, f"{at}attention.output.LayerNorm")
        wide = self._linear(x, f"{at}intermediate.dense")
        active = wide * 0.5 * (1 + self._erf(wide / sqrt(2)))
        return self._norm(self._linear(active, f"{at}output.dense") + x, f"{at}output.LayerNorm")

    def _linear(self, x: Array, name: str) -> Array:
        return x @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"]

    def _norm(self, x: Array, name: str) -> Array:
        centred = x - x.mean(axis=-1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-12)
        normed = scaled * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"]
        return np.asarray(normed)


TEXTS = [
    "",
    "a",
    "The retry limit of the upload worker is five.",
    "def restart(self, *, force: bool = False) -> None:\n    self.pool.close()",
    "Die Verbindung zur Datenbank muss nach jedem Test geschlossen werden.",
    "数据库连接池必须关闭 🚀",
    "the build fails when two workers write the same cache entry " * 40,  # past 256 tokens
]


@pytest.fixture(scope="module")
def truth(model_home: Path) -> list[Array]:
    bert = NumpyBert(model_home)
    return [bert.vector(text) for text in TEXTS]


def test_vectors_equal_an_independent_implementation(
    embedder: LocalEmbedder, truth: list[Array]
) -> None:
    alone = np.concatenate([embedder.embed([text]) for text in TEXTS])
    together = embedder.embed(TEXTS)
    for expected, single, batched in zip(truth, alone, together, strict=True):
        assert np.abs(single - expected).max() < 1e-5
        assert np.abs(batched - expected).max() < 1e-5
        assert 1 - float(batched @ expected) < 1e-5


def test_rows_are_unit_float32_in_the_order_given(embedder: LocalEmbedder) -> None:
    texts = [f"{'long ' * (n % 7 * 12)}text number {n}" for n in range(40)]
    vectors = embedder.embed(texts)
    assert vectors.dtype == np.float32
    assert vectors.shape == (40, 384) == (40, embedder.dim)
    assert np.abs(np.linalg.norm(vectors, axis=1) - 1).max() < 1e-5
    for place in (0, 6, 13, 39):
        assert np.abs(embedder.embed([texts[place]])[0] - vectors[place]).max() < 1e-5


def test_no_text_gives_no_row(embedder: LocalEmbedder) -> None:
    assert embedder.embed([]).shape == (0, 384)


def test_the_space_is_named_after_the_weights_and_stays_here(embedder: LocalEmbedder) -> None:
    assert embedder.model == "all-MiniLM-L6-v2@53aa5117"
    assert not embedder.leaves_machine


@pytest.mark.parametrize(
    "text", ["\ud800 lone", "\x00\x07", "x" * 2_000_000, "\n" * 5_000, "़" * 999]
)
def test_any_string_can_be_embedded(embedder: LocalEmbedder, text: str) -> None:
    vector = embedder.embed([text])
    assert np.isfinite(vector).all()
    assert abs(float(np.linalg.norm(vector)) - 1) < 1e-5


def test_meaning_is_nearer_than_words(embedder: LocalEmbedder) -> None:
    query, answer, decoy = embedder.embed(
        [
            "how do I make the test suite run faster?",
            "pytest -n auto spreads the cases over all processors",
            "how do I make a run in the park?",
        ]
    )
    assert query @ answer > query @ decoy


def test_threads_may_share_it(embedder: LocalEmbedder) -> None:
    texts = [f"memory number {n} about module {n % 5}" for n in range(24)]
    expected = embedder.embed(texts)
    with ThreadPoolExecutor(4) as pool:
        found = np.concatenate(list(pool.map(lambda text: embedder.embed([text]), texts)))
    assert np.abs(found - expected).max() < 1e-5


def test_loading_imports_neither_torch_nor_the_graph_builder(embedder: LocalEmbedder) -> None:
    program = (
        "import json, sys; import loremap.embedding; early = sorted(sys.modules);"
        "from loremap.embedding.local import LocalEmbedder;"
        "LocalEmbedder.load().embed(['x']); print(json.dumps([early, sorted(sys.modules)]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    early, late = map(set, json.loads(done.stdout))
    assert not early & {"numpy", "onnxruntime", "tokenizers", "urllib.request"}
    assert not late & {"torch", "onnx", "safetensors", "urllib.request"}
    assert done.stderr == ""


def test_a_missing_model_says_how_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match="lore model fetch"):
        LocalEmbedder.load(tmp_path)


def test_a_tampered_tokenizer_is_refused(copied_cache: Path) -> None:
    tokenizer = next(copied_cache.glob("models/*/tokenizer.json"))
    content = tokenizer.read_bytes()
    tokenizer.write_bytes(content.replace(b'"lowercase":true', b'"lowercase": tru', 1))
    assert tokenizer.stat().st_size == len(content)
    with pytest.raises(ModelTampered):
        LocalEmbedder.load(copied_cache)


@pytest.mark.parametrize(
    ("lengths", "budget", "groups"),
    [
        ([], 10, []),
        ([99], 10, [[0]]),  # what alone exceeds the budget still goes
        ([3, 3, 3], 9, [[0, 1, 2]]),
        ([3, 3, 3], 8, [[0, 1], [2]]),
        ([9, 1, 9, 1], 10, [[1, 3], [0], [2]]),  # like lengths meet
    ],
)
def test_batches(lengths: list[int], budget: int, groups: list[list[int]]) -> None:
    assert list(batches(lengths, budget_tokens=budget)) == groups

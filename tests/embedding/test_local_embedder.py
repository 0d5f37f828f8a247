from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy_bert
import pytest
from numpy_bert import Array, NumpyBert

import loremap
from loremap.config.settings import SETTINGS
from loremap.embedding.encoders import PROBE, encoder_of
from loremap.embedding.local import LocalEmbedder, batches
from loremap.embedding.pinned import DEFAULT, GRANITE, MINILM, LocalModel, local_model, verify
from loremap.errors import BadInput, ModelFailed, ModelMissing, ModelTampered

Reference = Callable[[Path], NumpyBert]

TEXTS = [
    "",
    "a",
    PROBE,
    "The retry limit of the upload worker is five.",
    "def restart(self, *, force: bool = False) -> None:\n    self.pool.close()",
    "Die Verbindung zur Datenbank muss nach jedem Test geschlossen werden.",
    "数据库连接池必须关闭 🚀",
    "Use pnpm, never npm, in this repository.",
    "src/app/__init__.py\tdocs/**/*.md\t<kind>",
    "  leading spaces, CAPITALS and trailing ones  ",
    "why does the deploy job hang on main?",
    "the build fails when two workers write the same cache entry " * 60,  # past what is read
]


@pytest.fixture(scope="module")
def truth(model_home: Path) -> list[Array]:
    bert = numpy_bert.granite(model_home)
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


def test_minilm_is_near_an_independent_implementation(
    minilm: LocalEmbedder, minilm_home: Path
) -> None:
    bert = numpy_bert.minilm(minilm_home)
    together = minilm.embed(TEXTS)
    for text, batched in zip(TEXTS, together, strict=True):
        expected = bert.vector(text)  # widened; the graph itself counts in int8
        assert float(batched @ expected) > 0.97
        assert float(minilm.embed([text])[0] @ expected) > 0.97


@pytest.mark.parametrize(
    ("model", "independent", "within"),
    [(GRANITE, numpy_bert.granite, 1e-6), (MINILM, numpy_bert.minilm, 1e-6)],
)
def test_the_probe_is_known_from_numpy_alone(
    request: pytest.FixtureRequest, model: LocalModel, independent: Reference, within: float
) -> None:
    home: Path = request.getfixturevalue("model_home" if model is GRANITE else "minilm_home")
    start = encoder_of(model, home.parent.parent, threads=1).probe_start
    assert np.abs(independent(home).vector(PROBE)[: len(start)] - start).max() < within


def test_wrong_numbers_are_noticed(embedder: LocalEmbedder, model_home: Path) -> None:
    engine = encoder_of(GRANITE, model_home.parent.parent, threads=1)
    wrong = replace(engine, vectors=lambda ids, mask: np.roll(engine.vectors(ids, mask), 1, axis=1))
    assert LocalEmbedder(GRANITE, engine).proven().model == embedder.model
    with pytest.raises(ModelFailed, match="wrong numbers"):
        LocalEmbedder(GRANITE, wrong).proven()


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
    assert embedder.model == "granite-embedding-30m-english@6a1cc247"
    assert not embedder.leaves_machine


def test_each_model_has_a_space_of_its_own(minilm: LocalEmbedder, embedder: LocalEmbedder) -> None:
    assert minilm.model == "all-MiniLM-L6-v2@afdb6f1a" != embedder.model
    assert minilm.embed(["a"]).shape == (1, 384) == (1, minilm.dim)


def test_the_setting_offers_the_models_there_are() -> None:
    setting = SETTINGS["embedding.local_model"]
    assert [local_model(name).name for name in setting.choices] == list(setting.choices)
    assert local_model(str(setting.default)) is DEFAULT
    with pytest.raises(BadInput, match="granite-30m or minilm"):
        local_model("nomic")


@pytest.mark.parametrize(
    "text", ["\ud800 lone", "\x00\x07", "x" * 2_000_000, "\n" * 5_000, "़" * 999]
)
def test_any_string_can_be_embedded(embedder: LocalEmbedder, text: str) -> None:
    vector = embedder.embed([text])
    assert np.isfinite(vector).all()
    assert abs(float(np.linalg.norm(vector)) - 1) < 1e-5


@pytest.mark.parametrize("fixture", ["embedder", "minilm"])
def test_meaning_is_nearer_than_words(request: pytest.FixtureRequest, fixture: str) -> None:
    embedder: LocalEmbedder = request.getfixturevalue(fixture)
    query, answer, decoy = embedder.embed(
        [
            "how do I make the test suite run faster?",
            "pytest -n auto spreads the cases over all processors",
            "how do I make a run in the park?",
        ]
    )
    assert query @ answer > query @ decoy


@pytest.mark.parametrize(
    ("one", "same", "other"),
    [
        (
            "Use pnpm, never npm, in this repository.",
            "Install packages with pnpm here instead of npm.",
            "The staging database is dropped every Sunday.",
        ),
        (
            "Migrations must be reversible.",
            "Every schema migration needs a way back down.",
            "The logo's colour is a dark green.",
        ),
    ],
)
@pytest.mark.parametrize("fixture", ["embedder", "minilm"])
def test_a_paraphrase_is_near_and_another_subject_far(
    request: pytest.FixtureRequest, fixture: str, one: str, same: str, other: str
) -> None:
    embedder: LocalEmbedder = request.getfixturevalue(fixture)
    first, near, far = embedder.embed([one, same, other])
    assert first @ near > first @ far + 0.2


def test_threads_may_share_it(embedder: LocalEmbedder) -> None:
    texts = [f"memory number {n} about module {n % 5}" for n in range(24)]
    expected = embedder.embed(texts)
    with ThreadPoolExecutor(4) as pool:
        found = np.concatenate(list(pool.map(lambda text: embedder.embed([text]), texts)))
    assert np.abs(found - expected).max() < 1e-5


def test_loading_imports_neither_torch_nor_a_graph_builder(embedder: LocalEmbedder) -> None:
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


def test_onnxruntime_sends_nothing_home() -> None:
    package = Path(loremap.__file__).parent
    importers = [
        path.name
        for path in package.rglob("*.py")
        if re.search(r"^\s*(import|from) onnxruntime", path.read_text(), re.MULTILINE)
    ]
    assert importers == ["session.py"]
    program = (
        "import os, sys; import loremap.embedding.session;"
        "assert 'onnxruntime' not in sys.modules;"
        "print(os.environ['ORT_DISABLE_TELEMETRY'])"
    )
    environment = os.environ | {"ORT_DISABLE_TELEMETRY": "0"}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == "1\n"


def test_a_missing_model_says_how_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match="`lore model fetch granite-30m`"):
        LocalEmbedder.load(tmp_path)
    with pytest.raises(ModelMissing, match="`lore model fetch minilm`"):
        LocalEmbedder.load(tmp_path, name="minilm")


def weights_in(cache: Path) -> Path:
    return cache / "models" / GRANITE.name / GRANITE.weights.name


@pytest.mark.parametrize("share", [0.0, 0.01, 0.5, 0.9999])
def test_tampered_weights_are_refused(copied_cache: Path, share: float) -> None:
    weights = weights_in(copied_cache)
    with weights.open("rb+") as file:  # one bit, as a failing disk would
        file.seek(int(share * GRANITE.weights.size))
        byte = file.read(1)[0]
        file.seek(-1, os.SEEK_CUR)
        file.write(bytes([byte ^ 0x40]))
    with pytest.raises(ModelTampered):
        LocalEmbedder.load(copied_cache)
    with pytest.raises(ModelTampered):
        verify(copied_cache, GRANITE)


def test_truncated_weights_are_missing_ones(copied_cache: Path) -> None:
    os.truncate(weights_in(copied_cache), GRANITE.weights.size // 2)
    with pytest.raises(ModelMissing):
        LocalEmbedder.load(copied_cache)


def test_loading_writes_nothing(copied_cache: Path) -> None:
    verify(copied_cache, GRANITE)
    LocalEmbedder.load(copied_cache)
    assert [path for path in copied_cache.rglob("*") if path.is_file()] == [
        weights_in(copied_cache)
    ]


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

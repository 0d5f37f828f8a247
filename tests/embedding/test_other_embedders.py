from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from loremap.embedding import EmbedderChoice, open_embedder
from loremap.embedding.hashing import HashingEmbedder
from loremap.embedding.local import LocalEmbedder
from loremap.embedding.pinned import default_cache
from loremap.embedding.remote import RemoteEmbedder
from loremap.errors import BadInput, ModelMissing


@pytest.mark.parametrize("text", ["", "the of and", "one word", "🚀", "\ud800", "x " * 5000])
def test_hashing_gives_unit_rows(text: str) -> None:
    vectors = HashingEmbedder().embed([text, text])
    assert vectors.shape == (2, 256)
    assert vectors.dtype == np.float32
    assert np.abs(np.linalg.norm(vectors, axis=1) - 1).max() < 1e-6
    assert (vectors[0] == vectors[1]).all()


def test_hashing_brings_common_words_near() -> None:
    query, near, far = HashingEmbedder().embed(
        ["upload retries", "the upload worker retries", "tabs in Makefiles"]
    )
    assert query @ near > 0.5 > query @ far


def test_hashing_is_the_same_in_every_process() -> None:
    program = (
        "from loremap.embedding.hashing import HashingEmbedder;"
        "print(HashingEmbedder().embed(['the same everywhere']).tobytes().hex())"
    )
    runs = {
        subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True
        ).stdout
        for _ in range(2)
    }
    assert runs == {HashingEmbedder().embed(["the same everywhere"]).tobytes().hex() + "\n"}


def test_hashing_of_nothing() -> None:
    assert HashingEmbedder().embed([]).shape == (0, 256)


def test_the_choice_makes_the_embedder(model_home: Path) -> None:
    assert open_embedder(EmbedderChoice("none")) is None
    assert isinstance(open_embedder(EmbedderChoice("hashing")), HashingEmbedder)
    local = open_embedder(EmbedderChoice(), cache_dir=default_cache(), threads=1)
    assert isinstance(local, LocalEmbedder)
    remote = open_embedder(
        EmbedderChoice(
            "openai",
            base_url="http://localhost:11434",
            model="nomic-embed-text",
            dim=768,
            query_prefix="search_query: ",
        )
    )
    assert isinstance(remote, RemoteEmbedder)
    assert remote.dim == 768
    assert remote.model.startswith("nomic-embed-text+")


def test_opening_never_downloads(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing):
        open_embedder(EmbedderChoice("local"), cache_dir=tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "choice",
    [
        EmbedderChoice("openai"),
        EmbedderChoice("openai", base_url="http://localhost:11434"),
        EmbedderChoice("openai", model="m"),
        EmbedderChoice("gpu"),  # type: ignore[arg-type]  # as a settings file might say
    ],
)
def test_a_choice_that_cannot_be_met_says_what_is_needed(choice: EmbedderChoice) -> None:
    with pytest.raises(BadInput) as caught:
        open_embedder(choice)
    assert caught.value.hint

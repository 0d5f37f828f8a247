"""The real model, a copy of it to be damaged, and a hub that serves it."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from model_hub import Hub

from loremap.embedding.local import LocalEmbedder
from loremap.embedding.pinned import default_cache
from loremap.embedding.weights import deliver


@pytest.fixture(scope="session")
def model_home() -> Path:
    """The folder of the real model, fetched on the first run."""
    return deliver(default_cache())


@pytest.fixture(scope="session")
def embedder(model_home: Path) -> LocalEmbedder:
    return LocalEmbedder.load(default_cache())


@pytest.fixture
def hub(model_home: Path) -> Iterator[Hub]:
    server = Hub(model_home)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    yield server
    server.go_on.set()
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def copied_cache(model_home: Path, embedder: LocalEmbedder, tmp_path: Path) -> Iterator[Path]:
    """A cache of its own with the model and its built graph, free to be damaged."""
    home = tmp_path / "cache" / "models" / model_home.name
    home.mkdir(parents=True)
    for file in model_home.iterdir():
        if file.is_file():
            shutil.copy2(file, home / file.name)
    yield tmp_path / "cache"
    shutil.rmtree(tmp_path / "cache")  # pytest would keep these 180 MB of every test for days

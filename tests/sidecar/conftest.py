"""A server that is a small model, and a sidecar that asks it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import loremap
from fake_sidecar import FakeSidecar, Open, running, use
from loremap.app import Lore
from loremap.memory.sidecar import Sidecar


@pytest.fixture
def fake() -> Iterator[FakeSidecar]:
    """A small model's server."""
    with running() as started:
        yield started


@pytest.fixture
def lore(home: Path, tmp_path: Path) -> Iterator[Lore]:
    """An empty project, without an embedder."""
    folder = tmp_path / "project"
    folder.mkdir()
    with loremap.open(folder) as opened:
        opened.use_embedder(None)
        opened.init()
        yield opened


@pytest.fixture
def sidecar(lore: Lore, fake: FakeSidecar) -> Open:
    """The project's sidecar, asking that server, with these settings."""

    def opened(**given: object) -> Sidecar:
        use(lore, kind="openai", url=fake.url, model="tiny", **given)
        return lore.engine.sidecar

    return opened

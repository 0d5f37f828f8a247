"""A project whose clock a test sets."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tending_tools import Clock

import loremap
from loremap.app import Lore


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def lore(home: Path, tmp_path: Path, clock: Clock) -> Iterator[Lore]:
    """A project that was tended once, while it was empty: nothing is proposed for being old."""
    folder = tmp_path / "project"
    folder.mkdir()
    with loremap.open(folder, now=clock) as opened:
        opened.use_embedder(None)
        opened.init()
        opened.tending.run()
        yield opened

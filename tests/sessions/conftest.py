"""A project whose clock a test sets."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from session_tools import Clock, Transcript

import loremap
from loremap.app import Lore


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def lore(home: Path, tmp_path: Path, clock: Clock) -> Iterator[Lore]:
    """An empty project, without a model."""
    folder = tmp_path / "project"
    folder.mkdir()
    with loremap.open(folder, now=clock) as opened:
        opened.use_embedder(None)
        opened.init()
        yield opened


@pytest.fixture
def transcript(lore: Lore, tmp_path: Path) -> Transcript:
    """A session that has just begun."""
    return Transcript(lore, tmp_path / "s1.jsonl")

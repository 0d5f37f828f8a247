"""A repository whose history a test writes, and the memory of its folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from commit_tools import Repository, repository_in

import loremap
from loremap.app import Lore


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return repository_in(tmp_path / "project")


@pytest.fixture
def lore(home: Path, repository: Repository) -> Iterator[Lore]:
    """The memory of the repository, without a model."""
    with loremap.open(repository.root) as opened:
        opened.use_embedder(None)
        opened.init()
        yield opened

"""A repository to stand in and `lore` to run there."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_tools import Cli, repository_in


@pytest.fixture
def shop(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository, with the environment of a user who speaks for themselves."""
    for name in ("LOREMAP_SESSION", "LOREMAP_AGENT", "LOREMAP_DEBUG"):
        monkeypatch.delenv(name, raising=False)
    return repository_in(tmp_path / "shop")


@pytest.fixture
def words_only(home: Path) -> None:
    """A user who chose no model, for what has nothing to do with vectors."""
    home.mkdir(mode=0o700)
    (home / "config.toml").write_text('[embedding]\nprovider = "none"\n')


@pytest.fixture
def cli(shop: Path, words_only: None) -> Cli:
    """`lore` in the repository, by words alone."""
    return Cli(shop)


@pytest.fixture
def full(shop: Path) -> Cli:
    """`lore` in the repository, with the real model."""
    return Cli(shop)

"""A repository to stand in and `lore` to run there."""

from __future__ import annotations

import os
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
def no_agents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A user who has no coding agent to connect."""
    user = tmp_path / "user"
    user.mkdir()
    monkeypatch.setenv("HOME", str(user))
    monkeypatch.setenv("PATH", os.pathsep.join(["/usr/bin", "/bin"]))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def cli(shop: Path, words_only: None) -> Cli:
    """`lore` in the repository, by words alone."""
    return Cli(shop)


@pytest.fixture
def full(shop: Path) -> Cli:
    """`lore` in the repository, with the real model."""
    return Cli(shop)

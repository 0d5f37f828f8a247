"""A home for processes that are many or die; the tools are those of the storage tests."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path += (str(Path(__file__).parent.parent / room) for room in ("storage", "sessions"))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder to stand in."""
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def hashing_home(home: Path) -> Path:
    """A home as a user has it, but that its vectors need no model."""
    home.mkdir(mode=0o700)
    (home / "config.toml").write_text('[embedding]\nprovider = "hashing"\n', "utf-8")
    return home

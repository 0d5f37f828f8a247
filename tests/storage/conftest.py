"""An open store, and the façade on a home that needs no model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from store_tools import store_at

from loremap.storage.store import Store

SETTINGS = """\
[embedding]
provider = "hashing"

[storage]
busy_timeout_ms = 400
synchronous = "normal"
"""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty store, open."""
    opened = store_at(tmp_path)
    yield opened
    opened.close()


@pytest.fixture
def quick_home(home: Path) -> Path:
    """A home whose vectors need no model, and where a held lock is noticed soon."""
    home.mkdir(mode=0o700)
    (home / "config.toml").write_text(SETTINGS, "utf-8")
    return home


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder to stand in."""
    folder = tmp_path / "project"
    folder.mkdir()
    return folder

"""The fixtures of these tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from intake_tools import Desk, desk_open, repository


@pytest.fixture
def desk(home: Path) -> Iterator[Desk]:
    """A desk with a store of its own."""
    with desk_open() as found:
        yield found


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository to work in."""
    return repository(tmp_path / "shop")

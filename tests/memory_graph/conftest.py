"""A project with a map, and what is remembered in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import loremap
from loremap.app import Lore


@pytest.fixture
def lore(home: Path, tmp_path: Path) -> Iterator[Lore]:
    """The memory as seen from an empty project called `shop`."""
    place = tmp_path / "shop"
    place.mkdir()
    with loremap.open(place) as opened:
        yield opened

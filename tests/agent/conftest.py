"""A repository, workspaces with the real model, and the memory agent in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from agent_tools import Scene, shop_in


@pytest.fixture
def scene(home: Path, tmp_path: Path) -> Iterator[Scene]:
    """A shop's repository, known to nobody yet, and an agent that may ask about it."""
    made = Scene(home, shop_in(tmp_path / "shop"))
    yield made
    made.close()

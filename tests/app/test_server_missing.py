"""A server that is asked for without its driver is said to need it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import loremap
from loremap.errors import StoreError


def test_the_driver_that_is_missing_is_named(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOREMAP_DATABASE", "postgresql://somewhere/lore")
    monkeypatch.setitem(sys.modules, "psycopg", None)
    for name in [name for name in sys.modules if name.startswith("loremap.storage.postgres")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(StoreError, match="driver is not installed") as caught:
        loremap.open(tmp_path)
    assert "loremap[postgres]" in caught.value.hint

"""An open store, and the façade on a home that needs no model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from store_tools import NOW, store_at

from loremap.storage.postgres.store import open_server
from loremap.storage.store import Store

SETTINGS = """\
[embedding]
provider = "hashing"

[storage]
busy_timeout_ms = 400
synchronous = "normal"
"""


BOTH = frozenset(
    "test_analysis test_anchors test_audit_trail test_blocks_forgotten test_events_forgotten "
    "test_every_act_undone test_memory_rows test_row_versions "
    "test_episode_rows test_modules test_patterns test_sessions_at_work test_signals_and_gaps "
    "test_store_relations test_task_rows test_undo_and_history test_warm_arrays".split()
)
"""The modules whose tests hold for either database; one marked `sqlite` for a file alone."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Ask what is told of a store of both databases."""
    if metafunc.module.__name__ not in BOTH:
        return
    asked = next((name for name in ("store", "home") if name in metafunc.fixturenames), None)
    if asked is not None:
        one = metafunc.definition.get_closest_marker("sqlite") is not None
        metafunc.parametrize(asked, ["sqlite"] if one else ["sqlite", "postgres"], indirect=True)


@pytest.fixture
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """An empty store, open."""
    if getattr(request, "param", "sqlite") == "sqlite":
        opened: Store = store_at(tmp_path)
    else:
        opened = open_server(request.getfixturevalue("postgres"), tenant_id="local", now=NOW)
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

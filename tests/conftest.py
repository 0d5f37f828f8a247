"""What every test shares: a home of its own, away from the user's data, keys and keychain."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

ALONE = ("bench",)
"""Where one time is compared with another: `make test` lets nothing run beside."""


@pytest.hookimpl(tryfirst=True)  # before tests are chosen by their marks
def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    """Mark the tests that run alone."""
    here = Path(__file__).parent
    for item in items:
        if item.path.relative_to(here).as_posix().startswith(ALONE):
            item.add_marker("alone")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty data folder and key folder, set in the environment that child processes inherit.

    The model cache stays the real one, so that the model is fetched once and not per test.
    """
    data = tmp_path / "home"
    monkeypatch.setenv("LOREMAP_HOME", str(data))
    monkeypatch.setenv("LOREMAP_KEYS", str(tmp_path / "keys"))
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    for name in ("LOREMAP_KEY", "LOREMAP_MOUNTINFO"):
        monkeypatch.delenv(name, raising=False)
    return data

"""What every test shares: a home of its own, away from the user's data, keys and keychain."""

from __future__ import annotations

from pathlib import Path

import pytest


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

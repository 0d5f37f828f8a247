"""What every test shares: a home of its own, away from the user's data, keys and keychain."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from postgres_tools import Server, running

ON_BOTH = (
    *("memory_admission", "memory_facts", "memory_graph", "memory_recall", "memory_tending"),
    "sidecar",
)
"""Folders whose tests hold for either database; one marked `sqlite` for a file alone."""
ALONE = ("bench",)
"""Where one time is compared with another: `make test` lets nothing run beside."""


@pytest.hookimpl(tryfirst=True)  # before tests are chosen by their marks
def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    """Mark the tests that run alone."""
    here = Path(__file__).parent
    for item in items:
        if item.path.relative_to(here).as_posix().startswith(ALONE):
            item.add_marker("alone")


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """A real PostgreSQL with pgvector, started once and ended with the tests. Its data do not lie
    in pytest's own folder: another run takes the rights to that from the server's user."""
    with running(Path(tempfile.mkdtemp(prefix="lore-postgres-"))) as started:
        yield started


@pytest.fixture
def postgres(server: Server) -> str:
    """The address of an empty database of it, for a role that sees its own tenant's rows only."""
    server.empty()
    return server.url


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Ask what is told of recall and admission of a store in a file and of one on a server."""
    folder = Path(metafunc.module.__file__ or "").parent.name
    if "home" in metafunc.fixturenames and folder in ON_BOTH:
        one = metafunc.definition.get_closest_marker("sqlite") is not None
        metafunc.parametrize("home", ["sqlite"] if one else ["sqlite", "postgres"], indirect=True)


@pytest.fixture
def home(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty data folder and key folder, set in the environment that child processes inherit.

    The model cache stays the real one, so that the model is fetched once and not per test.
    """
    data = tmp_path / "home"
    monkeypatch.setenv("LOREMAP_HOME", str(data))
    monkeypatch.setenv("LOREMAP_KEYS", str(tmp_path / "keys"))
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    for name in ("LOREMAP_KEY", "LOREMAP_MOUNTINFO"):
        monkeypatch.delenv(name, raising=False)
    if getattr(request, "param", "sqlite") == "postgres":
        monkeypatch.setenv("LOREMAP_DATABASE", request.getfixturevalue("postgres"))
    return data

"""The fixture of the journeys: a machine on which nobody has worked yet."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import platformdirs
import pytest
from machine import Machine
from models import ScriptedModel

BILLING = '''"""Invoices and their export."""


def total(lines: list[int]) -> int:
    """The sum of an invoice's lines."""
    return sum(lines)


def export_invoices(invoices: list[list[int]]) -> str:
    """The invoices as CSV."""
    return "\\n".join(str(total(lines)) for lines in invoices)
'''


@pytest.fixture(scope="session")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where this process keeps what several tests begin with."""
    folder = tmp_path_factory.mktemp("shelf")
    _write_project(folder / "shop as it was")
    return folder


@pytest.fixture
def machine(
    home: Path, shelf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Machine]:
    """A machine without memories; what Loremap leaves running on it ends with the test. The project
    lies where it lay in the test before: data folders, which name it, can be copied."""
    # The model is fetched once for all tests; a client's home has none of its own.
    cache = os.environ.get("LOREMAP_CACHE") or platformdirs.user_cache_dir("loremap", False)
    monkeypatch.setenv("LOREMAP_CACHE", cache)
    user, project = tmp_path / "user", shelf / "shop"
    # Codex gives a server that it starts nothing of the environment but the home.
    for caches in (user / ".cache", user / "Library" / "Caches"):
        caches.mkdir(parents=True)
        (caches / "loremap").symlink_to(cache)
    shutil.rmtree(project, ignore_errors=True)
    shutil.copytree(shelf / "shop as it was", project)
    with ScriptedModel() as model:
        made = Machine(user, project, model, data=home, shelf=shelf)
        try:
            made.begin()
            yield made
        finally:
            made.lore("service", "stop")


def _write_project(project: Path) -> None:
    (project / "shop").mkdir(parents=True)
    (project / "shop" / "billing.py").write_text(BILLING, encoding="utf-8")
    who = ("-c", "user.name=A Person", "-c", "user.email=person@example.invalid")
    for arguments in (("init", "-q"), ("add", "-A"), (*who, "commit", "-q", "-m", "Start")):
        subprocess.run(("git", *arguments), cwd=project, check=True)

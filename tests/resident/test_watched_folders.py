"""What the resident watches: folders in use, one in trouble not at the cost of others, and none
that only an incognito session works in."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from resident_tools import wait_for

from loremap.app import Lore
from loremap.app.lore import open_workspaces
from loremap.config.folders import folders
from loremap.errors import LoremapError
from loremap.interfaces.resident.watch import Watch
from loremap.memory.workspaces import Workspaces
from loremap.storage import projects


def repository(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "parcels.py").write_text("def send_parcel() -> None: ...\n")
    for line in (["init", "-q"], ["add", "."]):
        subprocess.run(["git", *line], cwd=folder, check=True)
    return folder


@pytest.fixture
def workspaces(home: Path) -> Iterator[Workspaces[Lore]]:
    opened = open_workspaces(folders())
    yield opened
    opened.close()


@pytest.fixture
def watch(workspaces: Workspaces[Lore]) -> Iterator[Watch]:
    made = Watch(workspaces)
    yield made
    made.close()


def use(workspaces: Workspaces[Lore], folder: Path, *, watched: bool = True) -> None:
    """Look at the memory from a folder, as a hook in a session does."""
    with workspaces.at(folder, watched=watched) as lore:
        lore.list()


def knows(workspaces: Workspaces[Lore], folder: Path, symbol: str) -> bool:
    with workspaces.at(folder, watched=False) as lore:
        lore.code.kept = True
        try:
            return bool(lore.code.scanned and lore.code.symbols(symbol))
        except LoremapError:
            return False


def project_count(workspaces: Workspaces[Lore]) -> int:
    with workspaces.engine.store.read() as conn:
        return len(projects.all_projects(conn, "local"))


def test_a_folder_that_only_an_incognito_session_uses_is_left_alone(
    workspaces: Workspaces[Lore], watch: Watch, tmp_path: Path, home: Path
) -> None:
    secret, known = repository(tmp_path / "secret"), repository(tmp_path / "known")
    use(workspaces, secret, watched=False)
    use(workspaces, known)
    assert workspaces.folders() == (known,)
    watch.start()
    wait_for(lambda: knows(workspaces, known, "send_parcel"), seconds=30)
    time.sleep(1.5)  # as long as it takes to come to the other one
    assert project_count(workspaces) == 1
    assert workspaces.folders() == (known,)
    kept = [path for path in home.rglob("*") if path.is_file()]
    assert not [path for path in kept if b"secret" in path.read_bytes()]

    use(workspaces, secret)  # a session that is not incognito comes
    wait_for(lambda: knows(workspaces, secret, "send_parcel"), seconds=30)
    use(workspaces, secret, watched=False)
    assert workspaces.folders() == (known, secret)


def test_a_folder_that_was_removed_is_no_longer_watched(
    workspaces: Workspaces[Lore], tmp_path: Path
) -> None:
    canary, known = tmp_path / "canary", tmp_path / "known"
    for folder in (known, canary):
        folder.mkdir()
        use(workspaces, folder)
    assert workspaces.folders() == (known, canary)
    shutil.rmtree(canary)
    assert workspaces.folders() == (known,)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere every name of a folder is text")
def test_a_folder_whose_name_is_no_text_does_not_end_the_watching_of_others(
    workspaces: Workspaces[Lore], watch: Watch, tmp_path: Path
) -> None:
    odd = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9"))
    known = repository(tmp_path / "known")
    for folder in (repository(odd), known):
        use(workspaces, folder)
    watch.start()
    wait_for(lambda: knows(workspaces, known, "send_parcel"), seconds=30)
    time.sleep(1.0)
    (known / "track.py").write_text("def track_parcel() -> None: ...\n")
    wait_for(lambda: knows(workspaces, known, "track_parcel"), seconds=10)

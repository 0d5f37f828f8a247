"""What hooks stand in with never lies on a disk beside an encrypted store."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from loremap import app as memory
from loremap.app.encryption import decrypt, encrypt
from loremap.config.folders import folders, is_in_memory
from loremap.interfaces.hooks import standin
from loremap.model.memory import Trigger
from loremap.model.standby import FILE, memory_places
from loremap.storage.options import Options

LESSON = "Never force-push to main; it lost a week of work in May."


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "shop"
    root.mkdir()
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    return root


@pytest.fixture
def in_memory(home: Path) -> Iterator[list[Path]]:
    """Where files of this home would lie in memory."""
    places = [Path(place) for place in memory_places(str(home), os.getuid())]
    yield places
    for place in places:
        shutil.rmtree(place, ignore_errors=True)


def warn(project: Path, text: str = LESSON) -> None:
    trigger = Trigger("literal", "git push --force", "command")
    with memory.open(project) as lore:
        lore.remember(text, kind="warning", triggers=[trigger])


def on_disk(home: Path) -> list[Path]:
    return list((home / "standby").glob("*.json"))


def test_an_encrypted_store_has_it_in_memory_only(
    home: Path, project: Path, in_memory: list[Path]
) -> None:
    if not any(place.parent.is_dir() and is_in_memory(place.parent) for place in in_memory):
        pytest.skip("this machine has no folder in memory")
    warn(project)
    assert [file.name for file in on_disk(home)] == [FILE]
    encrypt(folders(), options=Options())
    assert on_disk(home) == []
    warn(project, "Ask two people before anything is pushed by force.")
    assert on_disk(home) == []
    place, guard = standin.opened(str(home))
    assert Path(place) in in_memory
    assert LESSON in str(guard["entries"])
    for path, mode in ((Path(place), 0o700), (Path(place) / FILE, 0o600)):
        assert stat.S_IMODE(path.stat().st_mode) == mode
    decrypt(folders(), options=Options())
    assert not (Path(place) / FILE).exists()


def test_where_nothing_lies_in_memory_there_is_none(
    home: Path,
    project: Path,
    in_memory: list[Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    mounts = tmp_path / "mountinfo"
    mounts.write_text("1 0 8:1 / / rw - ext4 /dev/sda1 rw\n")
    monkeypatch.setenv("LOREMAP_MOUNTINFO", str(mounts))
    warn(project)
    encrypt(folders(), options=Options())
    warn(project, "Ask two people before anything is pushed by force.")
    assert on_disk(home) == []
    assert not any(place.exists() for place in in_memory)
    with pytest.raises(FileNotFoundError):
        standin.opened(str(home))

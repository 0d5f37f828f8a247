"""`lore status` says when nothing is listened to."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from loremap import app
from loremap.agent.switches import is_off
from loremap.storage import pauses


def lore(folder: Path, *words: str) -> str:
    done = subprocess.run(
        (sys.executable, "-m", "loremap", *words),
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout + done.stderr


@pytest.mark.parametrize(
    ("switch", "says", "flags"),
    [
        ((), "", (False, False)),
        (("off",), "everything is off", (True, False)),
        (("off", "--project"), "this project is off", (False, True)),
    ],
)
def test_status_says_that_it_is_off(
    home: Path, tmp_path: Path, switch: tuple[str, ...], says: str, flags: tuple[bool, bool]
) -> None:
    project = tmp_path / "parcels"
    project.mkdir()
    lore(project, "remember", "Parcels leave at noon")
    if switch:
        lore(project, *switch)
    said = lore(project, "status")
    assert ("is off" in said) is bool(says)
    assert says in said
    data = json.loads(lore(project, "status", "--json"))
    assert (data["off"], data["project_off"]) == flags


def test_from_when_until_when_it_was_off_is_noted(home: Path, tmp_path: Path) -> None:
    began = datetime.now(UTC)
    for word in ("off", "on", "on"):
        lore(tmp_path, word)
    with app.open(tmp_path) as opened, opened.store.read() as conn:
        (pause,) = pauses.of_project(conn, None)
    second = timedelta(seconds=1)  # files know their times less exactly
    assert pause.ended is not None
    assert began - second <= pause.began <= pause.ended <= datetime.now(UTC) + second


def test_it_stays_off_where_that_cannot_be_noted(home: Path, tmp_path: Path) -> None:
    lore(tmp_path, "remember", "Parcels leave at noon")
    lore(tmp_path, "off")
    store = next(home.rglob("lore.db"))
    store.write_bytes(b"no store at all" * 1_000)
    with pytest.raises(subprocess.CalledProcessError):
        lore(tmp_path, "on")
    assert is_off(home)

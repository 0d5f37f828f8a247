"""`lore status` says when nothing is listened to."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest


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

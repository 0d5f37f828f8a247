"""On and off, for everything and for one project."""

from __future__ import annotations

from pathlib import Path

import loremap
from loremap.agent import switches


def test_everything_is_off_by_one_file_that_a_hook_can_look_for(home: Path) -> None:
    assert not switches.is_off(home)
    assert switches.switch(home, on=False)
    assert (home / switches.OFF_FILE).is_file()
    assert not switches.switch(home, on=False), "it was off already"
    assert switches.switch(home, on=True)
    assert not switches.is_off(home)


def test_a_project_is_off_alone(home: Path, tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    for folder in (one, other):
        folder.mkdir()
    with loremap.open(one) as lore, loremap.open(other) as elsewhere:
        elsewhere.init()
        assert switches.switch_project(lore, on=False)
        assert switches.switched_off(lore)
        assert not switches.switched_off(elsewhere)
        assert not switches.switch_project(lore, on=False)
        assert switches.switch_project(lore, on=True)
        assert not switches.switched_off(lore)


def test_everything_off_is_off_in_every_project(home: Path, tmp_path: Path) -> None:
    with loremap.open(tmp_path) as lore:
        switches.switch(home, on=False)
        assert switches.switched_off(lore)

"""The chore that tends: the folders that are worked in, when it is time, and by itself."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import cast

import pytest

from loremap.agent import switches
from loremap.agent.intake.intake import EventIntake
from loremap.app import Lore, open_workspaces
from loremap.config.folders import folders
from loremap.interfaces.resident.chores import Chores
from loremap.interfaces.resident.places import run_folder
from loremap.memory.workspaces import Workspaces
from loremap.model.memory import Candidate, Memory, Origin, Status
from loremap.model.outcome import Stored
from loremap.storage import memories, tending

NOTE = "The billing parser drops orders because of midnight outages in the eastern region."


class Clock:
    """The time, which a test moves."""

    at = datetime(2026, 1, 5, 9, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.at


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def workspaces(home: Path, clock: Clock) -> Iterator[Workspaces[Lore]]:
    home.mkdir(mode=0o700)
    (home / "config.toml").write_text('[embedding]\nprovider = "none"\n')
    opened = open_workspaces(folders(), now=clock)
    yield opened
    opened.close()


@pytest.fixture
def chores(home: Path, workspaces: Workspaces[Lore]) -> Iterator[Chores]:
    """The chores of a resident, none of which is begun."""
    never = cast(EventIntake, None)
    made = Chores(
        workspaces, never, run_folder(home),
        warm_model=lambda: None, reload=lambda: None, leave=lambda: None,
    )  # fmt: skip
    yield made
    made.close()


def noted(workspaces: Workspaces[Lore], folder: Path) -> Memory:
    """A project that was tended while it was empty, with what an agent learned there since."""
    folder.mkdir()
    with workspaces.at(folder) as lore:
        lore.init()
        lore.tending.run()
        said = Candidate(
            content=NOTE,
            origin=Origin.OBSERVED,
            created_by="agent:claude",
            agent="claude",
            session_id="s1",
        )
        (made,) = lore.admit_all([said])
        assert isinstance(made, Stored), made
        return made.memory


def now_of(workspaces: Workspaces[Lore], memory: Memory) -> Memory:
    """A memory as it is stored now."""
    with workspaces.engine.store.read() as conn:
        return memories.get(conn, memory.id)


def test_it_tends_each_folder_in_use_when_it_is_time(
    workspaces: Workspaces[Lore], chores: Chores, clock: Clock, tmp_path: Path
) -> None:
    both = [noted(workspaces, tmp_path / name) for name in ("one", "two")]
    clock.at += timedelta(hours=23)
    chores._tend()
    with workspaces.at(tmp_path / "one") as lore:
        assert not lore.tending.is_due
    clock.at += timedelta(days=91)
    chores._tend()
    assert [now_of(workspaces, one).status for one in both] == [Status.RETRACTED] * 2


def test_what_it_did_is_no_act_of_a_person_and_can_be_taken_back(
    workspaces: Workspaces[Lore], chores: Chores, clock: Clock, tmp_path: Path
) -> None:
    one = noted(workspaces, tmp_path / "one")
    clock.at += timedelta(days=91)
    chores._tend()
    with workspaces.at(tmp_path / "one") as lore:
        assert lore.history(one.id)[-1].actor == tending.BY_ITSELF
        assert lore.last_act().actor != tending.BY_ITSELF
        assert [each.id for each in lore.tending.undo()] == [one.id]
    assert now_of(workspaces, one).active


def test_it_leaves_alone_where_it_is_switched_off_and_begins_nothing_at_the_end(
    workspaces: Workspaces[Lore], chores: Chores, clock: Clock, tmp_path: Path
) -> None:
    one = noted(workspaces, tmp_path / "one")
    with workspaces.at(tmp_path / "one") as lore:
        switches.switch_project(lore, on=False)
    clock.at += timedelta(days=91)
    chores._tend()
    assert now_of(workspaces, one).active
    with workspaces.at(tmp_path / "one") as lore:
        switches.switch_project(lore, on=True)
    chores.close()  # who is asked to end begins nothing
    chores._tend()
    assert now_of(workspaces, one).active


def test_a_folder_that_fails_does_not_end_the_chores(
    workspaces: Workspaces[Lore], chores: Chores, clock: Clock, tmp_path: Path
) -> None:
    one = noted(workspaces, tmp_path / "one")
    clock.at += timedelta(days=91)
    workspaces.engine.store.read_only = True
    chores._do(chores._tend)
    workspaces.engine.store.read_only = False
    chores._do(chores._tend)
    assert not now_of(workspaces, one).active

"""From when until when the settings say that nothing is to be learned is noted where it is seen."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from loremap.app.lore import open_workspaces
from loremap.config.folders import folders
from loremap.interfaces.resident.learner import Learner
from loremap.storage import pauses
from loremap.storage.pauses import Pause

BEGAN = datetime(2026, 5, 4, 9, 0, tzinfo=UTC)


def test_a_setting_that_is_off_for_a_while_is_one_pause(home: Path) -> None:
    hours = 0
    workspaces = open_workspaces(folders(), now=lambda: BEGAN + timedelta(hours=hours))
    engine, learner = workspaces.engine, Learner(workspaces)
    for hours, learns in enumerate((True, False, False, True)):
        values = {**engine.settings.values, "learn.sessions": learns}
        engine.settings = replace(engine.settings, values=values)
        learner.look(at_all=True)
        with engine.store.read() as conn:
            noted = pauses.of_project(conn, None)
        assert len(noted) == (0 if hours == 0 else 1)
    workspaces.close()
    assert noted == [Pause(BEGAN + timedelta(hours=1), BEGAN + timedelta(hours=3))]

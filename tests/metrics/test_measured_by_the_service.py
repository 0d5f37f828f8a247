"""What the service measures while it works, as `lore metrics` reads it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import func, select

from loremap.agent.intake.intake import EventIntake
from loremap.agent.metrics.meter import Meter
from loremap.agent.metrics.rules import Measure
from loremap.agent.session_agent import SessionAgent
from loremap.app.lore import open_workspaces
from loremap.config.folders import folders
from loremap.model.hook import HookEvent, Moment
from loremap.storage import metrics
from loremap.storage.tables import event_files, events, injections, sessions
from loremap.storage.tables import metrics as metric_rows


def test_embedding_search_write_and_questions_are_noted(home: Path, tmp_path: Path) -> None:
    workspaces = open_workspaces(folders())
    assert workspaces.engine.slot.embedder() is not None
    meter = Meter(workspaces.engine.store, now=workspaces.now)
    session_agent = SessionAgent(workspaces, measured=meter.note)
    intake = EventIntake(workspaces, session_agent, measured=meter.note)
    with workspaces.at(tmp_path) as lore:
        lore.remember("Builds need Java 21")
    intake.receive(
        HookEvent(
            client="claude",
            name="UserPromptSubmit",
            moment=Moment.PROMPT,
            session_id="s1",
            at=datetime.now(UTC),
            folder=tmp_path,
            prompt="which Java do builds need?",
            key="k1",
        )
    )
    session_agent.asked(tmp_path, "which Java do builds need?", session_id="s1", client="claude")
    assert session_agent.settle()
    meter.flush()
    with workspaces.engine.store.read() as conn:
        since = datetime(2020, 1, 1, tzinfo=UTC)
        counted = {
            one: len(metrics.values(conn, one, since=since))
            for one in Measure
            if one not in (Measure.HOOK, Measure.LATE)
        }
        asked = metrics.count(conn, Measure.ASKED, session_id="s1")
    assert all(count > 0 for count in counted.values()), counted
    assert asked == 1
    intake.close()
    session_agent.close()
    meter.close()
    workspaces.close()


def test_no_days_to_keep_leaves_no_row_of_a_session(home: Path, tmp_path: Path) -> None:
    workspaces = open_workspaces(folders())
    engine = workspaces.engine
    engine.settings = replace(
        engine.settings, values={**engine.settings.values, "events.keep_days": 0}
    )
    meter = Meter(engine.store, now=workspaces.now, records=lambda: engine.records)
    session_agent = SessionAgent(workspaces, measured=meter.note)
    intake = EventIntake(workspaces, session_agent, measured=meter.note)
    with workspaces.at(tmp_path) as lore:
        lore.remember("Builds need Java 21", kind="convention", pin=True)
    said = [intake.receive(one) for one in _session(tmp_path)]
    session_agent.asked(tmp_path, "which Java do builds need?", session_id="s1", client="claude")
    assert any("Java 21" in one.context for one in said)
    assert session_agent.settle()
    intake.close()
    session_agent.close()
    meter.close()
    with engine.store.read() as conn:
        of_sessions = (events, event_files, sessions, injections, metric_rows)
        counted = {
            one.name: conn.execute(select(func.count()).select_from(one)).scalar_one()
            for one in of_sessions
        }
    assert counted == {one.name: 0 for one in of_sessions}
    workspaces.close()


def _session(folder: Path) -> Iterator[HookEvent]:
    """A session from its start to its end."""
    for number, moment in enumerate(Moment):
        yield HookEvent(
            client="claude",
            name=moment.value,
            moment=moment,
            session_id="s1",
            at=datetime.now(UTC),
            folder=folder,
            prompt="which Java do builds need?" if moment is Moment.PROMPT else "",
            key=f"k{number}",
        )

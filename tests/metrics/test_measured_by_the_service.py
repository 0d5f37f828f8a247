"""What the service measures while it works, as `lore metrics` reads it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import func, select

from loremap.config.folders import folders
from loremap.lore.companion.agent import Companion
from loremap.lore.figures.meter import Meter
from loremap.lore.reception.desk import Reception
from loremap.lore.residence import Residence
from loremap.model.hook import HookEvent, Moment
from loremap.ops.metrics import Measure
from loremap.storage import metrics
from loremap.storage.tables import event_files, events, injections, sessions
from loremap.storage.tables import metrics as metric_rows


def test_embedding_search_write_and_questions_are_noted(home: Path, tmp_path: Path) -> None:
    residence = Residence(folders())
    assert residence.house.seat.embedder() is not None
    meter = Meter(residence.house.store, now=residence.now)
    companion = Companion(residence, measured=meter.note)
    reception = Reception(residence, companion, measured=meter.note)
    with residence.at(tmp_path) as lore:
        lore.remember("Builds need Java 21")
    reception.receive(
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
    companion.asked(tmp_path, "which Java do builds need?", session_id="s1", client="claude")
    assert companion.settle()
    meter.flush()
    with residence.house.store.read() as conn:
        since = datetime(2020, 1, 1, tzinfo=UTC)
        counted = {
            one: len(metrics.values(conn, one, since=since))
            for one in Measure
            if one not in (Measure.HOOK, Measure.LATE)
        }
        asked = metrics.count(conn, Measure.ASKED, session_id="s1")
    assert all(count > 0 for count in counted.values()), counted
    assert asked == 1
    reception.close()
    companion.close()
    meter.close()
    residence.close()


def test_no_days_to_keep_leaves_no_row_of_a_session(home: Path, tmp_path: Path) -> None:
    residence = Residence(folders())
    house = residence.house
    house.settings = replace(
        house.settings, values={**house.settings.values, "events.keep_days": 0}
    )
    meter = Meter(house.store, now=residence.now, records=lambda: house.records)
    companion = Companion(residence, measured=meter.note)
    reception = Reception(residence, companion, measured=meter.note)
    with residence.at(tmp_path) as lore:
        lore.remember("Builds need Java 21", kind="convention", pin=True)
    said = [reception.receive(one) for one in _session(tmp_path)]
    companion.asked(tmp_path, "which Java do builds need?", session_id="s1", client="claude")
    assert any("Java 21" in one.context for one in said)
    assert companion.settle()
    reception.close()
    companion.close()
    meter.close()
    with house.store.read() as conn:
        of_sessions = (events, event_files, sessions, injections, metric_rows)
        counted = {
            one.name: conn.execute(select(func.count()).select_from(one)).scalar_one()
            for one in of_sessions
        }
    assert counted == {one.name: 0 for one in of_sessions}
    residence.close()


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

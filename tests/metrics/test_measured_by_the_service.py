"""What the service measures while it works, as `lore metrics` reads it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from loremap.config.folders import folders
from loremap.lore.companion.agent import Companion
from loremap.lore.figures.meter import Meter
from loremap.lore.reception.desk import Reception
from loremap.lore.residence import Residence
from loremap.model.hook import HookEvent, Moment
from loremap.ops.metrics import Measure
from loremap.storage import metrics


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

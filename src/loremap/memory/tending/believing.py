"""The pass that believes: a candidate for which enough speaks is confirmed by use, and one that
nobody used in its quarantine counts for less, once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from loremap.memory.step import Moving, Step, moving
from loremap.memory.workspace import Workspace
from loremap.model.memory import Memory, Status
from loremap.model.promotion import PRESETS, UNUSED_IMPORTANCE, Judged, Verdict, judged
from loremap.storage import memories, projects, signals, tending
from loremap.storage.memories import Filter
from loremap.storage.store import Connection

CONFIRM, QUARANTINE, PENALTY = "confirm", "quarantine", "weaken"
_DOES = {
    Verdict.CONFIRM: CONFIRM,
    Verdict.QUARANTINE: QUARANTINE,
    Verdict.PENALTY: PENALTY,
}


def promotion(here: Workspace) -> Sequence[Step]:
    """What becomes of the candidates here and everywhere, by the preset of this project."""
    now, project = here.now(), here.project_id
    with here.store.read() as conn:
        preset = PRESETS["balanced" if project is None else projects.preset(conn, project)]
        spared = tending.taken_back(conn)
        found = [one for one in candidates(here, conn) if one.id not in spared]
        ids = [one.id for one in found]
        said, spoken = tending.sources_of(conn, ids), signals.of(conn, ids)
    verdicts = (
        (
            one,
            judged(
                one,
                preset=preset,
                sources=said.get(one.id, ()),
                signals=spoken.get(one.id, ()),
                now=now,
            ),
        )
        for one in found
    )
    return [_step(one, verdict) for one, verdict in verdicts if verdict.verdict in _DOES]


def candidates(here: Workspace, conn: Connection) -> list[Memory]:
    """The candidates of this project and the global ones, intact ones only."""
    wanted = Filter(
        tenant_id=here.actor.tenant_id, project_id=here.project_id, statuses=(Status.CANDIDATE,)
    )
    return memories.listing(conn, wanted, limit=memories.ALL)


def _step(memory: Memory, verdict: Judged) -> Step:
    does, why = _DOES[verdict.verdict], verdict.reason
    move = {
        CONFIRM: Moving(memory, _confirmed, "promote", why),
        QUARANTINE: Moving(memory, _quarantined, "update", "quarantined"),
        PENALTY: Moving(memory, _weakened, "update", "weakened"),
    }[does]
    return moving(memory, does, why, move)


def _confirmed(memory: Memory, now: datetime) -> Memory:
    return replace(memory, status=Status.CONFIRMED, judged_at=now)


def _quarantined(memory: Memory, now: datetime) -> Memory:
    return replace(memory, promoted_at=now)


def _weakened(memory: Memory, now: datetime) -> Memory:
    return replace(memory, importance=memory.importance * UNUSED_IMPORTANCE, judged_at=now)

"""The pass that believes: a candidate for which enough speaks is confirmed by use, and one that
nobody used in its quarantine counts for less, once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from loremap.memory.step import Step
from loremap.memory.workspace import Workspace
from loremap.model.memory import Memory, Status
from loremap.model.promotion import PRESETS, UNUSED_IMPORTANCE, Judged, Verdict, judged
from loremap.storage import memories, projects, signals, tending
from loremap.storage.memories import Filter
from loremap.storage.store import Connection
from loremap.storage.transaction import Tx

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
    does = _DOES[verdict.verdict]
    return Step(memory.id, does, verdict.reason, partial(_move, memory, does, verdict.reason))


def _move(planned: Memory, does: str, why: str, tx: Tx) -> None:
    memory = as_planned(tx, planned)
    if memory is None:
        return
    if does == CONFIRM:
        after = replace(memory, status=Status.CONFIRMED, judged_at=tx.now)
        memories.update_memory(tx, memory, after, action="promote", detail=why)
    elif does == QUARANTINE:
        after = replace(memory, promoted_at=tx.now)
        memories.update_memory(tx, memory, after, action="update", detail="quarantined")
    else:
        importance = memory.importance * UNUSED_IMPORTANCE
        after = replace(memory, importance=importance, judged_at=tx.now)
        memories.update_memory(tx, memory, after, action="update", detail="weakened")


def as_planned(tx: Tx, planned: Memory) -> Memory | None:
    """The memory that a step was planned for; None where it was changed since or is gone, and the
    next run judges it anew."""
    found = memories.by_ids(tx.conn, [planned.id])
    return found[0] if found and found[0].version == planned.version else None

"""The state of the store as seen from one folder, for a person."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from loremap.memory.looking import conflicts, in_inbox
from loremap.memory.vector_model import model_state
from loremap.memory.workspace import Workspace
from loremap.model.memory import Status
from loremap.model.state import State
from loremap.storage import memories, projects
from loremap.storage.memories import Filter
from loremap.storage.open import care_of
from loremap.storage.store import Connection


def status(here: Workspace) -> State:
    """How much there is, how it is kept, and what waits for someone."""
    own = here.project_id
    with here.store.read() as conn:
        counts = here.engine.counted(conn, ("status", own), lambda: _counts(here, conn, own))
        keys = () if own is None else projects.keys_of(conn, own)
    checked = here.engine.checkup.last()
    return State(
        store=here.store.name,
        size_bytes=here.store.size_bytes(),
        version=here.store.version(),
        encrypted=here.store.encrypted,
        read_only=here.store.read_only,
        project=None if here.project is None else here.project.name,
        project_keys=tuple(keys),
        branch=here.repository.branch,
        memories_here=sum(counts.by_kind.values()) - counts.globally,
        memories_global=counts.globally,
        memories_in_all=counts.in_all,
        by_kind=counts.by_kind,
        candidates=counts.candidates,
        inbox=counts.inbox,
        pinned=counts.pinned,
        open_conflicts=counts.conflicts,
        forgotten=counts.forgotten,
        damaged=checked.damaged,
        damaged_links=checked.links,
        checked_at=checked.at,
        backups=None if here.store.on_server else len(care_of(here.places.store, "").backups()),
        model=model_state(here),
        notes=(*here.notes, *filter(None, [here.repository.trouble])),
    )


@dataclass(frozen=True, slots=True)
class _Counts:
    by_kind: dict[str, int]
    globally: int
    in_all: int
    candidates: int
    inbox: int
    pinned: int
    forgotten: int
    conflicts: int


def _counts(here: Workspace, conn: Connection, own: str | None) -> _Counts:
    count = partial(memories.count, conn)
    return _Counts(
        by_kind=memories.counts_by_kind(conn, Filter(project_id=own)),
        globally=count(Filter(project_id="-")),
        in_all=count(Filter(everywhere=True)),
        candidates=count(Filter(project_id=own, statuses=(Status.CANDIDATE,))),
        inbox=count(in_inbox(own)),
        pinned=count(Filter(project_id=own, pinned=True)),
        forgotten=count(Filter(everywhere=True, statuses=(), deleted=True)),
        conflicts=len(conflicts(here)),
    )

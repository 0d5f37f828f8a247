"""The state of the store as seen from one folder, for a person."""

from __future__ import annotations

from loremap.lore.looking import conflicts
from loremap.lore.standpoint import Standpoint
from loremap.lore.vector_model import model_state
from loremap.model.memory import Status
from loremap.model.state import State
from loremap.storage import memories, projects, relations
from loremap.storage.backup import backup_paths
from loremap.storage.memories import Filter


def status(here: Standpoint) -> State:
    """How much there is, how it is kept, and what waits for someone."""
    own = here.project_id
    with here.store.read() as conn:
        kinds = memories.counts_by_kind(conn, Filter(project_id=own))
        in_all = memories.count(conn, Filter(everywhere=True))
        globally = memories.count(conn, Filter(project_id="-"))
        candidates = memories.count(conn, Filter(project_id=own, statuses=(Status.CANDIDATE,)))
        pinned = memories.count(conn, Filter(project_id=own, pinned=True))
        forgotten = memories.count(conn, Filter(everywhere=True, statuses=(), deleted=True))
        damaged, links = memories.damaged(conn), relations.damaged_links(conn)
        keys = () if own is None else projects.keys_of(conn, own)
    return State(
        store=here.places.store,
        size_bytes=here.places.store.stat().st_size,
        version=here.store.version(),
        encrypted=here.store.key is not None,
        read_only=here.store.read_only,
        project=None if here.project is None else here.project.name,
        project_keys=tuple(keys),
        branch=here.repository.branch,
        memories_here=sum(kinds.values()) - globally,
        memories_global=globally,
        memories_in_all=in_all,
        by_kind=kinds,
        candidates=candidates,
        pinned=pinned,
        open_conflicts=len(conflicts(here)),
        forgotten=forgotten,
        damaged=tuple(damaged),
        damaged_links=links,
        backups=len(backup_paths(here.places.backups)),
        model=model_state(here),
        notes=(*here.notes, *filter(None, [here.repository.trouble])),
    )

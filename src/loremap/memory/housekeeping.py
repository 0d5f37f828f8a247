"""What is done now and then beside the work: daily backup, purge of what was forgotten, scrub,
removal of old events, sessions and patterns and of the code graphs of checkouts that are gone."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

from loremap.errors import StoreError
from loremap.memory.standby.files import drop_old_marks
from loremap.model.clock import from_ms, to_ms
from loremap.model.memory import Actor
from loremap.storage import (
    events,
    memories,
    metrics,
    patterns,
    projects,
    sessions,
    sidecar,
    tasks,
)
from loremap.storage.facts import fact, set_fact
from loremap.storage.graph.old import remove_old_graphs
from loremap.storage.store import Connection, Store

EVERY = timedelta(days=1)
LAST_RUN = "housekeeping_at"
BACKED_UP_AT = "backed_up_at"
"""The change counter when a resident last made a backup."""


def keep_house(
    store: Store,
    *,
    grace_days: int,
    now: datetime,
    actor: Actor,
    home: Path | None = None,
    graphs: Path | None = None,
    keep_events_days: int | None = None,
) -> tuple[str, ...]:
    """Once a day: back up, erase what was forgotten long ago, drop events, sessions and measures
    older than is kept, and remove from `graphs` those of checkouts that are gone. Returns what
    could not be done; it is tried again the next day and never stops the work at hand."""
    if store.read_only:
        return ()
    try:
        if not _claimed(store, now=now, actor=actor):
            return ()
        gone = _expired(store, now - timedelta(days=grace_days))
        if gone:
            store.erase(gone, now=now, actor=actor)
        if keep_events_days is not None:
            with store.append() as conn:
                before = now - timedelta(days=keep_events_days)
                events.prune(conn, before=before)
                metrics.prune(conn, before=before)
                sessions.prune(conn, before=before)
                sidecar.prune(conn, before=before)
                patterns.prune(conn, now=now)
                tasks.prune(conn, before=before)
        if home is not None:
            drop_old_marks(home)
        store.back_up()
        store.scrub()
        if graphs is not None:
            remove_old_graphs(graphs, homes=_homes(store, actor.tenant_id), now=now)
    except StoreError as fault:
        return (f"Housekeeping was put off: {fault}",)
    return ()


def back_up_changed(store: Store) -> bool:
    """Make a backup where memories were written since the last one; whether one was made. Of a
    store whose file was removed, what this process still has open of it is saved."""
    if store.read_only or store.on_server:
        return False
    if store.is_lost():
        return store.rescue() is not None
    with store.read() as conn:
        seq = str(store.change_seq(conn))
        last = fact(conn, BACKED_UP_AT)
        remembered = memories.count(conn, memories.Filter(everywhere=True, statuses=())) > 0
    if last == seq or not remembered:
        return False
    store.back_up()
    with store.append() as conn:
        set_fact(conn, BACKED_UP_AT, seq)
    return True


def _claimed(store: Store, *, now: datetime, actor: Actor) -> bool:
    """Whether it is due and no other process does it; this one has then taken it on."""
    with store.read() as conn:
        if not _is_due(conn, now):
            return False
    with store.write(now=now, actor=actor) as tx:
        due = _is_due(tx.conn, now)
        if due:
            set_fact(tx.conn, LAST_RUN, str(to_ms(now)))
    return due


def _is_due(conn: Connection, now: datetime) -> bool:
    last = fact(conn, LAST_RUN)
    if last is not None and now - from_ms(int(last)) < EVERY:
        return False
    remembered = memories.count(conn, memories.Filter(everywhere=True, statuses=())) > 0
    return remembered or events.is_any(conn)


def _expired(store: Store, before: datetime) -> list[str]:
    with store.read() as conn:
        return memories.expired(conn, deleted_before_ms=to_ms(before))


def _homes(store: Store, tenant_id: str) -> list[Path]:
    """Where the repositories and folders lie, or lay, that have a project."""
    with store.read() as conn:
        known = projects.all_projects(conn, tenant_id)
        keys = [key for project in known for key in projects.keys_of(conn, project.id)]
    return [Path(key.removeprefix("path:")) for key in keys if key.startswith("path:")]

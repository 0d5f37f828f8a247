"""Who else is at work in a project now, what they change, and what they found and is no memory
yet: read off the log of events, so that it is known as soon as an event is on disk."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, bindparam, select

from loremap.model.clock import from_ms, to_ms
from loremap.model.finding import KeptFinding
from loremap.model.hook import Moment, Operation
from loremap.model.kind import Kind
from loremap.model.session import Session
from loremap.storage.findings import kept_finding
from loremap.storage.sessions import session_of
from loremap.storage.tables import event_files, events, findings, sessions

MAX_SESSIONS = 8
MAX_FILES = 20
MAX_FINDINGS = 10
CHANGES = (Operation.EDIT, Operation.WRITE)
SEES = (*CHANGES, Operation.READ)
"""What a session does with a file and then knows what it says."""


@dataclass(frozen=True, slots=True)
class Used:
    """A file that a session has worked with."""

    session_id: str
    path: str
    at: datetime
    """When it did so last."""


def others(
    conn: Connection, project_id: str, session_id: str | None, *, since: datetime
) -> list[Session]:
    """The other sessions of a project that were heard of since and have not ended, those heard of
    last first."""
    query = (
        select(sessions)
        .where(
            sessions.c.project_id == project_id,
            sessions.c.heard_at >= to_ms(since),
            sessions.c.id != (session_id or ""),
            sessions.c.finalized_at.is_(None),
            ~sessions.c.held_out,
        )
        .order_by(sessions.c.heard_at.desc())
        .limit(MAX_SESSIONS)
    )
    return [session_of(row) for row in conn.execute(query).mappings()]


def used(
    conn: Connection,
    session_ids: Sequence[str],
    *,
    since: datetime,
    paths: Collection[str] | None = None,
    by: Sequence[Operation] = CHANGES,
) -> list[Used]:
    """The files that sessions have changed since, or worked with so, the last first; of `paths`
    alone where they are given."""
    first = select(events.c.seq).where(events.c.at >= to_ms(since)).order_by(events.c.at).limit(1)
    begin = conn.execute(first).scalar()
    if begin is None:
        return []
    query = _USED if paths is None else _USED.where(event_files.c.path.in_(sorted(paths)))
    asked = {"begin": begin, "since": to_ms(since), "by": [one.value for one in by]}
    found: dict[tuple[str, str], Used] = {}
    for of in session_ids:
        for row in conn.execute(query, {"of": of, **asked}):
            found.setdefault((of, row.path), Used(of, row.path, from_ms(row.at)))
    return sorted(found.values(), key=lambda one: (-to_ms(one.at), one.path))[:MAX_FILES]


_USED = (
    select(events.c.at, event_files.c.path)
    .join(event_files, event_files.c.event_seq == events.c.seq)
    .where(
        events.c.session_id == bindparam("of"),
        events.c.seq >= bindparam("begin"),
        events.c.at >= bindparam("since"),
        events.c.moment == Moment.AFTER_TOOL.value,
        events.c.success.is_not(False),
        event_files.c.operation.in_(bindparam("by", expanding=True)),
    )
    .order_by(events.c.seq.desc())
    .limit(MAX_FILES)
)
"""Asked for one session at a time: so the newest are read and no others."""


def found(conn: Connection, session_ids: Sequence[str]) -> list[KeptFinding]:
    """What sessions have found that is no memory yet, the last first; not where they stopped."""
    query = (
        select(findings)
        .where(
            findings.c.session_id.in_(session_ids),
            findings.c.promoted_memory_id.is_(None),
            findings.c.refused == "",
            ~findings.c.inherited,
            findings.c.kind != Kind.WORK_STATE.value,
        )
        .order_by(findings.c.created_at.desc(), findings.c.message_start.desc())
        .limit(MAX_FINDINGS)
    )
    return [kept_finding(row) for row in conn.execute(query).mappings()]

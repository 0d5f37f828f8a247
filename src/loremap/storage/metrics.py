"""Rows of metrics: what was measured, when and where; and what figures are counted from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, delete, func, insert, select, update

from loremap.model.clock import to_ms
from loremap.model.memory import ACTIVE
from loremap.model.session import Session
from loremap.storage import sessions as session_rows
from loremap.storage.tables import injections, memories, metrics, projects, sessions

MAX_VALUES = 5_000
"""Values one question answers with, the newest."""
MAX_SESSIONS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Noted:
    """One thing that was measured."""

    at: datetime
    name: str
    value: float
    project_id: str | None = None
    session_id: str | None = None


def note(
    conn: Connection,
    name: str,
    value: float,
    *,
    at: datetime,
    project_id: str | None = None,
    session_id: str | None = None,
) -> None:
    """Write down one value."""
    one = Noted(at=at, name=name, value=value, project_id=project_id, session_id=session_id)
    note_all(conn, [one])


def note_all(conn: Connection, noted: Sequence[Noted]) -> None:
    """Write down many values."""
    if noted:
        conn.execute(
            insert(metrics),
            [
                {
                    "at": to_ms(one.at),
                    "name": one.name,
                    "value": one.value,
                    "project_id": one.project_id,
                    "session_id": one.session_id,
                }
                for one in noted
            ],
        )


def values(
    conn: Connection, name: str, *, since: datetime, project_id: str | None = None
) -> list[float]:
    """What was measured under a name since then, the newest first."""
    query = select(metrics.c.value).where(metrics.c.name == name, metrics.c.at >= to_ms(since))
    if project_id is not None:
        query = query.where(metrics.c.project_id == project_id)
    newest = query.order_by(metrics.c.at.desc()).limit(MAX_VALUES)
    return [float(value) for value in conn.execute(newest).scalars()]


def count(conn: Connection, name: str, *, session_id: str) -> int:
    """How often something was noted in a session."""
    query = select(func.count()).where(metrics.c.name == name, metrics.c.session_id == session_id)
    return int(conn.execute(query).scalar_one())


def prune(conn: Connection, *, before: datetime) -> int:
    """Remove the values that are older; how many those were."""
    return conn.execute(delete(metrics).where(metrics.c.at < to_ms(before))).rowcount


def sessions_since(
    conn: Connection, *, since: datetime, project_id: str | None = None, limit: int = MAX_SESSIONS
) -> list[Session]:
    """The sessions of a project, or all, that were begun since then, the newest first."""
    query = select(sessions.c.id).where(
        sessions.c.created_at >= to_ms(since), ~sessions.c.incognito
    )
    if project_id is not None:
        query = query.where(sessions.c.project_id == project_id)
    ids = conn.execute(query.order_by(sessions.c.created_at.desc()).limit(limit)).scalars().all()
    return [one for id_ in ids if (one := session_rows.find(conn, id_)) is not None]


def held_out(conn: Connection, project_id: str | None, *, limit: int) -> list[str]:
    """The newest sessions of a project that were held out."""
    query = select(sessions.c.id).where(
        sessions.c.project_id == project_id, sessions.c.held_out, ~sessions.c.incognito
    )
    newest = query.order_by(sessions.c.created_at.desc()).limit(limit)
    return list(conn.execute(newest).scalars())


def given_nothing(conn: Connection, *, limit: int) -> list[str]:
    """The newest sessions anywhere into which nothing was injected."""
    told = select(injections.c.session_id).where(injections.c.session_id == sessions.c.id)
    query = select(sessions.c.id).where(~told.exists(), ~sessions.c.incognito)
    newest = query.order_by(sessions.c.created_at.desc()).limit(limit)
    return list(conn.execute(newest).scalars())


def session_ids(conn: Connection, start: str, *, limit: int = 10) -> list[str]:
    """The sessions whose id starts so, the newest first."""
    query = select(sessions.c.id).where(sessions.c.id.startswith(start, autoescape=True))
    newest = query.order_by(sessions.c.created_at.desc()).limit(limit)
    return list(conn.execute(newest).scalars())


def last_session(conn: Connection, project_id: str | None) -> Session | None:
    """The session of a project that was begun last."""
    query = select(sessions.c.id).where(sessions.c.project_id == project_id)
    id_ = conn.execute(query.order_by(sessions.c.created_at.desc()).limit(1)).scalar()
    return None if id_ is None else session_rows.find(conn, id_)


def session_before(conn: Connection, session: Session) -> str | None:
    """The id of the session of the same project and client that was begun before this one."""
    query = select(sessions.c.id).where(
        sessions.c.project_id == session.project_id,
        sessions.c.agent_id == session.client,
        sessions.c.id != session.id,
        sessions.c.created_at <= to_ms(session.created_at),
    )
    return conn.execute(query.order_by(sessions.c.created_at.desc()).limit(1)).scalar()


def confidences(conn: Connection, project_id: str | None) -> list[float]:
    """The confidence of every memory of a project that speaks, as stored; of all projects where
    none is named."""
    query = select(memories.c.confidence).where(
        memories.c.status.in_([status.value for status in ACTIVE]),
        memories.c.deleted_at.is_(None),
    )
    if project_id is not None:
        query = query.where(memories.c.project_id == project_id)
    return [float(value) for value in conn.execute(query).scalars()]


def project_count(conn: Connection) -> int:
    """How many projects there are."""
    return int(conn.execute(select(func.count()).select_from(projects)).scalar_one())


def take_back_rejection(conn: Connection, ids: Iterable[str]) -> int:
    """Let injections stand that a person had rejected; how many were."""
    query = update(injections).where(
        injections.c.id.in_(list(ids)), injections.c.rejected_at.is_not(None)
    )
    return conn.execute(query.values(rejected_at=None)).rowcount

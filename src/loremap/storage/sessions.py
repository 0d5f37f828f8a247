"""Rows of sessions: begun, gone on, reset, ended."""

from __future__ import annotations

from sqlalchemy import Connection, insert, select, update

from loremap.model.clock import from_ms, optional_ms, optional_time, to_ms
from loremap.model.session import Session
from loremap.storage.tables import sessions


def upsert(conn: Connection, session: Session) -> None:
    """Write a session as it is now; when it was created, and what else the row holds, stays."""
    values = {
        "project_id": session.project_id,
        "parent_session_id": session.parent_id,
        "agent_id": session.client,
        "branch": session.branch,
        "transcript_path": session.transcript,
        "last_at": optional_ms(session.last_at),
        "finalized_at": optional_ms(session.ended_at),
        "always_on": session.always_on,
        "reset_at": optional_ms(session.reset_at),
        "held_out": session.held_out,
    }
    known = update(sessions).where(sessions.c.id == session.id).values(**values)
    if not conn.execute(known).rowcount:
        created = {"id": session.id, "created_at": to_ms(session.created_at)}
        conn.execute(insert(sessions).values(**created, **values))


def find(conn: Connection, id_: str) -> Session | None:
    """The session of that id."""
    row = conn.execute(select(sessions).where(sessions.c.id == id_)).first()
    if row is None:
        return None
    return Session(
        id=row.id,
        client=row.agent_id or "",
        created_at=from_ms(row.created_at),
        project_id=row.project_id,
        parent_id=row.parent_session_id,
        branch=row.branch,
        transcript=row.transcript_path,
        last_at=optional_time(row.last_at),
        ended_at=optional_time(row.finalized_at),
        always_on=row.always_on,
        reset_at=optional_time(row.reset_at),
        held_out=row.held_out,
    )


def seen(conn: Connection, id_: str, at_ms: int) -> None:
    """Note that a session is at work still."""
    conn.execute(update(sessions).where(sessions.c.id == id_).values(last_at=at_ms))

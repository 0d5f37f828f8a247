"""Rows of what was imported: how far each session of the past was read."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, select, update

from loremap.model.clock import to_ms
from loremap.storage.dialect import dialect_of
from loremap.storage.tables import past_reads


def marks(conn: Connection) -> dict[tuple[str, str], str]:
    """The mark of each session that was read, by its client and its id."""
    query = select(past_reads.c.client, past_reads.c.session_id, past_reads.c.mark)
    return {(row.client, row.session_id): row.mark for row in conn.execute(query)}


def note(conn: Connection, client: str, session_id: str, mark: str, at: datetime) -> None:
    """Note that a session was read as far as `mark` says."""
    values = {"client": client, "session_id": session_id, "mark": mark, "at": to_ms(at)}
    dialect_of(conn).insert_missing(conn, past_reads, [values])
    one = (past_reads.c.client == client) & (past_reads.c.session_id == session_id)
    conn.execute(update(past_reads).where(one).values(mark=mark, at=to_ms(at)))

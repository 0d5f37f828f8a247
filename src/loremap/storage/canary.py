"""Removes every row of a project that was only made to see whether memory arrives."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, delete, select

from loremap.model.clock import to_ms
from loremap.storage import memories
from loremap.storage.tables import audit, erasures, metadata, projects, sessions
from loremap.storage.tables import memories as memory_rows
from loremap.storage.transaction import Tx

PREFIX = "loremap-canary-"
"""How the folder of such a project, and so its name, begins."""
_KEPT = (audit, erasures)
"""These hold ids only, and others rely on them."""


def left_over(conn: Connection, *, before: datetime) -> list[str]:
    """Projects of that kind that were made before then, and that nobody removed."""
    query = select(projects.c.id).where(
        projects.c.name.startswith(PREFIX, autoescape=True), projects.c.created_at < to_ms(before)
    )
    return list(conn.execute(query).scalars())


def sessions_of(conn: Connection, project_id: str) -> list[str]:
    """The sessions that were seen in a project."""
    return list(
        conn.execute(select(sessions.c.id).where(sessions.c.project_id == project_id)).scalars()
    )


def erase(tx: Tx, project_id: str, session_ids: Sequence[str]) -> int:
    """Remove a project with all it holds, and all that sessions left; how many rows that were."""
    ids = tx.conn.execute(
        select(memory_rows.c.id).where(memory_rows.c.project_id == project_id)
    ).scalars()
    memories.erase(tx, list(ids))
    gone = 0
    for table in reversed(metadata.sorted_tables):
        if table in _KEPT:
            continue
        for name, wanted in (("project_id", [project_id]), ("session_id", session_ids)):
            if name in table.c and table is not memory_rows:
                gone += tx.conn.execute(delete(table).where(table.c[name].in_(wanted))).rowcount
    gone += tx.conn.execute(delete(sessions).where(sessions.c.id.in_(session_ids))).rowcount
    return gone + tx.conn.execute(delete(projects).where(projects.c.id == project_id)).rowcount

"""The session that a person means."""

from __future__ import annotations

from loremap.errors import NotFound
from loremap.memory.workspace import Workspace
from loremap.model.session import Session
from loremap.storage import learning, sessions
from loremap.storage.store import Connection

HINT = "Sessions are recorded where an agent is connected: lore connect."


def session_named(here: Workspace, conn: Connection, reference: str | None) -> Session:
    """The session of this project with that id, or whose id alone begins so; the last one where
    none is named. Raises NotFound."""
    own = here.project_id
    if reference is None:
        found = learning.last_session(conn, own)
        if found is None:
            raise NotFound("No session was recorded here.", hint=HINT)
        return found
    exact = sessions.find(conn, reference)
    if exact is not None and exact.project_id == own:
        return exact
    found = sessions.beginning_with(conn, reference, project_id=own)
    if found is not None:
        return found
    if exact is not None:
        raise NotFound(
            f"Session {reference!r} is of another project.", hint="Run this in its folder."
        )
    raise NotFound(f"No session {reference!r}, or more than one, was recorded here.", hint=HINT)

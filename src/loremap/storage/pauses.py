"""Rows of pauses: the times at which nothing was to be learned. What was said in one is not learned
later either, whoever reads it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from sqlalchemy import ColumnElement, Connection, insert, select, update

from loremap.model.clock import from_ms, new_id, optional_time, to_ms
from loremap.storage.row_history import kept
from loremap.storage.tables import pauses
from loremap.storage.transaction import Tx


class Cause(StrEnum):
    """What was off."""

    EVERYTHING = "everything"
    SETTING = "setting"
    PROJECT = "project"
    LEARNING = "learning"


@dataclass(frozen=True, slots=True)
class Pause:
    """From when until when; None for one that goes on."""

    began: datetime
    ended: datetime | None = None

    def holds(self, at: datetime) -> bool:
        """Whether that was in it."""
        return self.began <= at and (self.ended is None or at <= self.ended)


def begin(conn: Connection, cause: Cause, project_id: str | None, at: datetime) -> None:
    """Note that something is off from now on, for a project or for all; it may be noted already."""
    if conn.execute(select(pauses.c.id).where(_open(cause, project_id))).first() is None:
        values = {"id": new_id(), "cause": cause.value, "project_id": project_id}
        conn.execute(insert(pauses).values(began_at=to_ms(at), **values))


def end(conn: Connection, cause: Cause, project_id: str | None, at: datetime) -> None:
    """Note that it is on again."""
    conn.execute(update(pauses).where(_open(cause, project_id)).values(ended_at=to_ms(at)))


def note(tx: Tx, cause: Cause, project_id: str, *, on: bool) -> None:
    """Note that a project is switched on or off; undoing that undoes this."""
    of_it = pauses.c.project_id == project_id
    with kept(tx, pauses, of_it, project_id=project_id):
        (end if on else begin)(tx.conn, cause, project_id, tx.now)


def of_project(conn: Connection, project_id: str | None) -> list[Pause]:
    """When nothing was to be learned in a project."""
    theirs = pauses.c.project_id.is_(None) | (pauses.c.project_id == project_id)
    rows = conn.execute(select(pauses.c.began_at, pauses.c.ended_at).where(theirs))
    return [Pause(from_ms(row.began_at), optional_time(row.ended_at)) for row in rows]


def _open(cause: Cause, project_id: str | None) -> ColumnElement[bool]:
    one = (pauses.c.cause == cause.value) & pauses.c.ended_at.is_(None)
    return one & pauses.c.project_id.is_not_distinct_from(project_id)

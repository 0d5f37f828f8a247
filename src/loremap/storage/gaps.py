"""Rows of gaps: what was asked and nothing here answered. They change no memory."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import Connection, Row, delete, insert, select, update

from loremap.model.clock import from_ms, optional_time, to_ms
from loremap.model.gap import MAX_GAPS, Gap
from loremap.storage.sessions import FIRST_LETTERS, letters
from loremap.storage.tables import gaps


def put(conn: Connection, gap: Gap) -> None:
    """Note a gap; where there are too many, those asked least and longest ago go."""
    conn.execute(
        insert(gaps).values(
            id=gap.id,
            project_id=gap.project_id,
            session_id=gap.session_id,
            model=gap.model,
            context_embedding=gap.vector,
            context_snippet=gap.asked,
            times=gap.times,
            at=to_ms(gap.at),
            last_at=to_ms(gap.last_at),
        )
    )
    kept = (
        select(gaps.c.id)
        .where(gaps.c.project_id.is_not_distinct_from(gap.project_id))
        .order_by(gaps.c.closed_at.is_not(None), gaps.c.times.desc(), gaps.c.last_at.desc())
    )
    surplus = list(conn.execute(kept).scalars())[MAX_GAPS:]
    if surplus:
        conn.execute(delete(gaps).where(gaps.c.id.in_([id_ for id_ in surplus if id_ != gap.id])))


def asked_again(conn: Connection, id_: str, at: datetime) -> None:
    """Count a gap that was met again."""
    same = gaps.c.id == id_
    conn.execute(update(gaps).where(same).values(times=gaps.c.times + 1, last_at=to_ms(at)))


def close(conn: Connection, id_: str, at: datetime) -> None:
    """Note that a gap is seen to, or is none; it is not noted again."""
    conn.execute(update(gaps).where(gaps.c.id == id_).values(closed_at=to_ms(at)))


def erase_saying(conn: Connection, texts: Iterable[str]) -> None:
    """Remove the gaps whose prompt says one of `texts`, or began to before it was cut."""
    said = [found for text in texts if (found := letters(text))]
    rows = conn.execute(select(gaps.c.id, gaps.c.context_snippet)).all()
    gone = [id_ for id_, asked in rows if any(_says(letters(asked), one) for one in said)]
    if gone:
        conn.execute(delete(gaps).where(gaps.c.id.in_(gone)))


def _says(asked: str, text: str) -> bool:
    return text[:FIRST_LETTERS] in asked or (len(asked) >= FIRST_LETTERS and asked in text)


def of_project(conn: Connection, project_id: str | None, *, closed: bool = False) -> list[Gap]:
    """The gaps of a project, the most asked first; with those that are `closed`."""
    query = select(gaps).where(gaps.c.project_id.is_not_distinct_from(project_id))
    if not closed:
        query = query.where(gaps.c.closed_at.is_(None))
    found = conn.execute(query.order_by(gaps.c.times.desc(), gaps.c.last_at.desc()))
    return [_gap(row) for row in found]


def _gap(row: Row[tuple[object, ...]]) -> Gap:
    held = row._mapping
    return Gap(
        id=held["id"],
        asked=held["context_snippet"],
        at=from_ms(held["at"]),
        last_at=from_ms(held["last_at"]),
        times=held["times"],
        project_id=held["project_id"],
        session_id=held["session_id"],
        model=held["model"],
        vector=held["context_embedding"],
        closed_at=optional_time(held["closed_at"]),
    )

"""How far each session was read for what it teaches, what it comes to, and what of it a person was
told."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import datetime

from sqlalchemy import (
    Connection,
    RowMapping,
    case,
    delete,
    false,
    func,
    or_,
    select,
    update,
)

from loremap.model.clock import from_ms, to_ms
from loremap.model.hook import Moment
from loremap.model.memory import Status
from loremap.model.session import Recap, Session, Work
from loremap.storage.dialect import dialect_of
from loremap.storage.sessions import session_of, tells
from loremap.storage.tables import announced, events, findings, memories, sessions

LEARNING = "learning"
"""Who lets findings become memories, as the audit trail names it."""


@dataclass(frozen=True, slots=True)
class Unread:
    """A session in which something happened since it was last read."""

    session: Session
    fresh: int
    """How many events those are; 0 where it was read to the end, and not taken for over."""
    seq: int
    """Its last event."""
    last_at: datetime
    is_compacted: bool
    """Whether its client has begun to sum it up meanwhile."""


def unread(conn: Connection, *, since: datetime) -> list[Unread]:
    """The sessions in which something happened since they were read or taken for over, that began
    or went on since."""
    waits = (sessions.c.heard_seq > sessions.c.finished_seq) & (sessions.c.heard_at >= to_ms(since))
    newer = events.c.session_id == sessions.c.id
    newer &= events.c.seq > sessions.c.learned_seq
    compacts = case((events.c.moment == Moment.BEFORE_COMPACT.value, 1), else_=0)
    query = (
        select(
            sessions,
            select(func.count()).where(newer).scalar_subquery().label("fresh"),
            select(func.max(compacts)).where(newer).scalar_subquery().label("compacted"),
        )
        .where(waits)
        .order_by(sessions.c.heard_seq)
    )
    return [
        Unread(
            session=session_of(row),
            fresh=int(row["fresh"]),
            seq=int(row["heard_seq"]),
            last_at=from_ms(int(row["heard_at"])),
            is_compacted=bool(row["compacted"]),
        )
        for row in conn.execute(query).mappings()
    ]


def unshown(conn: Connection, *, since: datetime) -> list[tuple[Session, int]]:
    """The sessions that are over and that the small model was not shown so far, with how far they
    went: that were heard of since, and that may be spoken of."""
    query = select(sessions).where(
        sessions.c.finished_seq > sessions.c.sidecar_seq,
        sessions.c.finished_seq >= sessions.c.heard_seq,
        sessions.c.heard_at >= to_ms(since),
        ~sessions.c.held_out,
        ~sessions.c.incognito,
    )
    rows = conn.execute(query.order_by(sessions.c.heard_at)).mappings()
    return [(session_of(row), int(row["finished_seq"])) for row in rows]


def note_shown(conn: Connection, session_id: str) -> None:
    """Note that the small model was shown a session as far as it was taken for over."""
    shown = update(sessions).where(sessions.c.id == session_id)
    conn.execute(shown.values(sidecar_seq=sessions.c.finished_seq))


def last_session(conn: Connection, project_id: str | None) -> Session | None:
    """The session of a project in which something happened last."""
    newest = (
        select(sessions)
        .join(events, events.c.session_id == sessions.c.id)
        .where(sessions.c.project_id == project_id)
        .order_by(events.c.at.desc(), events.c.seq.desc())
        .limit(1)
    )
    row = conn.execute(newest).mappings().first()
    return None if row is None else session_of(row)


def last_event(conn: Connection, session_id: str) -> int:
    """The number of a session's last event; 0 where the log holds none."""
    newest = select(func.max(events.c.seq)).where(events.c.session_id == session_id)
    return int(conn.execute(newest).scalar() or 0)


def pass_over(conn: Connection, session_id: str) -> None:
    """Take a session for read without learning from it, because learning is off."""
    heard = sessions.c.heard_seq
    values = {"learned_seq": heard, "finished_seq": heard, "sidecar_seq": heard}
    conn.execute(update(sessions).where(sessions.c.id == session_id).values(**values))


def note_read(conn: Connection, session_id: str, *, seq: int, work: Work) -> None:
    """Note how far a session was read, and what it comes to."""
    left = {name: told for name, told in asdict(work).items() if told and name != "summary"}
    values = {
        "learned_seq": seq,
        "summary": work.summary,
        "work": json.dumps(left, ensure_ascii=False),
    }
    conn.execute(update(sessions).where(sessions.c.id == session_id).values(**values))


def note_finished(
    conn: Connection, session_id: str, *, seq: int, learned_at: datetime | None
) -> None:
    """Note that a session was taken for over, and when findings of it became memories."""
    values = {"finished_seq": seq}
    if learned_at is not None:
        values["learned_at"] = to_ms(learned_at)
    conn.execute(update(sessions).where(sessions.c.id == session_id).values(**values))


def summary(conn: Connection, session_id: str) -> str:
    """What a session comes to; empty where it was not read."""
    found = conn.execute(select(sessions.c.summary).where(sessions.c.id == session_id)).scalar()
    return found or ""


def recaps(
    conn: Connection, project_id: str, *, since: datetime, but: Iterable[str], limit: int
) -> list[Recap]:
    """How the last sessions of a project went that were read and are over, the last first; none of
    a session that was held out."""
    query = (
        select(sessions)
        .where(
            sessions.c.project_id == project_id,
            sessions.c.heard_at >= to_ms(since),
            sessions.c.summary != "",
            sessions.c.finished_seq >= sessions.c.heard_seq,
            ~sessions.c.held_out,
            sessions.c.id.not_in(list(but)),
        )
        .order_by(sessions.c.heard_at.desc(), sessions.c.id)
        .limit(limit)
    )
    return [_recap(row) for row in conn.execute(query).mappings()]


def _recap(row: RowMapping) -> Recap:
    left = {name: tuple(told) for name, told in json.loads(row["work"]).items()}
    return Recap(session=session_of(row), work=Work(summary=row["summary"], **left))


def told_beside(
    conn: Connection,
    project_id: str | None,
    *,
    sessions_named: Iterable[str],
    prints: Iterable[str],
) -> list[str]:
    """What a session was told of others: the summaries of sessions whose ids end so, and findings
    whose fingerprints begin so."""
    own = sessions.c.project_id == project_id
    ends = [sessions.c.id.endswith(one, autoescape=True) for one in sessions_named]
    begins = [findings.c.fingerprint.startswith(one, autoescape=True) for one in prints]
    summaries = select(sessions.c.summary).where(own, or_(false(), *ends))
    found = (
        select(findings.c.content)
        .join(sessions, sessions.c.id == findings.c.session_id)
        .where(own, or_(false(), *begins))
    )
    return [*conn.execute(summaries).scalars(), *conn.execute(found).scalars()]


def untold(conn: Connection, project_id: str, *, written_by: str) -> list[str]:
    """The candidates of a project by that writer that no person was told of, the oldest first."""
    query = (
        select(memories.c.id)
        .where(
            memories.c.project_id == project_id,
            memories.c.created_by == written_by,
            memories.c.status == Status.CANDIDATE.value,
            memories.c.deleted_at.is_(None),
            memories.c.id.not_in(select(announced.c.memory_id)),
        )
        .order_by(memories.c.row)
    )
    return list(conn.execute(query).scalars())


def note_told(conn: Connection, memory_ids: Iterable[str], at: datetime) -> None:
    """Note that a person was told of these memories, where they were not before."""
    there = conn.execute(select(memories.c.id).where(memories.c.id.in_(list(memory_ids)))).scalars()
    rows = [{"memory_id": id_, "at": to_ms(at)} for id_ in there]
    if rows:
        dialect_of(conn).insert_missing(conn, announced, rows)


def note_unheard(conn: Connection, at: datetime) -> None:
    """Note that nobody heard what was told at that moment."""
    conn.execute(delete(announced).where(announced.c.at == to_ms(at)))


def erase_saying(conn: Connection, texts: Iterable[str]) -> None:
    """Blank the summaries that hold one of `texts`, or its beginning."""
    wanted = [text for text in texts if text.strip()]
    held = conn.execute(
        select(sessions.c.id, sessions.c.summary, sessions.c.work).where(sessions.c.summary != "")
    ).all()
    gone = [id_ for id_, said, left in held if any(tells(said + left, text) for text in wanted)]
    if gone:
        blank = update(sessions).where(sessions.c.id.in_(gone)).values(summary="", work="{}")
        conn.execute(blank)

"""How far each session was read for what it teaches, what it comes to, and whether a person was
told."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, case, func, select, update

from loremap.model.clock import from_ms, to_ms
from loremap.model.hook import Moment
from loremap.model.session import Session
from loremap.storage.sessions import session_of, tells
from loremap.storage.tables import events, findings, sessions

LEARNING = "learning"
"""Who lets findings become memories, as the audit trail names it."""


@dataclass(frozen=True, slots=True)
class Unread:
    """A session in which something happened since it was last read."""

    session: Session
    fresh: int
    """How many events those are."""
    seq: int
    """The last of them."""
    last_at: datetime
    is_compacted: bool
    """Whether its client has begun to sum it up meanwhile."""


def unread(conn: Connection, *, since: datetime) -> list[Unread]:
    """The sessions with something new since they were last read, that began or went on since."""
    compacts = case((events.c.moment == Moment.BEFORE_COMPACT.value, 1), else_=0)
    newer = (
        select(
            events.c.session_id,
            func.count().label("fresh"),
            func.max(events.c.seq).label("seq"),
            func.max(events.c.at).label("last"),
            func.max(compacts).label("compacted"),
        )
        .select_from(
            sessions.join(
                events,
                (events.c.session_id == sessions.c.id) & (events.c.seq > sessions.c.learned_seq),
            )
        )
        .where(events.c.at >= to_ms(since))
        .group_by(events.c.session_id)
        .subquery()
    )
    query = select(sessions, newer).join(newer, newer.c.session_id == sessions.c.id)
    return [
        Unread(
            session=session_of(row),
            fresh=int(row["fresh"]),
            seq=int(row["seq"]),
            last_at=from_ms(int(row["last"])),
            is_compacted=bool(row["compacted"]),
        )
        for row in conn.execute(query.order_by(newer.c.seq)).mappings()
    ]


def unshown(conn: Connection, *, since: datetime) -> list[tuple[Session, int]]:
    """The sessions whose findings are kept and that the small model was not shown so far, with how
    far they were read: that were heard of since, and that may be spoken of."""
    query = select(sessions).where(
        sessions.c.learned_seq > sessions.c.sidecar_seq,
        sessions.c.last_at >= to_ms(since),
        ~sessions.c.held_out,
        ~sessions.c.incognito,
    )
    rows = conn.execute(query.order_by(sessions.c.last_at)).mappings()
    return [(session_of(row), int(row["learned_seq"])) for row in rows]


def note_shown(conn: Connection, session_id: str, *, seq: int) -> None:
    """Note how far the small model was shown a session."""
    conn.execute(update(sessions).where(sessions.c.id == session_id).values(sidecar_seq=seq))


def last_session(conn: Connection, project_id: str | None) -> Session | None:
    """The session of a project in which something happened last."""
    newest = (
        select(sessions)
        .join(events, events.c.session_id == sessions.c.id)
        .where(sessions.c.project_id == project_id)
        .order_by(events.c.seq.desc())
        .limit(1)
    )
    row = conn.execute(newest).mappings().first()
    return None if row is None else session_of(row)


def last_event(conn: Connection, session_id: str) -> int:
    """The number of a session's last event; 0 where the log holds none."""
    newest = select(func.max(events.c.seq)).where(events.c.session_id == session_id)
    return int(conn.execute(newest).scalar() or 0)


def note_read(
    conn: Connection, session_id: str, *, seq: int, summary: str, learned_at: datetime | None
) -> None:
    """Note how far a session was read, what it comes to, and when its findings became memories."""
    values: dict[str, object] = {"learned_seq": seq, "summary": summary}
    if learned_at is not None:
        values["learned_at"] = to_ms(learned_at)
    conn.execute(update(sessions).where(sessions.c.id == session_id).values(**values))


def summary(conn: Connection, session_id: str) -> str:
    """What a session comes to; empty where it was not read."""
    found = conn.execute(select(sessions.c.summary).where(sessions.c.id == session_id)).scalar()
    return found or ""


def untold(conn: Connection, project_id: str) -> list[str]:
    """The memories that sessions of a project have become since a person was last told."""
    query = (
        select(findings.c.promoted_memory_id)
        .join(sessions, sessions.c.id == findings.c.session_id)
        .where(
            sessions.c.project_id == project_id,
            sessions.c.learned_at.is_not(None),
            sessions.c.told_at.is_(None) | (sessions.c.told_at < sessions.c.learned_at),
            findings.c.promoted_memory_id.is_not(None),
        )
        .order_by(sessions.c.learned_at, findings.c.message_start)
    )
    return list(dict.fromkeys(conn.execute(query).scalars()))


def note_told(conn: Connection, project_id: str, at: datetime) -> None:
    """Note that a person was told what the sessions of a project have taught."""
    theirs = (sessions.c.project_id == project_id) & sessions.c.learned_at.is_not(None)
    conn.execute(update(sessions).where(theirs).values(told_at=to_ms(at)))


def erase_saying(conn: Connection, texts: Iterable[str]) -> None:
    """Blank the summaries that hold one of `texts`, or its beginning."""
    wanted = [text for text in texts if text.strip()]
    held = conn.execute(
        select(sessions.c.id, sessions.c.summary).where(sessions.c.summary != "")
    ).all()
    gone = [id_ for id_, said in held if any(tells(said, text) for text in wanted)]
    if gone:
        conn.execute(update(sessions).where(sessions.c.id.in_(gone)).values(summary=""))

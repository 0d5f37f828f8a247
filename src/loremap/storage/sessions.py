"""Rows of sessions: begun, gone on, reset, ended, dropped; and whether their block still holds."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from datetime import datetime
from html import unescape

from sqlalchemy import Connection, RowMapping, and_, delete, func, insert, or_, select, update

from loremap.model.clock import from_ms, optional_ms, optional_time, to_ms
from loremap.model.memory import ACTIVE
from loremap.model.session import Session
from loremap.storage.guarded import NOT_VOTED_DOWN
from loremap.storage.tables import events, injections, memories, sessions

FIRST_LETTERS = 32
"""So much of a text makes it that text: a block may show it cut."""
_WORD = re.compile(r"\w+")


def upsert(conn: Connection, session: Session, *, told: Collection[str] | None = ()) -> None:
    """Write a session as it is now; when it was created, and what else the row holds, stays.

    `told` are the memories that its block tells: where one was erased meanwhile, the block is not
    written. None leaves the block of the row alone: who does not know what it tells must not bring
    back what was erased.
    """
    values: dict[str, object] = {
        "project_id": session.project_id,
        "agent_id": session.client,
        "branch": session.branch,
        "transcript_path": session.transcript,
        "folder": session.folder,
        "last_at": optional_ms(session.last_at),
        "finalized_at": optional_ms(session.ended_at),
        "reset_at": optional_ms(session.reset_at),
        "held_out": session.held_out,
    }
    if session.parent_id is not None:  # it may be learned from the transcript later
        values["parent_session_id"] = session.parent_id
    if told is not None:
        values["always_on"] = session.always_on if _are_there(conn, told) else ""
    known = update(sessions).where(sessions.c.id == session.id).values(**values)
    if not conn.execute(known).rowcount:
        created = {"id": session.id, "created_at": to_ms(session.created_at)}
        conn.execute(insert(sessions).values(**created, **values, **_heard(conn, session)))


def _heard(conn: Connection, session: Session) -> dict[str, object]:
    """The last event of a session whose row is written only now; where the log has none, when it
    was by its own account."""
    of_it = select(events.c.at, events.c.seq).where(events.c.session_id == session.id)
    last = conn.execute(of_it.order_by(events.c.seq.desc()).limit(1)).first()
    if last is None:
        return {"heard_at": to_ms(session.last_at or session.created_at)}
    return {"heard_at": last.at, "heard_seq": last.seq}


def note_parent(conn: Connection, id_: str, parent_id: str) -> None:
    """Note which session this one was forked from."""
    one = sessions.c.id == id_
    conn.execute(update(sessions).where(one).values(parent_session_id=parent_id))


def find(conn: Connection, id_: str) -> Session | None:
    """The session of that id."""
    row = conn.execute(select(sessions).where(sessions.c.id == id_)).mappings().first()
    return None if row is None else session_of(row)


def kin(conn: Connection, id_: str | None) -> list[str]:
    """A session and the one it was forked from."""
    row = None if id_ is None else find(conn, id_)
    return [one for one in (id_, None if row is None else row.parent_id) if one is not None]


def folders_of(conn: Connection, project_id: str) -> list[str]:
    """The folders in which sessions of a project worked, the last first."""
    query = select(sessions.c.folder).where(
        sessions.c.project_id == project_id, sessions.c.folder.is_not(None)
    )
    last = func.max(sessions.c.heard_at).desc()
    return list(conn.execute(query.group_by(sessions.c.folder).order_by(last)).scalars())


def beginning_with(conn: Connection, start: str, *, project_id: str | None) -> Session | None:
    """The session of a project whose id begins so, where that is one."""
    query = select(sessions).where(
        sessions.c.project_id.is_not_distinct_from(project_id),
        sessions.c.id.startswith(start, autoescape=True),
    )
    rows = conn.execute(query.limit(2)).mappings().all()
    return session_of(rows[0]) if start and len(rows) == 1 else None


def session_of(row: RowMapping) -> Session:
    """A row as the session it tells of."""
    return Session(
        id=row["id"],
        client=row["agent_id"] or "",
        created_at=from_ms(row["created_at"]),
        project_id=row["project_id"],
        parent_id=row["parent_session_id"],
        branch=row["branch"],
        transcript=row["transcript_path"],
        folder=row["folder"],
        last_at=optional_time(row["last_at"]),
        ended_at=optional_time(row["finalized_at"]),
        always_on=row["always_on"],
        reset_at=optional_time(row["reset_at"]),
        held_out=row["held_out"],
        heard_at=optional_time(row["heard_at"]),
    )


def block_holds(conn: Connection, session: Session, told: Collection[str] | None = None) -> bool:
    """Whether the block that a session has may be given once more: every memory it tells still
    speaks, and says what it said. None for `told` where it is not known what the block tells."""
    block = session.always_on
    if not block:
        return True
    if told is None and not _is_kept(conn, session):
        return False
    if not says_what_holds(conn, block, told or ()):
        return False
    said = letters(block)
    silent = _TEXTS.where(
        memories.c.updated_at >= to_ms(session.created_at),
        or_(
            memories.c.deleted_at.is_not(None),
            memories.c.status.not_in(ACTIVE),
            ~NOT_VOTED_DOWN,
        ),
    )
    return not any(
        _begins_in(said, text)
        for row in conn.execute(silent)
        for text in (row.summary, row.content)
    )


def says_what_holds(conn: Connection, block: str, told: Collection[str]) -> bool:
    """Whether every memory that a block is known to tell still speaks, and says what it said."""
    now = conn.execute(_TEXTS.where(memories.c.id.in_(told))).mappings().all()
    said = letters(block)
    return len(now) == len(set(told)) and all(_speaks_in(said, row) for row in now)


_TEXTS = select(
    memories.c.id,
    memories.c.summary,
    memories.c.content,
    memories.c.status,
    memories.c.deleted_at,
    NOT_VOTED_DOWN.label("is_wanted"),
)


def _is_kept(conn: Connection, session: Session) -> bool:
    """Whether the row has the block that is asked about: not where it was erased there."""
    kept = select(sessions.c.always_on).where(sessions.c.id == session.id)
    return conn.execute(kept).scalar() == session.always_on


def _speaks_in(said: str, row: RowMapping) -> bool:
    if row["deleted_at"] is not None or row["status"] not in ACTIVE or not row["is_wanted"]:
        return False
    return letters(row["summary"]) in said or _begins_in(said, row["content"])


def _are_there(conn: Connection, ids: Collection[str]) -> bool:
    wanted = set(ids)
    query = select(func.count()).where(memories.c.id.in_(wanted))
    return not wanted or conn.execute(query).scalar_one() == len(wanted)


def tells(block: str, text: str) -> bool:
    """Whether a block holds a text, or its beginning, in whatever dress."""
    return _begins_in(letters(block), text)


def _begins_in(said: str, text: str) -> bool:
    start = letters(text)[:FIRST_LETTERS]
    return bool(start) and start in said


def letters(text: str) -> str:
    """The letters and digits of a text alone, by which it is known again."""
    return "".join(_WORD.findall(unescape(text).casefold()))


def erase_blocks(conn: Connection, memory_ids: Collection[str], texts: Iterable[str]) -> int:
    """Blank the blocks that tell one of these memories, by what is noted of them or by its words;
    how many those were. The next start of such a session makes its block anew."""
    starts = {start for text in texts if (start := letters(text)[:FIRST_LETTERS])}
    query = select(injections.c.session_id).where(injections.c.memory_id.in_(memory_ids))
    noted = set(conn.execute(query).scalars())
    held = conn.execute(
        select(sessions.c.id, sessions.c.always_on).where(sessions.c.always_on != "")
    )
    gone = [id_ for id_, block in held if id_ in noted or _holds_any(block, starts)]
    for id_ in gone:
        conn.execute(update(sessions).where(sessions.c.id == id_).values(always_on=""))
    return len(gone)


def _holds_any(block: str, starts: Collection[str]) -> bool:
    told = letters(block)
    return any(start in told for start in starts)


def prune(conn: Connection, *, before: datetime) -> int:
    """Remove the sessions in which nothing happened since, with what was injected into them; how
    many those were. One that is kept keeps all of it: with half it would count for less."""
    at = to_ms(before)
    last = func.coalesce(sessions.c.last_at, sessions.c.created_at)
    newer = [
        select(table.c.seq).where(table.c.session_id == sessions.c.id, table.c.at >= at).exists()
        for table in (events, injections)
    ]
    old = and_(last < at, sessions.c.created_at < at, *(~each for each in newer))
    gone = conn.execute(delete(sessions).where(old)).rowcount
    here = select(sessions.c.id).where(sessions.c.id == injections.c.session_id).exists()
    conn.execute(delete(injections).where(injections.c.at < at, ~here))
    return gone

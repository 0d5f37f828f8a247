"""Rows of findings: what a session taught, each once, and what became of it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import datetime

from sqlalchemy import Connection, RowMapping, and_, bindparam, delete, or_, select, update

from loremap.model.clock import new_id, optional_ms, optional_time, to_ms
from loremap.model.finding import Finding, KeptFinding
from loremap.model.kind import Kind
from loremap.model.turn import Speaker
from loremap.storage.dialect import dialect_of
from loremap.storage.sql import contains
from loremap.storage.tables import findings, sessions

LIST_COLUMNS = ("file_paths", "tags", "rejected")


def put(conn: Connection, session_id: str, found: Sequence[KeptFinding], now: datetime) -> None:
    """Keep what a session has taught as it is known now: what is there already stays as it is, and
    what is no longer found goes, where nothing has become of it."""
    of_it = findings.c.session_id == session_id
    fresh = {one.fingerprint: one for one in found}
    nothing_came = findings.c.promoted_memory_id.is_(None) & ~findings.c.inherited
    gone = findings.c.fingerprint.not_in(fresh)
    conn.execute(delete(findings).where(of_it, nothing_came, gone))
    rows = [_row(one, now) for one in fresh.values()]
    if rows:
        dialect_of(conn).insert_missing(conn, findings, rows)


def of_session(conn: Connection, session_id: str) -> list[KeptFinding]:
    """What a session has taught, in the order in which it was said."""
    query = select(findings).where(findings.c.session_id == session_id)
    ordered = query.order_by(findings.c.message_start, findings.c.message_end, findings.c.id)
    return [kept_finding(row) for row in conn.execute(ordered).mappings()]


def settle(
    conn: Connection, one: KeptFinding, *, memory_id: str | None = None, refused: str = ""
) -> None:
    """Note what became of a finding."""
    conn.execute(
        update(findings)
        .where(
            findings.c.session_id == one.session_id,
            findings.c.fingerprint == one.fingerprint,
        )
        .values(
            promoted=memory_id is not None,
            promoted_memory_id=memory_id,
            refused=refused,
        )
    )


def settle_refused(conn: Connection, those: Sequence[KeptFinding], reason: str) -> None:
    """Note of several findings that they became nothing, and why."""
    if those:
        its_key = and_(
            findings.c.session_id == bindparam("of_session"),
            findings.c.fingerprint == bindparam("of_finding"),
        )
        keys = [{"of_session": one.session_id, "of_finding": one.fingerprint} for one in those]
        conn.execute(update(findings).where(its_key).values(refused=reason), keys)


def copy(conn: Connection, parent_id: str, child_id: str) -> None:
    """Give a forked session what its parent had found, with what became of it."""
    rows = conn.execute(select(findings).where(findings.c.session_id == parent_id)).mappings()
    copied = [{**row, "id": new_id(), "session_id": child_id, "inherited": True} for row in rows]
    if copied:
        dialect_of(conn).insert_missing(conn, findings, copied)


def of_kin(conn: Connection, session_id: str) -> list[tuple[KeptFinding, str]]:
    """The findings of a session of which nothing came yet, but a memory in the session that it was
    forked from, or in one that was forked from either; each with that memory."""
    own = select(sessions.c.parent_session_id).where(sessions.c.id == session_id)
    is_kin = sessions.c.parent_session_id == session_id
    parent = conn.execute(own).scalar()
    if parent is not None:
        is_kin |= (sessions.c.id == parent) | (sessions.c.parent_session_id == parent)
    query = (
        select(findings.c.fingerprint, findings.c.promoted_memory_id)
        .join(sessions, sessions.c.id == findings.c.session_id)
        .where(is_kin, sessions.c.id != session_id, findings.c.promoted_memory_id.is_not(None))
    )
    became = {row.fingerprint: row.promoted_memory_id for row in conn.execute(query)}
    if not became:
        return []
    waiting = (one for one in of_session(conn, session_id) if one.is_open)
    return [(one, became[one.fingerprint]) for one in waiting if one.fingerprint in became]


def erase_saying(conn: Connection, texts: Iterable[str]) -> None:
    """Remove the findings that hold one of `texts`, or whose words one of them was made of."""
    for text in filter(None, (text.strip() for text in texts)):
        holds = or_(
            *(contains(column, text) for column in (findings.c.content, findings.c.quote)),
            contains(findings.c.amends, text),
            contains(findings.c.rejected, json.dumps(text, ensure_ascii=False)[1:-1]),
        )
        conn.execute(delete(findings).where(holds))


def erase_of(conn: Connection, memory_ids: Sequence[str]) -> None:
    """Remove the findings that became one of these memories."""
    conn.execute(delete(findings).where(findings.c.promoted_memory_id.in_(memory_ids)))


def _row(one: KeptFinding, now: datetime) -> dict[str, object]:
    finding = one.finding
    return {
        "id": new_id(),
        "session_id": one.session_id,
        "fingerprint": one.fingerprint,
        "content": finding.content,
        "quote": finding.quote,
        "said_by": finding.said_by.value,
        "message_start": finding.first,
        "message_end": finding.last,
        "at": optional_ms(finding.at),
        "because": finding.because,
        "kind": finding.kind.value,
        "importance": finding.importance,
        "confidence": finding.confidence,
        "file_paths": json.dumps(finding.files),
        "tags": json.dumps(finding.tags, ensure_ascii=False),
        "rejected": json.dumps(finding.rejected, ensure_ascii=False),
        "amends": finding.amends,
        "agent": finding.agent,
        "created_at": to_ms(now),
    }


def kept_finding(row: RowMapping) -> KeptFinding:
    """A row as the finding it tells of."""
    files, tags, rejected = (tuple(json.loads(row[name])) for name in LIST_COLUMNS)
    return KeptFinding(
        session_id=row["session_id"],
        fingerprint=row["fingerprint"],
        memory_id=row["promoted_memory_id"],
        refused=row["refused"],
        finding=Finding(
            kind=Kind(row["kind"]),
            content=row["content"],
            quote=row["quote"],
            said_by=Speaker(row["said_by"]),
            first=row["message_start"],
            last=row["message_end"],
            at=optional_time(row["at"]),
            because=row["because"],
            importance=row["importance"],
            confidence=row["confidence"],
            files=files,
            tags=tags,
            rejected=rejected,
            amends=row["amends"],
            agent=row["agent"],
        ),
    )

"""The log of what was done in sessions: appended to, read by session, project or time, pruned."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from operator import itemgetter

from sqlalchemy import (
    Connection,
    Row,
    Select,
    bindparam,
    case,
    delete,
    func,
    insert,
    or_,
    select,
    update,
)

from loremap.model.clock import from_ms, to_ms
from loremap.model.event import Event
from loremap.model.hook import FileUse, Moment, Operation
from loremap.storage.dialect import dialect_of
from loremap.storage.sql import contains, is_listed
from loremap.storage.tables import event_files, events, projects, sessions

MOST = 1_000
"""How many events one question answers with, unless asked for more."""

_SAYING = (events.c.text, events.c.result, events.c.error, events.c.why)
_TOLD_APART = 60
"""Letters by which a text is known again."""


def append(conn: Connection, fresh: Sequence[Event]) -> set[str]:
    """Add events and return the ids of those that are new: one that is there already, and one of a
    project that is switched off, is passed over."""
    off = _switched_off(conn)
    wanted = {event.id: event for event in fresh if event.project_id not in off}
    if not wanted:
        return set()
    rows = [_row(event) for event in wanted.values()]
    dialect_of(conn).insert_missing(conn, events, rows)
    numbers = _numbers(conn, list(wanted))
    files = [
        _file_row(seq, place, use, wanted[id_])
        for id_, seq in numbers.items()
        for place, use in enumerate(wanted[id_].files)
    ]
    if files:
        conn.execute(insert(event_files), files)
    _note_heard(conn, [(wanted[id_], seq) for id_, seq in numbers.items()])
    return set(numbers)


_HEARD = (
    update(sessions)
    .where(sessions.c.id == bindparam("of"), sessions.c.heard_seq < bindparam("seq"))
    .values(
        heard_at=case(
            (sessions.c.heard_at > bindparam("at"), sessions.c.heard_at), else_=bindparam("at")
        ),
        heard_seq=bindparam("seq"),
    )
)


def _note_heard(conn: Connection, added: Sequence[tuple[Event, int]]) -> None:
    """Note with each session when it was heard of last."""
    last = {event.session_id: (event, seq) for event, seq in sorted(added, key=itemgetter(1))}
    rows = [{"of": of, "at": to_ms(event.at), "seq": seq} for of, (event, seq) in last.items()]
    if rows:
        conn.execute(_HEARD, rows)


_NUMBERS = select(events.c.id, events.c.seq).where(is_listed(events.c.id, bindparam("ids")))
_SWITCHED_OFF = select(projects.c.id).where(~projects.c.memory_enabled)
"""Put together once, because every write asks them."""


def _numbers(conn: Connection, ids: Sequence[str]) -> dict[str, int]:
    """The place in the log of each of the ids that is in it."""
    return {row.id: row.seq for row in conn.execute(_NUMBERS, {"ids": json.dumps(ids)})}


def _switched_off(conn: Connection) -> set[str]:
    return set(conn.execute(_SWITCHED_OFF).scalars())


def _row(event: Event) -> dict[str, object]:
    return {
        "id": event.id,
        "at": to_ms(event.at),
        "project_id": event.project_id,
        "session_id": event.session_id,
        "turn_id": event.turn_id,
        "task_id": event.task_id,
        "subagent_id": event.subagent_id,
        "subagent_kind": event.subagent_kind,
        "client": event.client,
        "moment": event.moment.value,
        "tool": event.tool,
        "parameters": event.parameters,
        "result": event.result,
        "success": event.success,
        "error": event.error,
        "duration_ms": event.duration_ms,
        "context_tokens": event.context_tokens,
        "result_tokens": event.result_tokens,
        "why": event.why,
        "text": event.text,
        "key": event.key or event.id,
    }


def _file_row(seq: int, position: int, use: FileUse, of: Event) -> dict[str, object]:
    first, last = use.lines or (None, None)
    return {
        "event_seq": seq,
        "position": position,
        "session_id": of.session_id,
        "project_id": of.project_id,
        "at": to_ms(of.at),
        "path": use.path,
        "operation": use.operation.value,
        "line_start": first,
        "line_end": last,
        "changed": use.changed,
    }


def has_key_from(conn: Connection, key: str, event: Event, *, within_ms: int) -> bool:
    """Whether the log holds an event at about that time whose key begins with `key`."""
    at = to_ms(event.at)
    found = select(events.c.seq).where(
        events.c.key.startswith(key, autoescape=True),
        events.c.session_id == event.session_id,
        events.c.at.between(at - within_ms, at + within_ms),
    )
    return conn.execute(found.limit(1)).first() is not None


def keys_of(conn: Connection, session_id: str) -> set[str]:
    """The keys of a session's events."""
    query = select(events.c.key).where(events.c.session_id == session_id)
    return set(conn.execute(query).scalars())


def times_of(conn: Connection, session_id: str) -> tuple[datetime, datetime] | None:
    """When a session's first and last events were; None where the log holds none."""
    query = select(func.min(events.c.at), func.max(events.c.at))
    first, last = conn.execute(query.where(events.c.session_id == session_id)).one()
    return None if first is None else (from_ms(int(first)), from_ms(int(last)))


def of_session(conn: Connection, session_id: str, *, limit: int = MOST) -> list[Event]:
    """The events of a session, oldest first."""
    return _found(conn, select(events).where(events.c.session_id == session_id), limit)


def of_subagents(conn: Connection, session_id: str, *, limit: int = MOST) -> list[Event]:
    """The events of a session's subagents, oldest first."""
    inner = (events.c.session_id == session_id) & events.c.subagent_id.is_not(None)
    return _found(conn, select(events).where(inner), limit)


def of_project(
    conn: Connection,
    project_id: str | None,
    *,
    since: datetime | None = None,
    until: datetime | None = None,
    limit: int = MOST,
) -> list[Event]:
    """The events of a project between two times, oldest first."""
    query = select(events).where(events.c.project_id == project_id)
    if since is not None:
        query = query.where(events.c.at >= to_ms(since))
    if until is not None:
        query = query.where(events.c.at < to_ms(until))
    return _found(conn, query, limit)


def changed_in(conn: Connection, session_id: str, paths: Collection[str]) -> set[str]:
    """Which of these files a session has changed."""
    query = select(event_files.c.path).where(
        event_files.c.path.in_(paths),
        event_files.c.operation.in_((Operation.WRITE.value, Operation.EDIT.value)),
        event_files.c.session_id == session_id,
    )
    return set(conn.execute(query.distinct()).scalars())


def counts(conn: Connection) -> dict[Moment, int]:
    """How many events of each moment the log holds."""
    query = select(events.c.moment, func.count()).group_by(events.c.moment)
    return {Moment(moment): int(count) for moment, count in conn.execute(query)}


def is_any(conn: Connection) -> bool:
    """Whether the log holds anything."""
    return conn.execute(select(events.c.seq).limit(1)).first() is not None


def prune(conn: Connection, *, before: datetime) -> int:
    """Remove the events that are older; how many those were."""
    return conn.execute(delete(events).where(events.c.at < to_ms(before))).rowcount


def erase_saying(conn: Connection, texts: Iterable[str]) -> int:
    """Remove the events that hold one of `texts`; how many those were. What is erased elsewhere is
    erased here too: the prompt that told it, the call that stored it."""
    gone = 0
    for text in texts:
        kept = text.strip()
        if kept:
            in_json = json.dumps(kept, ensure_ascii=False)[1:-1]
            begun = _begun(kept)
            changed = select(event_files.c.event_seq).where(contains(event_files.c.changed, begun))
            says = or_(
                *(contains(column, kept) for column in _SAYING),
                contains(events.c.result, begun),
                contains(events.c.parameters, in_json),
                events.c.seq.in_(changed),
            )
            gone += conn.execute(delete(events).where(says)).rowcount
    return gone


def _begun(text: str) -> str:
    """How a text is known again where one line of it was kept, and that cut short."""
    first = " ".join(text.splitlines()[0].split())
    return (first if len(first) >= _TOLD_APART // 3 else " ".join(text.split()))[:_TOLD_APART]


def _found(conn: Connection, query: Select[tuple[object, ...]], limit: int) -> list[Event]:
    return _events(conn, conn.execute(query.order_by(events.c.seq).limit(limit)).all())


def _events(conn: Connection, rows: Sequence[Row[tuple[object, ...]]]) -> list[Event]:
    files = _files(conn, [row.seq for row in rows])
    return [_event(row, tuple(files.get(row.seq, ()))) for row in rows]


def _files(conn: Connection, seqs: Iterable[int]) -> dict[int, list[FileUse]]:
    found: dict[int, list[FileUse]] = {}
    known = list(seqs)
    for start in range(0, len(known), 500):
        part = known[start : start + 500]
        query = (
            select(event_files)
            .where(event_files.c.event_seq.in_(part))
            .order_by(event_files.c.event_seq, event_files.c.position)
        )
        for row in conn.execute(query):
            lines = None if row.line_start is None else (row.line_start, row.line_end)
            found.setdefault(row.event_seq, []).append(
                FileUse(
                    path=row.path,
                    operation=Operation(row.operation),
                    lines=lines,
                    changed=row.changed,
                )
            )
    return found


def _event(row: Row[tuple[object, ...]], files: tuple[FileUse, ...]) -> Event:
    return Event(
        id=row.id,
        at=from_ms(row.at),
        client=row.client,
        moment=Moment(row.moment),
        session_id=row.session_id,
        project_id=row.project_id,
        turn_id=row.turn_id,
        task_id=row.task_id,
        subagent_id=row.subagent_id,
        subagent_kind=row.subagent_kind,
        tool=row.tool,
        parameters=row.parameters,
        result=row.result,
        success=row.success,
        error=row.error,
        duration_ms=row.duration_ms,
        context_tokens=row.context_tokens,
        result_tokens=row.result_tokens,
        why=row.why,
        text=row.text,
        key=row.key,
        files=files,
    )

"""What is asked of the log: what was done with a file, which files change together, how tools
fare. Each question is answered from an index, however much the log holds."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime

from sqlalchemy import ColumnElement, Connection, Row, Select, and_, case, func, select

from loremap.model.clock import from_ms, to_ms
from loremap.model.episode import Edit, Interaction, ToolRate
from loremap.model.hook import Operation
from loremap.storage import tasks
from loremap.storage.tables import event_files, events

MAX_EDITS = 3_000
"""Of more changes the latest are looked at for files that change together."""
_DAY_MS = 86_400_000
_CHANGES = (Operation.EDIT.value, Operation.WRITE.value)
_COLUMNS = (
    *(event_files.c.at, event_files.c.path, event_files.c.operation, event_files.c.session_id),
    *(event_files.c.line_start, event_files.c.line_end, event_files.c.changed),
    *(events.c.client, events.c.tool, events.c.success, events.c.why, events.c.task_id),
)


def with_file(
    conn: Connection, project_id: str | None, path: str, *, limit: int
) -> list[Interaction]:
    """What was done last with a file, or with the files of a folder, the latest first."""
    exact = _latest(project_id, event_files.c.path == path)
    found = _found(conn, exact.limit(limit))
    if found:
        return found
    below = event_files.c.path.startswith(f"{path.rstrip('/')}/", autoescape=True)
    return _found(conn, _latest(project_id, below).limit(limit))


def with_word(
    conn: Connection, project_id: str | None, word: str, *, limit: int
) -> list[Interaction]:
    """What was done last with files whose path holds a word, in any case, the latest first."""
    holds = func.lower(event_files.c.path).contains(word.lower(), autoescape=True)
    return _found(conn, _latest(project_id, holds).limit(limit))


def of_session(conn: Connection, session_id: str, *, limit: int) -> list[Interaction]:
    """The files a session worked with, the latest first."""
    query = _interactions(event_files.c.session_id == session_id)
    return _found(conn, query.order_by(event_files.c.event_seq.desc()).limit(limit))


def edits(conn: Connection, project_id: str | None, *, limit: int = MAX_EDITS) -> list[Edit]:
    """The latest changes of files that did not fail, oldest first."""
    group = func.coalesce(events.c.task_id, events.c.session_id)
    query = (
        select(group, event_files.c.path, event_files.c.at)
        .join(events, _same_event())
        .where(
            event_files.c.project_id.is_not_distinct_from(project_id),
            event_files.c.operation.in_(_CHANGES),
            events.c.success.is_not(False),
        )
        .order_by(event_files.c.at.desc(), event_files.c.event_seq.desc())
        .limit(limit)
    )
    rows = conn.execute(query).all()
    return [Edit(group, path, at) for group, path, at in reversed(rows)]


def tool_rates(conn: Connection, project_id: str | None, *, since: datetime) -> list[ToolRate]:
    """How each tool has fared since then, the most used first."""
    total = func.count()
    query = (
        select(
            events.c.tool,
            total,
            func.sum(case((events.c.success.is_(True), 1), else_=0)),
            func.sum(case((events.c.success.is_(False), 1), else_=0)),
            func.avg(events.c.duration_ms),
        )
        .where(
            events.c.project_id.is_not_distinct_from(project_id),
            events.c.at >= to_ms(since),
            events.c.tool != "",
        )
        .group_by(events.c.tool)
        .order_by(total.desc(), events.c.tool)
    )
    return [
        ToolRate(tool, int(all_), int(well), int(ill), None if mean is None else float(mean))
        for tool, all_, well, ill, mean in conn.execute(query)
    ]


def per_day(conn: Connection, project_id: str | None, *, since: datetime) -> list[tuple[date, int]]:
    """How many tool calls each day had since then, in UTC; days without any are left out."""
    day = events.c.at // _DAY_MS
    query = (
        select(day, func.count())
        .where(
            events.c.project_id.is_not_distinct_from(project_id),
            events.c.at >= to_ms(since),
            events.c.tool != "",
        )
        .group_by(day)
        .order_by(day)
    )
    return [(from_ms(int(one) * _DAY_MS).date(), count) for one, count in conn.execute(query)]


def most_changed(
    conn: Connection, project_id: str | None, *, since: datetime, limit: int
) -> list[tuple[str, int]]:
    """The files changed most often since then."""
    times = func.count()
    query = (
        select(event_files.c.path, times)
        .where(
            event_files.c.project_id.is_not_distinct_from(project_id),
            event_files.c.at >= to_ms(since),
            event_files.c.operation.in_(_CHANGES),
        )
        .group_by(event_files.c.path)
        .order_by(times.desc(), event_files.c.path)
        .limit(limit)
    )
    return [(path, count) for path, count in conn.execute(query)]


def commands(
    conn: Connection, session_id: str, *, limit: int
) -> list[tuple[str, bool | None, datetime]]:
    """The latest calls of a session that ran a command, in order: its parameters, whether it
    worked, when."""
    query = select(events.c.parameters, events.c.success, events.c.at).where(
        events.c.session_id == session_id, events.c.parameters.contains('"command"')
    )
    rows = conn.execute(query.order_by(events.c.seq.desc()).limit(limit)).all()
    return [(given, success, from_ms(at)) for given, success, at in reversed(rows)]


def _same_event() -> ColumnElement[bool]:
    return and_(event_files.c.event_seq == events.c.seq)


def _interactions(where: ColumnElement[bool]) -> Select[tuple[object, ...]]:
    return select(*_COLUMNS).join(events, _same_event()).where(where)


def _latest(project_id: str | None, where: ColumnElement[bool]) -> Select[tuple[object, ...]]:
    here = event_files.c.project_id.is_not_distinct_from(project_id)
    newest = (event_files.c.at.desc(), event_files.c.event_seq.desc(), event_files.c.position)
    return _interactions(and_(here, where)).order_by(*newest)


def _found(conn: Connection, query: Select[tuple[object, ...]]) -> list[Interaction]:
    rows: Sequence[Row[tuple[object, ...]]] = conn.execute(query).all()
    ids = sorted({row.task_id for row in rows if row.task_id is not None})
    of = tasks.by_ids(conn, ids)
    return [
        Interaction(
            at=from_ms(row.at),
            path=row.path,
            operation=Operation(row.operation),
            session_id=row.session_id,
            client=row.client,
            tool=row.tool,
            lines=None if row.line_start is None else (row.line_start, row.line_end),
            success=row.success,
            changed=row.changed,
            why=row.why,
            task=of.get(row.task_id),
        )
        for row in rows
    ]

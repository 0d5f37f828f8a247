"""The rows of the episodic tables, read through the store whatever database holds it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, Table, select

from loremap.model.hook import Moment
from loremap.model.kind import Kind
from loremap.storage.tables import (
    context_snapshots,
    event_files,
    events,
    findings,
    pattern_sightings,
    patterns,
    sessions,
    tasks,
)

MAX_ROWS = 200_000
"""Of a table that is longer the latest rows are looked at."""
ERRORS = frozenset(
    {
        *(Kind.ERROR_PATTERN, Kind.GOTCHA, Kind.DEAD_END, Kind.WARNING, Kind.CORRECTION),
        *(Kind.ENVIRONMENT_QUIRK, Kind.PR_GOTCHA),
    }
)
OF_FILES = frozenset(
    {
        *(Kind.FACT, Kind.DISCOVERY, Kind.CODEBASE_DISCOVERY, Kind.CODEBASE_MAP),
        *(Kind.ARCHITECTURE, Kind.FILE_CHANGE, Kind.DEPENDENCY_RELATION),
    }
)
_PATTERN_ERRORS = frozenset({"error-fix", "failed-edit", "backtrack"})


@dataclass(frozen=True, slots=True)
class Episodic:
    """A table: its columns with their types, and what reads its rows."""

    name: str
    columns: Mapping[str, str]
    rows: Callable[[Connection, str | None, bool], Iterable[tuple[Any, ...]]]


def _here(table: Table, project_id: str | None, *, everywhere: bool) -> list[ColumnElement[bool]]:
    return [] if everywhere else [table.c.project_id.is_not_distinct_from(project_id)]


def _executions(
    conn: Connection, project_id: str | None, everywhere: bool
) -> Iterator[tuple[Any, ...]]:
    table = events
    columns = (
        *(table.c.seq, table.c.at, table.c.session_id, table.c.task_id, table.c.tool),
        *(table.c.parameters, table.c.result, table.c.success, table.c.error),
        *(table.c.duration_ms, table.c.context_tokens, table.c.client, table.c.project_id),
    )
    query = (
        select(*columns)
        .where(
            *_here(table, project_id, everywhere=everywhere),
            table.c.moment == Moment.AFTER_TOOL.value,
            table.c.tool != "",
        )
        .order_by(table.c.seq.desc())
        .limit(MAX_ROWS)
    )
    for row in _oldest_first(conn.execute(query).all()):
        yield tuple(row)


def _interactions(
    conn: Connection, project_id: str | None, everywhere: bool
) -> Iterator[tuple[Any, ...]]:
    table = event_files
    columns = (
        *(table.c.event_seq, table.c.position, table.c.at, table.c.session_id, events.c.task_id),
        *(table.c.path, table.c.operation, table.c.line_start, table.c.line_end),
        *(events.c.success, events.c.why, table.c.changed, events.c.client, table.c.project_id),
    )
    query = (
        select(*columns)
        .join(events, events.c.seq == table.c.event_seq)
        .where(*_here(table, project_id, everywhere=everywhere))
        .order_by(table.c.event_seq.desc(), table.c.position.desc())
        .limit(MAX_ROWS)
    )
    for number, row in enumerate(_oldest_first(conn.execute(query).all()), 1):
        lines = None if row[7] is None else json.dumps({"start": row[7], "end": row[8]})
        yield (number, *row[2:7], lines, *row[9:])


def _tasks(conn: Connection, project_id: str | None, everywhere: bool) -> Iterator[tuple[Any, ...]]:
    table = tasks
    columns = (
        *(table.c.id, table.c.session_id, table.c.description, table.c.intent, table.c.status),
        *(table.c.started_at, table.c.completed_at, table.c.files_touched, table.c.tools_used),
        *(table.c.outcome, table.c.branch, table.c.set_by, table.c.project_id),
    )
    query = select(*columns).where(*_here(table, project_id, everywhere=everywhere))
    newest = query.order_by(table.c.started_at.desc(), table.c.id).limit(MAX_ROWS)
    for number, row in enumerate(_oldest_first(conn.execute(newest).all()), 1):
        yield (number, *row)


def _snapshots(
    conn: Connection, project_id: str | None, everywhere: bool
) -> Iterator[tuple[Any, ...]]:
    table = context_snapshots
    columns = (
        *(table.c.event_seq, table.c.at, table.c.session_id, table.c.task_id),
        *(table.c.context_items, table.c.total_tokens, table.c.pruned_items, table.c.reason),
    )
    query = (
        select(*columns)
        .join(events, events.c.seq == table.c.event_seq)
        .where(*_here(events, project_id, everywhere=everywhere))
        .order_by(table.c.event_seq.desc())
        .limit(MAX_ROWS)
    )
    for number, row in enumerate(_oldest_first(conn.execute(query).all()), 1):
        yield (number, *row[1:])


def _patterns(
    conn: Connection, project_id: str | None, everywhere: bool
) -> Iterator[tuple[Any, ...]]:
    for number, row in enumerate(_pattern_rows(conn, project_id, everywhere), 1):
        yield (number, *row[1:])


def _pattern_rows(conn: Connection, project_id: str | None, everywhere: bool) -> Any:
    names = (
        *("id", "pattern_type", "pattern_data", "confidence", "observed_count"),
        *("first_seen", "last_seen"),
    )
    query = select(*(patterns.c[name] for name in names)).where(
        *_here(patterns, project_id, everywhere=everywhere), patterns.c.forgotten_at.is_(None)
    )
    return conn.execute(query.order_by(patterns.c.first_seen, patterns.c.id).limit(MAX_ROWS)).all()


def _learnings(
    conn: Connection, project_id: str | None, everywhere: bool
) -> Iterator[tuple[Any, ...]]:
    table = findings
    columns = (
        *(table.c.session_id, table.c.kind, table.c.content, table.c.file_paths, table.c.tags),
        *(table.c.confidence, table.c.promoted_memory_id),
    )
    query = (
        select(*columns)
        .join(sessions, sessions.c.id == table.c.session_id)
        .where(*_here(sessions, project_id, everywhere=everywhere))
        .order_by(table.c.created_at.desc(), table.c.id)
        .limit(MAX_ROWS)
    )
    number = 0
    for number, row in enumerate(_oldest_first(conn.execute(query).all()), 1):
        data = {
            "kind": row[1],
            "content": row[2],
            "files": json.loads(row[3]),
            "tags": json.loads(row[4]),
            "memory": row[6],
        }
        yield (number, row[0], learning_type(row[1], data["files"]), _json(data), row[5])
    for more, row in enumerate(_shown(conn, project_id, everywhere), number + 1):
        data = {"pattern": row[1], **json.loads(row[2])}
        yield (more, row[0], pattern_learning_type(row[1], data), _json(data), row[3])


def _shown(conn: Connection, project_id: str | None, everywhere: bool) -> Any:
    """What each session shows of patterns, the oldest first."""
    query = (
        select(
            pattern_sightings.c.session_id,
            patterns.c.pattern_type,
            pattern_sightings.c.data,
            patterns.c.confidence,
        )
        .join(patterns, patterns.c.id == pattern_sightings.c.pattern_id)
        .where(
            *_here(patterns, project_id, everywhere=everywhere),
            patterns.c.forgotten_at.is_(None),
            pattern_sightings.c.supports > 0,
        )
        .order_by(pattern_sightings.c.last_at.desc(), patterns.c.id)
        .limit(MAX_ROWS)
    )
    return _oldest_first(conn.execute(query).all())


def learning_type(kind: str, files: Sequence[str]) -> str:
    """What of three things a finding is: an error met, what a file is for, how work is done."""
    if kind in ERRORS:
        return "common_error"
    return "file_purpose" if files and kind in OF_FILES else "workflow"


def pattern_learning_type(pattern: str, data: Mapping[str, Any]) -> str:
    """The same of a pattern: in which file a thing was found tells what that file is for."""
    if pattern in _PATTERN_ERRORS:
        return "common_error"
    return "file_purpose" if data.get("found") else "workflow"


def _json(data: Mapping[str, Any]) -> str:
    return json.dumps(data, ensure_ascii=False)


def _oldest_first(rows: Any) -> Any:
    return reversed(rows)


_TEXT, _JSON, _TIME, _NUMBER, _BOOLEAN = "VARCHAR", "JSON", "TIMESTAMP", "BIGINT", "BOOLEAN"
EPISODIC = (
    Episodic(
        "tool_executions",
        {
            "id": _NUMBER, "timestamp": _TIME, "session_id": _TEXT, "task_id": _TEXT,
            "tool_name": _TEXT, "parameters": _JSON, "result": _TEXT, "success": _BOOLEAN,
            "error_message": _TEXT, "duration_ms": _NUMBER, "context_tokens": _NUMBER,
            "client": _TEXT, "project_id": _TEXT,
        },
        _executions,
    ),
    Episodic(
        "file_interactions",
        {
            "id": _NUMBER, "timestamp": _TIME, "session_id": _TEXT, "task_id": _TEXT,
            "file_path": _TEXT, "operation": _TEXT, "line_range": _JSON, "success": _BOOLEAN,
            "context": _TEXT, "changes_summary": _TEXT, "client": _TEXT, "project_id": _TEXT,
        },
        _interactions,
    ),
    Episodic(
        "task_history",
        {
            "id": _NUMBER, "task_id": _TEXT, "session_id": _TEXT, "description": _TEXT,
            "intent": _TEXT, "status": _TEXT, "started_at": _TIME, "completed_at": _TIME,
            "files_touched": _JSON, "tools_used": _JSON, "outcome": _TEXT, "branch": _TEXT,
            "set_by": _TEXT, "project_id": _TEXT,
        },
        _tasks,
    ),
    Episodic(
        "context_snapshots",
        {
            "id": _NUMBER, "timestamp": _TIME, "session_id": _TEXT, "task_id": _TEXT,
            "context_items": _JSON, "total_tokens": _NUMBER, "pruned_items": _JSON,
            "reason": _TEXT,
        },
        _snapshots,
    ),
    Episodic(
        "learned_patterns",
        {
            "id": _NUMBER, "pattern_type": _TEXT, "pattern_data": _JSON, "confidence": "DOUBLE",
            "observed_count": _NUMBER, "first_seen": _TIME, "last_seen": _TIME,
        },
        _patterns,
    ),
    Episodic(
        "session_learnings",
        {
            "id": _NUMBER, "session_id": _TEXT, "learning_type": _TEXT, "data": _JSON,
            "confidence": "DOUBLE",
        },
        _learnings,
    ),
)  # fmt: skip
"""The tables, under the names of seed-001's schema; times are UTC."""

"""Rows of patterns: which there are, what becomes of them, what of them is erased."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    and_,
    bindparam,
    delete,
    func,
    or_,
    select,
    update,
)

from loremap.model.clock import from_ms, to_ms
from loremap.model.pattern import KEPT, ONCE_KEPT, Pattern, PatternType
from loremap.storage.sql import contains
from loremap.storage.tables import pattern_files, pattern_sightings, patterns

_TOLD = patterns.c.forgotten_at.is_(None) & (patterns.c.session_count > 0)


def of_project(
    conn: Connection,
    project_id: str,
    *,
    type_: PatternType | None = None,
    file: str | None = None,
    limit: int = 100,
) -> list[Pattern]:
    """The patterns of a project, the most seen first."""
    query = select(patterns).where(patterns.c.project_id == project_id, _TOLD)
    if type_ is not None:
        query = query.where(patterns.c.pattern_type == type_.value)
    if file is not None:
        query = query.where(patterns.c.id.in_(_with_file(file)))
    most_seen = (patterns.c.session_count.desc(), patterns.c.observed_count.desc())
    return _found(conn, query.order_by(*most_seen, patterns.c.last_seen.desc()).limit(limit))


def together(
    conn: Connection, project_id: str, path: str, *, least: int = 3
) -> list[tuple[str, Pattern]]:
    """The files that were changed together with one at least so often, the surest first, each with
    what is known of the two."""
    mine = with_file(conn, project_id, PatternType.CO_EDIT, path, least=least)
    found = [(one, one.data["files"]) for one in mine]
    return [(next(file for file in pair if file != path), one) for one, pair in found]


def with_file(
    conn: Connection, project_id: str, type_: PatternType, path: str, *, least: int
) -> list[Pattern]:
    """The patterns of a type that a file is in, seen at least so often, the surest first."""
    asked = {"type": type_.value, "path": path, "least": least}
    rows = conn.execute(_WITH_FILE, asked).mappings()
    return [pattern_of(dict(row)) for row in rows if row["project_id"] == project_id]


def _with_file(path: str | Any) -> Select[tuple[str]]:
    return select(pattern_files.c.pattern_id).where(pattern_files.c.path == path)


_WITH_FILE = (
    select(patterns)
    .where(
        patterns.c.id.in_(
            _with_file(bindparam("path")).where(pattern_files.c.pattern_type == bindparam("type"))
        ),
        patterns.c.observed_count >= bindparam("least"),
        _TOLD,
    )
    .order_by(patterns.c.confidence.desc(), patterns.c.last_seen.desc())
)
_ONE = select(patterns).where(
    patterns.c.project_id == bindparam("project"),
    patterns.c.pattern_type == bindparam("type"),
    patterns.c.key == bindparam("key"),
    _TOLD,
)
"""Both are put together once, because an agent waits for the answer; the first names no project,
so that the database looks at the few patterns of a file and not at all of a project."""


def find(conn: Connection, project_id: str, type_: PatternType, key: str) -> Pattern | None:
    """The pattern of that type and key."""
    asked = {"project": project_id, "type": type_.value, "key": key}
    return next(iter(_found(conn, _ONE, asked)), None)


def ending_with(conn: Connection, project_id: str, reference: str) -> list[Pattern]:
    """The patterns of a project whose id ends so."""
    ends = patterns.c.id.endswith(reference.lower(), autoescape=True)
    return _found(conn, select(patterns).where(patterns.c.project_id == project_id, _TOLD, ends))


# What becomes of them


def forget(conn: Connection, ids: Collection[str], now: datetime) -> None:
    """Erase what patterns hold; only their keys stay, so that they are not learned again."""
    for table in (pattern_sightings, pattern_files):
        conn.execute(delete(table).where(table.c.pattern_id.in_(ids)))
    empty = {
        "pattern_data": "{}", "confidence": 0.0, "observed_count": 0, "against_count": 0,
        "session_count": 0, "clients": "[]", "memory_id": None, "forgotten_at": to_ms(now),
    }  # fmt: skip
    conn.execute(update(patterns).where(patterns.c.id.in_(ids)).values(**empty))


def erase_saying(conn: Connection, texts: Iterable[str]) -> None:
    """Forget the patterns that hold one of `texts`, in whatever session it was seen."""
    for text in filter(None, (text.strip() for text in texts)):
        in_json = json.dumps(text, ensure_ascii=False)[1:-1]
        said = or_(
            contains(pattern_sightings.c.data, in_json),
            contains(pattern_sightings.c.file_paths, in_json),
        )
        ids = list(conn.execute(select(pattern_sightings.c.pattern_id).where(said)).scalars())
        if ids:
            forget(conn, ids, _last_seen(conn, ids))


def erase_of(conn: Connection, memory_ids: Sequence[str]) -> None:
    """Forget the patterns that became one of these memories."""
    query = select(patterns.c.id).where(patterns.c.memory_id.in_(memory_ids))
    ids = list(conn.execute(query).scalars())
    if ids:
        forget(conn, ids, _last_seen(conn, ids))


def _last_seen(conn: Connection, ids: Collection[str]) -> datetime:
    query = select(func.max(patterns.c.last_seen)).where(patterns.c.id.in_(ids))
    return from_ms(int(conn.execute(query).scalar_one()))


def prune(conn: Connection, *, now: datetime) -> int:
    """Remove the patterns that were not seen for long; how many those were."""
    once = and_(patterns.c.session_count <= 1, patterns.c.last_seen < to_ms(now - ONCE_KEPT))
    old: ColumnElement[bool] = or_(once, patterns.c.last_seen < to_ms(now - KEPT))
    return conn.execute(delete(patterns).where(old, patterns.c.forgotten_at.is_(None))).rowcount


def _found(
    conn: Connection, query: Select[Any], asked: Mapping[str, object] | None = None
) -> list[Pattern]:
    return [pattern_of(dict(row)) for row in conn.execute(query, asked or {}).mappings()]


def pattern_of(held: Mapping[str, Any]) -> Pattern:
    """The pattern that a row holds."""
    return Pattern(
        id=held["id"],
        type=PatternType(held["pattern_type"]),
        key=held["key"],
        data=json.loads(held["pattern_data"]),
        confidence=held["confidence"],
        observed=held["observed_count"],
        against=held["against_count"],
        sessions=held["session_count"],
        clients=tuple(json.loads(held["clients"])),
        first_seen=from_ms(held["first_seen"]),
        last_seen=from_ms(held["last_seen"]),
        memory_id=held["memory_id"],
    )

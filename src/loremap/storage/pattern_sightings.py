"""Rows of what sessions show of patterns, each session once, and what all of them together say."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import (
    Connection,
    RowMapping,
    bindparam,
    delete,
    insert,
    select,
    update,
)

from loremap.model.clock import from_ms, new_id, to_ms
from loremap.model.pattern import Pattern, Shown, Sighting, confidence
from loremap.storage.dialect import dialect_of
from loremap.storage.patterns import pattern_of
from loremap.storage.tables import pattern_files, pattern_sightings, patterns

MAX_KNOWN = 20_000
"""Sightings that the reading of one session looks back on."""
AT_ONCE = 500
_Key = tuple[str, str]


def put(
    conn: Connection,
    project_id: str,
    session_id: str,
    found: Sequence[Sighting],
    *,
    client: str,
    now: datetime,
) -> None:
    """Keep what a session shows, in place of what it showed when it was read before. What only
    speaks against a pattern makes none."""
    before = _seen_before(conn, project_id, session_id)
    ids = _known_or_made(conn, project_id, found, now)
    conn.execute(
        delete(pattern_sightings).where(
            pattern_sightings.c.session_id == session_id,
            pattern_sightings.c.pattern_id.in_(before),
        )
    )
    rows = [
        _sighting_row(one, ids[at], session_id, client, now)
        | {"remembered": before.get(ids[at], False)}
        for one in found
        if (at := (one.type.value, one.key)) in ids
    ]
    if rows:
        conn.execute(insert(pattern_sightings), rows)
    _count(conn, {*before, *ids.values()})


def _seen_before(conn: Connection, project_id: str, session_id: str) -> dict[str, bool]:
    """The patterns that a session showed, and whether it told them to a memory."""
    query = (
        select(pattern_sightings.c.pattern_id, pattern_sightings.c.remembered)
        .join(patterns, patterns.c.id == pattern_sightings.c.pattern_id)
        .where(patterns.c.project_id == project_id, pattern_sightings.c.session_id == session_id)
    )
    return {row.pattern_id: row.remembered for row in conn.execute(query)}


def _known_or_made(
    conn: Connection, project_id: str, found: Sequence[Sighting], now: datetime
) -> dict[_Key, str]:
    """The ids of the patterns that were seen, without those that are forgotten."""
    keys = [one.key for one in found]
    fresh = [_row(one, project_id, now) for one in found if one.supports]
    if fresh:
        dialect_of(conn).insert_missing(conn, patterns, fresh)
    ids: dict[_Key, str] = {}
    for start in range(0, len(keys), AT_ONCE):
        query = select(patterns.c.pattern_type, patterns.c.key, patterns.c.id).where(
            patterns.c.project_id == project_id,
            patterns.c.key.in_(keys[start : start + AT_ONCE]),
            patterns.c.forgotten_at.is_(None),
        )
        ids |= {(row.pattern_type, row.key): row.id for row in conn.execute(query)}
    return ids


def _row(one: Sighting, project_id: str, now: datetime) -> dict[str, object]:
    return {
        "id": new_id(),
        "project_id": project_id,
        "pattern_type": one.type.value,
        "key": one.key,
        "pattern_data": "{}",
        "confidence": 0.0,
        "observed_count": 0,
        "session_count": 0,
        "first_seen": to_ms(one.first or now),
        "last_seen": to_ms(one.last or now),
    }


def _sighting_row(
    one: Sighting, pattern_id: str, session_id: str, client: str, now: datetime
) -> dict[str, object]:
    return {
        "pattern_id": pattern_id,
        "session_id": session_id,
        "client": client,
        "supports": one.supports,
        "against": one.against,
        "first_at": to_ms(one.first or now),
        "last_at": to_ms(one.last or now),
        "data": json.dumps(dict(one.data), ensure_ascii=False),
        "file_paths": json.dumps(one.files, ensure_ascii=False),
    }


def of_others(conn: Connection, project_id: str, session_id: str) -> list[Pattern]:
    """The patterns of a project as all sessions but one show them."""
    query = (
        select(pattern_sightings)
        .join(patterns, patterns.c.id == pattern_sightings.c.pattern_id)
        .where(
            patterns.c.project_id == project_id,
            patterns.c.forgotten_at.is_(None),
            pattern_sightings.c.session_id != session_id,
        )
        .order_by(pattern_sightings.c.last_at.desc())
        .limit(MAX_KNOWN)
    )
    seen = _by_pattern(list(conn.execute(query).mappings())[::-1])
    rows = conn.execute(select(patterns).where(patterns.c.project_id == project_id)).mappings()
    return [
        pattern_of({**row, **summed(seen[row["id"]])})
        for row in rows
        if any(one["supports"] for one in seen.get(row["id"], ()))
    ]


def of_pattern(conn: Connection, pattern_id: str) -> list[Shown]:
    """What each session shows of a pattern, the oldest first."""
    query = select(pattern_sightings).where(pattern_sightings.c.pattern_id == pattern_id)
    ordered = query.order_by(pattern_sightings.c.last_at, pattern_sightings.c.session_id)
    return [
        Shown(
            session_id=row["session_id"],
            client=row["client"],
            supports=row["supports"],
            against=row["against"],
            last=from_ms(row["last_at"]),
            data=json.loads(row["data"]),
            remembered=row["remembered"],
        )
        for row in conn.execute(ordered).mappings()
    ]


def note_remembered(
    conn: Connection, pattern_id: str, session_id: str, memory_id: str | None
) -> None:
    """Note that a session told a pattern to the memory that it became, or would have become."""
    mine = pattern_sightings.c.pattern_id == pattern_id
    told = update(pattern_sightings).where(mine, pattern_sightings.c.session_id == session_id)
    conn.execute(told.values(remembered=True))
    if memory_id is not None:
        one = update(patterns).where(patterns.c.id == pattern_id)
        conn.execute(one.values(memory_id=memory_id))


# What all sessions together say


def _count(conn: Connection, ids: Collection[str]) -> None:
    """Count anew what is known of these patterns; one that nothing shows any more goes."""
    wanted = sorted(ids)
    for start in range(0, len(wanted), AT_ONCE):
        part = wanted[start : start + AT_ONCE]
        query = select(pattern_sightings).where(pattern_sightings.c.pattern_id.in_(part))
        seen = _by_pattern(conn.execute(query.order_by(pattern_sightings.c.last_at)).mappings())
        shown = {id_: rows for id_, rows in seen.items() if any(row["supports"] for row in rows)}
        gone = patterns.c.id.in_(set(part) - set(shown))
        conn.execute(delete(patterns).where(gone, patterns.c.forgotten_at.is_(None)))
        if shown:
            sums = {id_: summed(rows) for id_, rows in shown.items()}
            changed = [
                {"of_id": id_, **{f"to_{name}": value for name, value in sum_.items()}}
                for id_, sum_ in sums.items()
            ]
            conn.execute(_RECOUNT, changed)
            conn.execute(delete(pattern_files).where(pattern_files.c.pattern_id.in_(shown)))
        _write_files(conn, shown)


def _write_files(conn: Connection, shown: Mapping[str, Sequence[RowMapping]]) -> None:
    types = select(patterns.c.id, patterns.c.pattern_type).where(patterns.c.id.in_(shown))
    rows = [
        {"pattern_id": row.id, "pattern_type": row.pattern_type, "path": path}
        for row in conn.execute(types)
        for path in json.loads(_latest(shown[row.id])["file_paths"])
    ]
    if rows:
        conn.execute(insert(pattern_files), rows)


_SUMMED = (
    "pattern_data", "confidence", "observed_count", "against_count", "session_count", "clients",
    "first_seen", "last_seen",
)  # fmt: skip
_RECOUNT = (
    update(patterns)
    .where(patterns.c.id == bindparam("of_id"))
    .values({name: bindparam(f"to_{name}") for name in _SUMMED})
)


def _by_pattern(rows: Iterable[RowMapping]) -> dict[str, list[RowMapping]]:
    found: dict[str, list[RowMapping]] = defaultdict(list)
    for row in rows:
        found[row["pattern_id"]].append(row)
    return found


def _latest(rows: Sequence[RowMapping]) -> RowMapping:
    return [row for row in rows if row["supports"]][-1]


def summed(rows: Sequence[RowMapping]) -> dict[str, Any]:
    """What some sightings of one pattern say together, as its row holds it."""
    showing = [row for row in rows if row["supports"]]
    return {
        "pattern_data": _latest(rows)["data"],
        "confidence": confidence((row["supports"], row["against"]) for row in rows),
        "observed_count": sum(row["supports"] for row in rows),
        "against_count": sum(row["against"] for row in rows),
        "session_count": len(showing),
        "clients": json.dumps(sorted({row["client"] for row in showing} - {""})),
        "first_seen": min(row["first_at"] for row in showing),
        "last_seen": max(row["last_at"] for row in showing),
    }

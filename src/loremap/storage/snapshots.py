"""Rows of context snapshots: ids, tokens and scores, never what was said."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, select

from loremap.model.clock import from_ms, new_id, to_ms
from loremap.model.hook import Moment
from loremap.model.snapshot import ContextItem, Snapshot, SnapshotReason
from loremap.storage.dialect import dialect_of
from loremap.storage.tables import context_snapshots, events


@dataclass(frozen=True, slots=True)
class Point:
    """An event, as far as what lay in the context goes."""

    seq: int
    at: datetime
    moment: Moment
    task_id: str | None
    context_tokens: int | None


def points(conn: Connection, session_id: str) -> list[Point]:
    """The events of a session, in the order of their times."""
    columns = (events.c.seq, events.c.at, events.c.moment, events.c.task_id)
    query = select(*columns, events.c.context_tokens).where(events.c.session_id == session_id)
    return [
        Point(seq, from_ms(at), Moment(moment), task_id, tokens)
        for seq, at, moment, task_id, tokens in conn.execute(
            query.order_by(events.c.at, events.c.seq)
        )
    ]


def put(conn: Connection, found: Iterable[Snapshot]) -> None:
    """Keep snapshots; one that is there already stays as it was taken."""
    rows = [_row(one) for one in found]
    if rows:
        dialect_of(conn).insert_missing(conn, context_snapshots, rows)


def of_session(conn: Connection, session_id: str) -> list[Snapshot]:
    """The snapshots of a session, in order."""
    query = select(context_snapshots).where(context_snapshots.c.session_id == session_id)
    return [
        Snapshot(
            event_seq=row["event_seq"],
            at=from_ms(row["at"]),
            session_id=row["session_id"],
            task_id=row["task_id"],
            items=_items(row["context_items"]),
            total_tokens=row["total_tokens"],
            pruned=_items(row["pruned_items"]),
            reason=SnapshotReason(row["reason"]),
        )
        for row in conn.execute(query.order_by(context_snapshots.c.event_seq)).mappings()
    ]


def _row(one: Snapshot) -> dict[str, object]:
    return {
        "id": new_id(),
        "event_seq": one.event_seq,
        "at": to_ms(one.at),
        "session_id": one.session_id,
        "task_id": one.task_id,
        "context_items": _json(one.items),
        "total_tokens": one.total_tokens,
        "pruned_items": _json(one.pruned),
        "reason": one.reason.value,
    }


def _json(items: Sequence[ContextItem]) -> str:
    fields = ("id", "type", "tokens", "relevance")
    return json.dumps([{name: getattr(one, name) for name in fields} for one in items])


def _items(told: str) -> tuple[ContextItem, ...]:
    return tuple(ContextItem(**one) for one in json.loads(told))

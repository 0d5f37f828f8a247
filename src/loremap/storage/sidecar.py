"""What the small model used: a day's sums, under ceilings that all processes share, and the calls
behind them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import Connection, case, delete, func, insert, select, update

from loremap.model.clock import optional_time, to_ms
from loremap.storage.dialect import dialect_of
from loremap.storage.tables import sidecar_calls, sidecar_days


@dataclass(frozen=True, slots=True)
class Amount:
    """Tokens and their price."""

    tokens: int = 0
    micro_dollars: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Ceiling:
    """The most that a day may take; 0 micro-dollars set no ceiling."""

    calls: int
    tokens: int
    micro_dollars: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One request and what came of it."""

    at: datetime
    task: str
    model: str
    tokens_in: int = 0
    tokens_out: int = 0
    micro_dollars: int = 0
    took_ms: int = 0
    project_id: str | None = None
    session_id: str | None = None
    fault: str = ""
    """What went wrong, in our words alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Day:
    """The sums of a day."""

    calls: int = 0
    tokens: int = 0
    micro_dollars: int = 0
    full_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OfSession:
    """What was asked for one session."""

    calls: int = 0
    tokens: int = 0
    micro_dollars: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Since:
    """What the calls since some time come to."""

    calls: int = 0
    failed: int = 0
    sessions: int = 0
    """How many sessions were learned from."""
    tokens_of_sessions: int = 0
    micro_dollars_of_sessions: int = 0


def reserve(
    conn: Connection, owner_id: str, now: datetime, wanted: Amount, ceiling: Ceiling
) -> bool:
    """Take one call and what it may need out of the day; False where that passes a ceiling. It is
    one statement, so that two processes never pass it together."""
    day = _day(now)
    row = {"owner_id": owner_id, "day": day}
    dialect_of(conn).insert_missing(conn, sidecar_days, [row])
    days = sidecar_days.c
    fits = [
        days.owner_id == owner_id,
        days.day == day,
        days.calls < ceiling.calls,
        days.tokens + wanted.tokens <= ceiling.tokens,
    ]
    if ceiling.micro_dollars:
        fits.append(days.micro_dollars + wanted.micro_dollars <= ceiling.micro_dollars)
    taken = update(sidecar_days).values(
        calls=days.calls + 1,
        tokens=days.tokens + wanted.tokens,
        micro_dollars=days.micro_dollars + wanted.micro_dollars,
    )
    return bool(conn.execute(taken.where(*fits)).rowcount)


def note_full(conn: Connection, owner_id: str, now: datetime) -> bool:
    """Note that a ceiling was met; True where nobody had noted it on that day."""
    days = sidecar_days.c
    first = update(sidecar_days).where(
        days.owner_id == owner_id, days.day == _day(now), days.full_at.is_(None)
    )
    return bool(conn.execute(first.values(full_at=to_ms(now))).rowcount)


def settle(
    conn: Connection, owner_id: str, reserved_at: datetime, reserved: Amount, call: Call
) -> None:
    """Write a call down, and in the day's sums put what it took in place of what was reserved."""
    days = sidecar_days.c
    more = call.tokens_in + call.tokens_out - reserved.tokens
    dearer = call.micro_dollars - reserved.micro_dollars
    conn.execute(
        update(sidecar_days)
        .where(days.owner_id == owner_id, days.day == _day(reserved_at))
        .values(tokens=days.tokens + more, micro_dollars=days.micro_dollars + dearer)
    )
    conn.execute(
        insert(sidecar_calls).values(
            owner_id=owner_id,
            at=to_ms(call.at),
            task=call.task,
            model=call.model,
            project_id=call.project_id,
            session_id=call.session_id,
            tokens_in=call.tokens_in,
            tokens_out=call.tokens_out,
            micro_dollars=call.micro_dollars,
            took_ms=call.took_ms,
            fault=call.fault,
        )
    )


def day(conn: Connection, owner_id: str, now: datetime) -> Day:
    """The sums of the day at `now`."""
    days = sidecar_days.c
    query = select(sidecar_days).where(days.owner_id == owner_id, days.day == _day(now))
    row = conn.execute(query).mappings().first()
    if row is None:
        return Day()
    return Day(
        calls=row["calls"],
        tokens=row["tokens"],
        micro_dollars=row["micro_dollars"],
        full_at=optional_time(row["full_at"]),
    )


def since(conn: Connection, owner_id: str, at: datetime) -> Since:
    """What the calls since then come to."""
    calls = sidecar_calls.c
    of_session = case((calls.session_id.is_not(None), 1), else_=0)
    query = select(
        func.count().label("calls"),
        func.coalesce(func.sum(case((calls.fault != "", 1), else_=0)), 0).label("failed"),
        func.count(calls.session_id.distinct()).label("sessions"),
        func.coalesce(func.sum((calls.tokens_in + calls.tokens_out) * of_session), 0).label(
            "tokens"
        ),
        func.coalesce(func.sum(calls.micro_dollars * of_session), 0).label("cost"),
    ).where(calls.owner_id == owner_id, calls.at >= to_ms(at))
    row = conn.execute(query).mappings().one()
    return Since(
        calls=row["calls"],
        failed=int(row["failed"]),
        sessions=row["sessions"],
        tokens_of_sessions=int(row["tokens"]),
        micro_dollars_of_sessions=int(row["cost"]),
    )


def of_session(conn: Connection, session_id: str) -> OfSession:
    """What was asked for one session, as long as its calls are kept."""
    calls = sidecar_calls.c
    query = select(
        func.count().label("calls"),
        func.coalesce(func.sum(calls.tokens_in + calls.tokens_out), 0).label("tokens"),
        func.coalesce(func.sum(calls.micro_dollars), 0).label("cost"),
    ).where(calls.session_id == session_id)
    row = conn.execute(query).mappings().one()
    return OfSession(calls=row["calls"], tokens=int(row["tokens"]), micro_dollars=int(row["cost"]))


def last_fault(conn: Connection, owner_id: str) -> Call | None:
    """The newest call that failed."""
    calls = sidecar_calls.c
    query = select(sidecar_calls).where(calls.owner_id == owner_id, calls.fault != "")
    row = conn.execute(query.order_by(calls.seq.desc()).limit(1)).mappings().first()
    if row is None:
        return None
    at = optional_time(row["at"])
    assert at is not None
    return Call(at=at, task=row["task"], model=row["model"], fault=row["fault"])


def prune(conn: Connection, *, before: datetime) -> None:
    """Remove what is older."""
    conn.execute(delete(sidecar_calls).where(sidecar_calls.c.at < to_ms(before)))
    conn.execute(delete(sidecar_days).where(sidecar_days.c.day < _day(before)))


def _day(at: datetime) -> str:
    return at.astimezone(UTC).date().isoformat()

"""What tending asks of the store: which memories a person took back from it, who said what of many
at once, which sessions have ended; and who tends now."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import Connection, and_, func, or_, select

from loremap.model.clock import from_ms, to_ms
from loremap.model.memory import Origin, Provenance, Scope, Status
from loremap.storage.facts import drop_fact, fact, set_fact
from loremap.storage.tables import history, memories, provenance, sessions
from loremap.storage.transaction import Tx

BY_ITSELF, ASKED_TO = "tending", "tending on request"
"""Who tends, as the audit trail names it."""
TENDERS = (BY_ITSELF, ASKED_TO)
LEASE = timedelta(seconds=60)
"""How long a run that was killed keeps others from tending; one that works renews it."""
AT_ONCE = 5_000
_LEASE = "tended_by"


def taken_back(conn: Connection) -> frozenset[str]:
    """The memories that a person made what they were before they were tended, or brought back:
    they are left as they are."""
    undone = and_(history.c.actor.in_(TENDERS), history.c.undone.is_(True))
    query = select(history.c.memory_id).where(or_(undone, history.c.action == "restore"))
    return frozenset(conn.execute(query.distinct()).scalars())


def sources_of(conn: Connection, ids: Sequence[str]) -> dict[str, list[Provenance]]:
    """Who said what memories say, by id, oldest first; without the words."""
    found: dict[str, list[Provenance]] = {}
    columns = (
        provenance.c.memory_id,
        provenance.c.source,
        provenance.c.at,
        provenance.c.session_id,
        provenance.c.actor,
        provenance.c.agent,
    )
    for start in range(0, len(ids), AT_ONCE):
        query = select(*columns).where(provenance.c.memory_id.in_(ids[start : start + AT_ONCE]))
        for id_, source, at, session, actor, agent in conn.execute(
            query.order_by(provenance.c.position)
        ):
            one = Provenance(Origin(source), from_ms(at), session, actor=actor, agent=agent)
            found.setdefault(id_, []).append(one)
    return found


def of_ended_sessions(
    conn: Connection, project_id: str | None, *, ended_before: datetime, silent_since: datetime
) -> list[str]:
    """The active memories for one session only, whose session ended before, or was neither ended
    nor heard of since."""
    silent = to_ms(silent_since)
    over = or_(
        sessions.c.finalized_at < to_ms(ended_before),
        and_(
            sessions.c.finalized_at.is_(None),
            func.coalesce(sessions.c.last_at, sessions.c.created_at, memories.c.created_at)
            < silent,
        ),
    )
    query = (
        select(memories.c.id)
        .outerjoin(sessions, sessions.c.id == memories.c.session_id)
        .where(
            memories.c.scope == Scope.SESSION.value,
            memories.c.project_id == project_id,
            memories.c.status.in_((Status.CANDIDATE.value, Status.CONFIRMED.value)),
            memories.c.deleted_at.is_(None),
            over,
        )
        .order_by(memories.c.row)
    )
    return list(conn.execute(query).scalars())


def withdrawn(conn: Connection, project_id: str | None, *, before: datetime) -> list[str]:
    """The memories here and everywhere that were withdrawn or let go before, oldest first."""
    query = (
        select(memories.c.id)
        .where(
            or_(memories.c.project_id == project_id, memories.c.project_id.is_(None)),
            memories.c.status == Status.RETRACTED.value,
            func.coalesce(memories.c.valid_until, memories.c.updated_at) < to_ms(before),
        )
        .order_by(memories.c.row)
    )
    return list(conn.execute(query).scalars())


def claim(tx: Tx, run: str) -> bool:
    """Whether nobody else tends the store now; this run does from here on, or still does."""
    held, _, until = (fact(tx.conn, _LEASE) or "").partition(" ")
    if held not in ("", run) and to_ms(tx.now) < int(until):
        return False
    set_fact(tx.conn, _LEASE, f"{run} {to_ms(tx.now + LEASE)}")
    return True


def let_others(conn: Connection, run: str) -> None:
    """Say that a run is over."""
    held = fact(conn, _LEASE) or ""
    if held.startswith(f"{run} "):
        drop_fact(conn, _LEASE)

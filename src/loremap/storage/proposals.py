"""What a person is asked before it is done: memories that would be merged or let go, by their ids
and the reason, never by their words."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, insert, or_, select, update

from loremap.errors import NotFound
from loremap.model.clock import from_ms, new_id, optional_time, short_id, to_ms
from loremap.model.proposal import Proposal, ProposalKind, Proposed
from loremap.storage.row_history import kept
from loremap.storage.tables import proposals
from loremap.storage.transaction import Tx


def add(
    tx: Tx, kind: ProposalKind, items: Sequence[Proposed], *, project_id: str | None
) -> Proposal:
    """Write a proposal down; it waits until a person decides."""
    made = Proposal(new_id(), kind, tuple(items), tx.now)
    with kept(tx, proposals, proposals.c.id == made.id, project_id=project_id):
        tx.conn.execute(
            insert(proposals).values(
                id=made.id,
                tenant_id=tx.actor.tenant_id,
                owner_id=tx.actor.owner_id,
                project_id=project_id or "",
                kind=kind.value,
                items=json.dumps([[one.memory_id, one.why, one.into] for one in items]),
                created_at=to_ms(tx.now),
                version=tx.seq,
            )
        )
    return made


def of(conn: Connection, project_id: str | None, *, waiting: bool = True) -> list[Proposal]:
    """The proposals here and everywhere, oldest first; those only that wait, or all."""
    query = select(proposals).where(
        or_(proposals.c.project_id == (project_id or ""), proposals.c.project_id == "")
    )
    if waiting:
        query = query.where(proposals.c.decided_at.is_(None))
    return [_proposal(row) for row in conn.execute(query.order_by(proposals.c.created_at))]


def ending_with(conn: Connection, project_id: str | None, reference: str) -> Proposal:
    """The waiting proposal whose id ends so; raises where there is none, or more than one."""
    found = [one for one in of(conn, project_id) if one.id.endswith(reference.lower())]
    if len(found) != 1 or not reference:
        said = "There is no open proposal" if not found else f"{len(found)} proposals end with"
        raise NotFound(f"{said} {reference!r}.", hint="`lore proposals` lists them.")
    return found[0]


def decide(tx: Tx, proposal: Proposal, decision: str, *, project_id: str | None) -> None:
    """Note what a person said to a proposal; raises where another was quicker."""
    one = proposals.c.id == proposal.id
    with kept(tx, proposals, one, columns=("decided_at", "decision"), project_id=project_id):
        done = tx.conn.execute(
            update(proposals)
            .where(one, proposals.c.decided_at.is_(None))
            .values(decided_at=to_ms(tx.now), decision=decision, version=tx.seq)
        )
    if not done.rowcount:
        raise NotFound(
            f"Proposal {short_id(proposal.id)} was decided meanwhile; nothing was changed.",
            hint="`lore proposals` lists those that are open.",
        )


def _proposal(row: Row[Any]) -> Proposal:
    return Proposal(
        row.id,
        ProposalKind(row.kind),
        tuple(Proposed(*item) for item in json.loads(row.items)),
        from_ms(row.created_at),
        optional_time(row.decided_at),
        row.decision,
    )

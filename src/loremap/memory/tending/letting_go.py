"""The pass that lets go: of unused candidates whose time is over, of what was for one session that
has ended, and of the least important where a project holds too many. All of it can be restored."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

from loremap.memory.step import Moving, Step, moving
from loremap.memory.tending.believing import candidates
from loremap.memory.workspace import Workspace
from loremap.model.decay import effective_importance, expires_at, may_be_evicted
from loremap.model.life import EVICTED, EXPIRED, SESSION_ENDED
from loremap.model.memory import ACTIVE, Memory, Scope, Status
from loremap.model.proposal import HANDFUL, ProposalKind, Proposed
from loremap.storage import memories, projects, proposals, tending
from loremap.storage.memories import Filter
from loremap.storage.store import Connection
from loremap.storage.transaction import Tx, log

END, EXPIRE, EVICT, PROPOSE = "end", "expire", "evict", "propose"
REASON = {END: SESSION_ENDED, EXPIRE: EXPIRED, EVICT: EVICTED}
SESSION_GRACE = timedelta(days=1)
"""A session that ended may be resumed for so long."""
SESSION_SILENT = timedelta(days=7)
"""One that never ended, and of which nothing was heard for so long, is over too."""

Going = tuple[Memory, str, str]
"""A memory, what is done to it, and why."""


def letting_go(here: Workspace) -> Sequence[Step]:
    """What is let go of here and everywhere. When a project is tended for the first time, more than
    a handful is proposed to a person instead."""
    with here.store.read() as conn:
        going = _going(here, conn)
        first = here.project_id is not None and projects.tended(conn, here.project_id).at is None
    if first and len(going) > HANDFUL:
        items = [Proposed(memory.id, why) for memory, _, why in going]
        return [proposing(here, ProposalKind.LET_GO, items)]
    return [
        moving(memory, does, why, Moving(memory, _GONE[does], "evict", REASON[does]))
        for memory, does, why in going
    ]


def proposing(here: Workspace, kind: ProposalKind, items: Sequence[Proposed]) -> Step:
    """The step that asks a person."""

    def apply(tx: Tx) -> None:
        log(tx, "compact", project_id=here.project_id, detail=f"proposed {len(items)}")
        proposals.add(tx, kind, items, project_id=here.project_id)

    return Step(items[0].memory_id, PROPOSE, f"{kind.value} {len(items)} memories", apply)


def let_go(tx: Tx, memory: Memory, reason: str) -> Memory:
    """Withdraw a memory that nobody called wrong: it is kept, no longer speaks, and may be learned
    again."""
    after = gone(memory, tx.now, reason=reason)
    return memories.update_memory(tx, memory, after, action="evict", detail=reason)


def gone(memory: Memory, now: datetime, *, reason: str) -> Memory:
    """A memory as it is when it was let go."""
    return replace(memory, status=Status.RETRACTED, retracted_reason=reason, valid_until=now)


_GONE = {does: partial(gone, reason=reason) for does, reason in REASON.items()}


def _going(here: Workspace, conn: Connection) -> list[Going]:
    now = here.now()
    asked = {
        item.memory_id
        for proposal in proposals.of(conn, here.project_id, waiting=False)
        if proposal.kind is ProposalKind.LET_GO and proposal.decision != "accepted"
        for item in proposal.items
    }
    spared = tending.taken_back(conn) | asked
    ended = tending.of_ended_sessions(
        conn,
        here.project_id,
        ended_before=now - SESSION_GRACE,
        silent_since=now - SESSION_SILENT,
    )
    going: dict[str, Going] = {
        one.id: (one, END, SESSION_ENDED)
        for one in memories.by_ids(conn, [id_ for id_ in ended if id_ not in spared])
        if not one.pinned
    }
    held = _held(here, conn, without=len(going))
    for one in held:
        end = expires_at(one)
        if end is not None and end <= now and one.id not in spared:
            going.setdefault(one.id, (one, EXPIRE, f"unused since {one.created_at:%Y-%m-%d}"))
    for one in _too_many(here, held, now, without=going.keys(), spared=spared):
        going[one.id] = (one, EVICT, f"importance {effective_importance(one, now):.2f}")
    return list(going.values())


def _held(here: Workspace, conn: Connection, *, without: int) -> list[Memory]:
    """The candidates here and everywhere; where there may be too many, all that speaks."""
    wanted = Filter(tenant_id=here.actor.tenant_id, project_id=here.project_id, statuses=ACTIVE)
    limit = here.settings.whole("tend.evict_above")
    if here.project_id is None or memories.count(conn, wanted) - without <= limit:
        return candidates(here, conn)
    return memories.listing(conn, wanted, limit=memories.ALL)


def _too_many(
    here: Workspace,
    every: Sequence[Memory],
    now: datetime,
    *,
    without: Collection[str],
    spared: Collection[str],
) -> list[Memory]:
    """The least important of a project that holds more than it may, so many as it is too many."""
    limit = here.settings.whole("tend.evict_above")
    held = [one for one in every if one.scope is not Scope.GLOBAL and one.id not in without]
    if here.project_id is None or len(held) <= limit:
        return []
    most = min(limit, here.settings.whole("tend.evict_to"))
    may_go = [one for one in held if may_be_evicted(one, now) and one.id not in spared]
    may_go.sort(key=lambda one: (effective_importance(one, now), one.created_at, one.id))
    return may_go[: len(held) - most]

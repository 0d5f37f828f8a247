"""A person's word on what tending proposed: done as one act, or left as it is for good."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from loremap.memory.admission.merge import dropped_into
from loremap.memory.tending.letting_go import let_go
from loremap.memory.workspace import Workspace
from loremap.memory.writing import writing
from loremap.model.life import EXPIRED
from loremap.model.memory import Memory
from loremap.model.proposal import Proposal, Proposed
from loremap.storage import memories, proposals, relations
from loremap.storage.transaction import Tx, log

ACCEPTED, REJECTED = "accepted", "rejected"


def waiting(here: Workspace) -> Sequence[Proposal]:
    """The proposals that nobody decided yet, oldest first; without what is gone since."""
    with here.store.read() as conn:
        return proposals.of(conn, here.project_id)


def spoken_of(here: Workspace, found: Sequence[Proposal]) -> Mapping[str, Memory]:
    """The memories of proposals that still speak, by id."""
    ids = {id_ for one in found for item in one.items for id_ in (item.memory_id, item.into) if id_}
    with here.store.read() as conn:
        held = memories.by_ids(conn, sorted(ids))
    return {memory.id: memory for memory in held if memory.active}


def decided(here: Workspace, reference: str, *, accept: bool) -> tuple[Proposal, int]:
    """A proposal that a person decided, and how many memories that changed."""
    with writing(here) as tx:
        proposal = proposals.ending_with(tx.conn, here.project_id, reference)
        decision = ACCEPTED if accept else REJECTED
        log(tx, "compact", project_id=here.project_id, detail=f"{decision} {proposal.kind.value}")
        proposals.decide(tx, proposal, decision, project_id=here.project_id)
        done = sum(_done(tx, item) for item in proposal.items) if accept else 0
    return proposal, done


def _done(tx: Tx, item: Proposed) -> bool:
    """Do what was proposed for one memory; False where it, or its goal, speaks no longer, or where
    somebody took it on meanwhile."""
    held = {one.id: one for one in memories.by_ids(tx.conn, [item.memory_id, item.into or ""])}
    memory = held.get(item.memory_id)
    if memory is None or not memory.active or memory.pinned:
        return False
    if item.into is None:
        let_go(tx, memory, EXPIRED)
        return True
    goal = held.get(item.into)
    if goal is None or not goal.active:
        return False
    relations.close_between(tx, memory.id, goal.id, "both")
    dropped_into(tx, memory, goal)
    return True

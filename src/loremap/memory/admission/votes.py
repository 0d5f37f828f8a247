"""What a vote does to a memory, and who has one: everybody once a session, but no agent in favour
of what it wrote itself."""

from __future__ import annotations

from dataclasses import replace

from loremap.model.memory import Memory
from loremap.model.signal import Sign, Signal, Voice
from loremap.storage import memories, signals
from loremap.storage.transaction import Tx

SURER, LESS_SURE = 0.05, 0.1
"""How much a vote for a memory adds to its confidence, and one against it takes."""


def voted(tx: Tx, memory: Memory, vote: Signal) -> Memory:
    """`memory` after a vote; what the voter said of it before in the session no longer counts."""
    before = signals.vote_of(tx.conn, vote)
    if before is vote.sign:
        return memory
    if before is not None:
        signals.withdraw(tx, vote)
    signals.add(tx, [vote])
    sign = None if praises_itself(memory, vote) else vote.sign
    if before is None and sign is None:
        return memory
    after = replace(counted(memory, sign, before=before), last_accessed_at=tx.now)
    return memories.update_memory(tx, memory, after, action="update", detail=SAID[vote.sign])


SAID = {Sign.HELPFUL: "helpful", Sign.UNHELPFUL: "not helpful", Sign.WRONG: "voted wrong"}
"""What the audit trail says of a vote."""


def praises_itself(memory: Memory, vote: Signal) -> bool:
    """Whether an agent votes for what it wrote: that tells nothing."""
    by_machine = vote.voice is not Voice.PERSON
    return vote.sign is Sign.HELPFUL and by_machine and vote.actor == memory.created_by


def counted(memory: Memory, sign: Sign | None, *, before: Sign | None = None) -> Memory:
    """`memory` with a vote counted in place of the one `before`."""
    if before is not None:
        memory = _counted(memory, before, -1)
    return memory if sign is None else _counted(memory, sign, 1)


def _counted(memory: Memory, sign: Sign, by: int) -> Memory:
    helps = sign is Sign.HELPFUL
    moved = memory.confidence + by * (SURER if helps else -LESS_SURE)
    return replace(
        memory,
        helpful=max(0, memory.helpful + by * helps),
        unhelpful=max(0, memory.unhelpful + by * (not helps)),
        confidence=min(1.0, max(0.0, moved)),
    )

"""A clock that stands still until it is moved, memories as agents write them, and their use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from loremap.app import Lore
from loremap.memory.admission.limits import Limits
from loremap.model.kind import Kind
from loremap.model.memory import ACTIVE, Candidate, Memory, Origin, Status
from loremap.model.outcome import Refused
from loremap.model.signal import Sign, Signal, Voice
from loremap.storage import memories, signals
from loremap.storage.memories import Filter

UNLIMITED = Limits(per_session=1_000_000)
SUBJECTS = "billing parser gateway scheduler mailer indexer renderer importer ledger cache".split()
VERBS = "drops keeps retries splits merges signs batches encodes rejects buffers".split()
OBJECTS = "orders invoices tokens sessions uploads reports webhooks queries images jobs".split()
REASONS = "midnight outages proxies timezones retries audits backups quotas locales shards".split()


@dataclass
class Clock:
    """The time, which a test moves."""

    at: datetime = datetime(2026, 1, 5, 9, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.at

    def go_on(self, **by: float) -> None:
        """Let time pass."""
        self.at += timedelta(**by)


def sentence(number: int) -> str:
    """One of many statements, no two of which are nearly the same."""
    one, two, three, four = (number // 10**place % 10 for place in range(4))
    return (
        f"The {SUBJECTS[one]} {VERBS[two]} {OBJECTS[three]} because of {REASONS[four]} "
        f"in release{number}"
    )


def learned(
    lore: Lore, text: str, *, session: str = "s1", agent: str = "claude", **rest: Any
) -> Memory:
    """What an agent wrote down in a session, as it was stored."""
    given: dict[str, Any] = {"kind": Kind.FACT, "origin": Origin.OBSERVED}
    outcome = lore.admit_all(
        [
            Candidate(
                content=text,
                created_by=f"agent:{agent}",
                session_id=session,
                agent=agent,
                **(given | rest),
            )
        ],
        limits=UNLIMITED,
    )[0]
    assert not isinstance(outcome, Refused), outcome
    return outcome.memory


def used(lore: Lore, *found: Memory, session: str, agent: str = "claude") -> None:
    """The work of a session referred to memories it had been given."""
    said = [
        Signal(
            memory_id=memory.id,
            sign=Sign.USED,
            voice=Voice.INFERRED,
            at=lore.now(),
            actor=f"agent:{agent}",
            session_id=session,
            agent=agent,
        )
        for memory in found
    ]
    with lore.store.write(now=lore.now(), actor=lore.actor) as tx:
        signals.add(tx, said)
        for memory in found:
            memories.touch(tx, [memory.id])


def known(lore: Lore, statuses: Sequence[Status] = ACTIVE) -> list[Memory]:
    """All memories of the store in those states."""
    with lore.store.read() as conn:
        return memories.listing(
            conn, Filter(everywhere=True, statuses=tuple(statuses)), limit=10**6
        )


def now_of(lore: Lore, memory: Memory) -> Memory:
    """A memory as it is stored now."""
    with lore.store.read() as conn:
        return memories.get(conn, memory.id)

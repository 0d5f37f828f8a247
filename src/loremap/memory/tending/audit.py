"""How clean the store is: rates of what is doubled, contradicted, stale, unused, junk or secret by
the rules of today, and what to run for each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from loremap.memory.admission.worth import unworthy
from loremap.memory.anchoring import stale_ids
from loremap.memory.looking import conflicts
from loremap.memory.tending.repeated import repeated
from loremap.memory.workspace import Workspace
from loremap.model.memory import ACTIVE, Candidate, Memory, Status
from loremap.safety.redaction import redacted
from loremap.storage import memories
from loremap.storage.memories import Filter

YOUNG = timedelta(days=1)
"""A younger candidate had no time to be used."""


@dataclass(frozen=True, slots=True)
class Rate:
    """How many of the memories looked at show one fault."""

    name: str
    ids: tuple[str, ...]
    of: int
    run: str
    """What to run about it."""

    @property
    def count(self) -> int:
        """How many show it."""
        return len(self.ids)

    @property
    def share(self) -> float:
        """How many of those looked at, from 0 to 1."""
        return len(self.ids) / self.of if self.of else 0.0


def audited(here: Workspace) -> tuple[Rate, ...]:
    """The rates of what speaks here and everywhere."""
    with here.store.read() as conn:
        wanted = Filter(tenant_id=here.actor.tenant_id, project_id=here.project_id, statuses=ACTIVE)
        held = memories.listing(conn, wanted, limit=memories.ALL)
    pairs = repeated(held)
    torn = [side.id for _, *sides in conflicts(here) for side in sides]
    now = here.now()

    def rate(name: str, ids: Sequence[str], run: str) -> Rate:
        return Rate(name, tuple(dict.fromkeys(ids)), len(held), run)

    def those(fits: Callable[[Memory], bool]) -> list[str]:
        return [memory.id for memory in held if fits(memory)]

    return (
        rate("duplicates", [pair.other.id for pair in pairs if pair.same], "lore tend"),
        rate("near-duplicates", [pair.other.id for pair in pairs if not pair.same], "lore tend"),
        rate("open contradictions", torn, "lore review"),
        rate("stale anchors", stale_ids(here), "lore list --stale"),
        rate(
            "candidates never used",
            those(lambda one: is_unused(one) and now - one.created_at >= YOUNG),
            "lore tend",
        ),
        rate("junk by the rules of today", those(is_junk), "lore forget ID"),
        rate("secrets by the rules of today", those(holds_secret), "lore forget --now ID"),
    )


def is_unused(memory: Memory) -> bool:
    """Whether it is a candidate that nobody ever had to do with."""
    return memory.status is Status.CANDIDATE and memory.access_count == 0


def is_junk(memory: Memory) -> bool:
    """Whether an agent could not write it any more, and no person stands behind it."""
    if memory.confirmations or memory.pinned:
        return False
    said = Candidate(
        content=memory.content,
        kind=memory.kind,
        scope=memory.scope,
        origin=memory.origin,
        procedure=memory.procedure,
    )
    return unworthy(said) is not None


def holds_secret(memory: Memory) -> bool:
    """Whether something in it would be taken out today."""
    steps = () if memory.procedure is None else memory.procedure.steps
    return bool(redacted("\n".join((memory.content, *memory.tags, *steps))).findings)

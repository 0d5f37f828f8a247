"""What use has taught of what is remembered: what was wrong, what is not learned again, what was
asked in vain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from loremap.errors import Ambiguous, BadInput, NotFound
from loremap.memory import aliases, changing, gaps
from loremap.memory.admission import amend
from loremap.memory.looking import find
from loremap.memory.workspace import Workspace
from loremap.memory.writing import writing
from loremap.model.alias import Alias
from loremap.model.clock import short_id
from loremap.model.gap import Gap
from loremap.model.memory import Memory, Relation, Status
from loremap.model.signal import Sign
from loremap.model.text import visible
from loremap.safety.redaction import redacted
from loremap.storage import gaps as gap_rows
from loremap.storage import memories, relations, tombstones
from loremap.storage.store import Connection
from loremap.storage.tombstones import Tombstone
from loremap.storage.transaction import log

USER_FLAGGED = "user_flagged"
SHORTEST = 4
T = TypeVar("T", Gap, Tombstone)


@dataclass(frozen=True, slots=True)
class Flagged:
    """What was called wrong, and what hangs on it."""

    memory: Memory
    replaced: tuple[Memory, ...] = ()
    """What had to make room for it."""
    derived: tuple[Memory, ...] = ()
    """What was derived from it, and may be wrong too."""
    restored: bool = False
    """Whether what had made room for it speaks again."""

    @property
    def withdrawn(self) -> bool:
        """Whether it is withdrawn, and not only voted against."""
        return self.memory.status is Status.RETRACTED


class Lessons:
    """The lessons of one folder's memory, as whoever speaks there may have them."""

    def __init__(self, here: Workspace) -> None:
        self._here = here

    def wrong(
        self,
        reference: str,
        reason: str = "",
        *,
        restore: bool = False,
        expected_version: int | None = None,
    ) -> Flagged:
        """Say that a memory is wrong. A person withdraws it, and it is not learned again; with
        `restore` what it replaced speaks again. An agent's word is a vote."""
        here, memory = self._here, find(self._here, reference)
        if here.agent is not None:
            return Flagged(
                changing.vote(here, memory.id, Sign.WRONG, expected_version=expected_version)
            )
        said = redacted(visible(reason)).text.strip() or USER_FLAGGED
        with writing(here) as tx:
            memory = memories.get(tx.conn, memory.id)
            amend.refuse_stale(memory, expected_version)
            _refuse_silent(memory)
            replaced, derived = _hanging_on(tx.conn, memory)
            gone = amend.retract(tx, memory, reason=said)
            if restore:
                replaced = tuple(amend.restore(tx, one) for one in replaced)
        return Flagged(gone, replaced, derived, restored=restore)

    def tombstones(self) -> Sequence[Tombstone]:
        """What is not learned again here, newest first."""
        with self._here.store.read() as conn:
            return tombstones.listed(conn, self._here.project_id)

    def lift(self, reference: str) -> Tombstone:
        """Let be learned again what lies under a tombstone."""
        if self._here.agent is not None:
            raise BadInput("Only a person lifts a tombstone; nothing was changed.")
        grave = _named(self.tombstones(), reference, hint="`lore tombstones` lists them.")
        with writing(self._here) as tx:
            log(tx, "restore", project_id=grave.project_id or None, detail="tombstone")
            tombstones.take_away(tx, [grave])
        return grave

    def aliases(self) -> Sequence[Alias]:
        """All aliases in use here, each with its source."""
        return aliases.listed(self._here)

    def gaps(self) -> Sequence[Gap]:
        """What was asked here and nothing answered, the most asked first."""
        return gaps.open_gaps(self._here)

    def close_gap(self, reference: str) -> Gap:
        """Say that a gap is seen to, or is none."""
        gap = _named(self.gaps(), reference, hint="`lore gaps` lists them.")
        with self._here.store.append() as conn:
            gap_rows.close(conn, gap.id, self._here.now())
        return gap


def _refuse_silent(memory: Memory) -> None:
    if memory.status is Status.RETRACTED:
        raise BadInput(f"Memory {short_id(memory.id)} is withdrawn already.")
    if memory.status is Status.SUPERSEDED:
        by = short_id(memory.superseded_by or "")
        raise BadInput(
            f"Memory {short_id(memory.id)} no longer speaks: {by} has its place.",
            hint=f"If that is wrong: lore wrong {by}.",
        )


def _hanging_on(conn: Connection, memory: Memory) -> tuple[tuple[Memory, ...], tuple[Memory, ...]]:
    """What a memory has replaced, and what was derived from it."""
    links = relations.links_of(conn, memory.id)
    targets = [
        one.target_id
        for one in links
        if one.source_id == memory.id and one.relation is Relation.SUPERSEDES
    ]
    replaced = [one for one in memories.by_ids(conn, targets) if one.superseded_by == memory.id]
    derived = memories.by_ids(conn, relations.derived_from(conn, [memory.id]))
    return tuple(replaced), tuple(one for one in derived if one.active)


def _named(found: Sequence[T], reference: str, *, hint: str) -> T:
    """The one whose id begins or ends so."""
    asked = reference.strip().lower()
    fitting = [one for one in found if one.id.startswith(asked) or one.id.endswith(asked)]
    if len(asked) < SHORTEST or not fitting:
        raise NotFound(f"There is none with the id {reference!r}.", hint=hint)
    if len(fitting) > 1:
        raise Ambiguous(f"{len(fitting)} have the id {reference!r}.", hint="Give more of the id.")
    return fitting[0]

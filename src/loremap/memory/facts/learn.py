"""Takes in what was read: entities, facts, who says them, and which older ones they replace."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from loremap.memory.facts.names import Known
from loremap.memory.facts.read import Read, Reading
from loremap.model.clock import new_id, to_ms
from loremap.model.fact import UNSAID, WRONG, Fact, replaces, source_of
from loremap.model.memory import ACTIVE, FROM_USER, Memory, Scope, Status
from loremap.model.predicate import is_many
from loremap.storage import entities, known_facts, memories
from loremap.storage.entities import Mentioned, Shelf
from loremap.storage.transaction import Tx

RULES_VERSION = 1
"""Grows with the rules that read facts, so that all is read anew."""
STATED_CONFIDENCE = 0.95
"""What a fact counts for that a person stated in a whole sentence: it may replace another."""


@dataclass(frozen=True, slots=True)
class Said:
    """A memory with what it states and what it speaks of."""

    memory: Memory
    read: Read
    speaks_of: tuple[Known, ...] = ()

    def things(self) -> set[Known]:
        """All that it names."""
        sides = ((one.subject, one.object) for one in self.read.facts)
        return {one for pair in sides for one in pair if one is not None} | set(self.speaks_of)


def learn(tx: Tx, owner_id: str, said: Sequence[Said]) -> int:
    """Take in what memories say, the oldest first, but of those that were erased or changed since
    they were read; returns how many facts are new."""
    there = {
        one.id: one.fingerprint for one in memories.by_ids(tx.conn, [x.memory.id for x in said])
    }
    said = [one for one in said if there.get(one.memory.id) == one.memory.fingerprint]
    places: dict[str, list[Said]] = defaultdict(list)
    for one in said:
        everywhere = one.memory.scope is Scope.GLOBAL
        places["" if everywhere else one.memory.project_id or ""].append(one)
    new = sum(
        _learn_here(tx, Shelf(owner_id, project_id or None), some)
        for project_id, some in places.items()
    )
    known_facts.mark_read(tx, [(one.memory, one.read.waits) for one in said], rules=RULES_VERSION)
    return new


def _learn_here(tx: Tx, shelf: Shelf, said: Sequence[Said]) -> int:
    things: dict[str, Known] = {}
    for one in said:
        for known in one.things():
            things.setdefault(known.key, known)
    named = [Mentioned(known.key, known.name, known.kind) for known in things.values()]
    ids = entities.settled(tx, shelf, named)
    subjects = {ids[fact.subject.key] for one in said for fact in one.read.facts}
    ledger = _Ledger(tx.now, known_facts.of_subjects(tx.conn, sorted(subjects)))
    for one in sorted(said, key=lambda one: (one.memory.created_at, one.memory.id)):
        ledger.take(one.memory, [_fact(one.memory, fact, shelf, ids) for fact in one.read.facts])
    ledger.write(tx)
    for one in said:
        now = {ids[known.key] for known in one.things()}
        entities.note_mentions(tx, one.memory.id, now, at_ms=to_ms(one.memory.created_at))
        for id_ in known_facts.drop_sources(tx, one.memory.id, keep=ledger.says[one.memory.id]):
            unsaid(tx, id_)
    return len(ledger.fresh)


def unsaid(tx: Tx, id_: str) -> None:
    """Withdraw a fact that no memory says any more; what was replaced does not come back either."""
    fact = known_facts.get(tx.conn, id_)
    if fact is not None and fact.status in (*ACTIVE, Status.SUPERSEDED):
        after = replace(fact, status=Status.RETRACTED, retracted_reason=UNSAID, valid_until=tx.now)
        known_facts.change(tx, fact, after, action="retract")


def is_stated(memory: Memory) -> bool:
    """Whether a person stands behind what a memory says."""
    confirmed = memory.status is Status.CONFIRMED
    return confirmed and (memory.origin in FROM_USER or memory.confirmations > 0)


def _fact(memory: Memory, said: Reading, shelf: Shelf, ids: dict[str, str]) -> Fact:
    """A fact as a memory says it: staged, unless a person stands behind it."""
    stated = is_stated(memory)
    return Fact(
        id=new_id(),
        owner_id=shelf.owner_id,
        project_id=shelf.place,
        visibility=memory.visibility,
        subject_id=ids[said.subject.key],
        predicate=said.predicate,
        object_id=None if said.object is None else ids[said.object.key],
        object_value=said.value,
        status=Status.CONFIRMED if stated else Status.CANDIDATE,
        source=source_of(memory.origin),
        confidence=max(memory.confidence, STATED_CONFIDENCE) if stated else memory.confidence,
        last_accessed_at=memory.last_accessed_at,
        valid_from=memory.created_at,
    )


@dataclass(slots=True)
class _Ledger:
    """The facts of some subjects as they become while memories are taken in."""

    now: datetime
    held: list[Fact]
    """Those the store has."""
    fresh: dict[str, Fact] = field(default_factory=dict)
    changed: dict[str, Fact] = field(default_factory=dict)
    sources: list[tuple[str, str, int]] = field(default_factory=list)
    says: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    about: dict[tuple[str, str], dict[str, Fact]] = field(init=False)

    def __post_init__(self) -> None:
        self.about = defaultdict(dict)
        for fact in self.held:
            self.about[fact.subject_id, fact.predicate][fact.id] = fact

    def take(self, memory: Memory, said: Iterable[Fact]) -> None:
        """Take in what one memory says."""
        for fact in said:
            others = self.about[fact.subject_id, fact.predicate]
            same = next((one for one in others.values() if _holds(one, fact)), None)
            if same is None:
                same = self._settled(fact, others)
            self.says[memory.id].add(same.id)
            self.sources.append((same.id, memory.id, to_ms(memory.created_at)))

    def _settled(self, fact: Fact, others: dict[str, Fact]) -> Fact:
        """A new fact, with what it replaces and what has replaced it already."""
        many = is_many(fact.predicate)
        for other in [one for one in others.values() if one.status in ACTIVE]:
            if replaces(fact, other, many=many):
                self._put(superseded(other, by=fact, now=self.now))
            elif replaces(other, fact, many=many):
                fact = superseded(fact, by=other, now=self.now)
        self.fresh[fact.id] = others[fact.id] = fact
        return fact

    def _put(self, fact: Fact) -> None:
        (self.fresh if fact.id in self.fresh else self.changed)[fact.id] = fact
        self.about[fact.subject_id, fact.predicate][fact.id] = fact

    def write(self, tx: Tx) -> None:
        """Write what became of them."""
        before = {fact.id: fact for fact in self.held}
        known_facts.add(tx, list(self.fresh.values()))
        for id_, after in self.changed.items():
            known_facts.change(tx, before[id_], after, action="supersede")
        had = known_facts.sources_of(tx.conn, [id_ for id_, _, _ in self.sources])
        known_facts.add_sources(
            tx, (one for one in self.sources if one[1] not in had.get(one[0], ()))
        )


def _holds(one: Fact, fact: Fact) -> bool:
    """Whether a fact says what another says. Said again later, what was replaced or has faded holds
    again as a fact of its own, and at any time what was said no longer; what a person called wrong
    does not."""
    stands = one.status in ACTIVE or one.retracted_reason == WRONG
    again = fact.valid_from > one.valid_from or one.retracted_reason == UNSAID
    return one.object == fact.object and (stands or not again)


def superseded(old: Fact, *, by: Fact, now: datetime) -> Fact:
    """A fact in whose place another has come."""
    return replace(old, status=Status.SUPERSEDED, superseded_by=by.id, valid_until=now)

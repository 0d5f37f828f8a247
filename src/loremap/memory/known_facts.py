"""What is known of things, as a person asks for it and corrects it."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from loremap.errors import BadInput, NotFound
from loremap.memory.facts.learn import superseded
from loremap.memory.facts.names import Known, bare, is_name, kind_of
from loremap.memory.facts.narrative import object_name
from loremap.memory.step import Step
from loremap.memory.tending.facts import PASSES
from loremap.memory.tending.known_names import shelf_of
from loremap.memory.workspace import Workspace
from loremap.memory.writing import settled_project
from loremap.model.clock import new_id
from loremap.model.entity import USER_KEY, Entity, EntityKind, NameSource, entity_key, keys_of
from loremap.model.fact import WRONG, Fact, FactSource, relevance, replaces
from loremap.model.memory import ACTIVE, Memory, Status
from loremap.model.predicate import PREDICATES, is_many
from loremap.model.text import visible
from loremap.safety.redaction import redacted
from loremap.storage import entities, known_facts, memories
from loremap.storage.entities import Mentioned
from loremap.storage.store import Connection
from loremap.storage.transaction import Tx

_PREDICATE = re.compile(r"[a-z][a-z0-9_]{1,60}")
EVERY = tuple(Status)


@dataclass(frozen=True, slots=True)
class InWords:
    """A fact in words."""

    fact: Fact
    subject: str
    object: str
    relevance: float


class Facts:
    """Facts and entities of one project, changed in the name of whoever speaks here."""

    def __init__(self, lore: Workspace) -> None:
        self._lore = lore

    def list(self, name: str | None = None, *, everything: bool = False) -> Sequence[InWords]:
        """What holds, of one entity or of all; with `everything` also what no longer does."""
        with self._lore.store.read() as conn:
            shelf, statuses = shelf_of(self._lore), EVERY if everything else ACTIVE
            found = known_facts.told(conn, shelf, statuses=statuses)
            if name is not None:
                id_ = self._entity(conn, name).id
                found = [one for one in found if id_ in (one.subject_id, one.object_id)]
            return self._in_words(conn, found)

    def entities(self, *, limit: int | None = None) -> Sequence[Entity]:
        """What memories speak of, the most mentioned first."""
        with self._lore.store.read() as conn:
            return entities.listed(conn, shelf_of(self._lore), limit=limit)

    def show(self, reference: str) -> tuple[InWords, Sequence[Memory]]:
        """A fact, and the memories it was read from."""
        with self._lore.store.read() as conn:
            fact = known_facts.named(conn, shelf_of(self._lore), reference)
            said_by = known_facts.sources_of(conn, [fact.id]).get(fact.id, ())
            return self._in_words(conn, [fact])[0], memories.by_ids(conn, said_by)

    def history(self, reference: str) -> Sequence[InWords]:
        """All that was ever said of what a fact says, the newest first."""
        with self._lore.store.read() as conn:
            fact = known_facts.named(conn, shelf_of(self._lore), reference)
            found = known_facts.of_subjects(conn, [fact.subject_id])
            return self._in_words(conn, [one for one in found if one.predicate == fact.predicate])

    def add(self, subject: str, predicate: str, object_: str) -> InWords:
        """State a fact: it is confirmed at once, and takes the place of what it contradicts."""
        settled_project(self._lore)
        known = _known_predicate(predicate)
        with self._lore.store.write(now=self._lore.now(), actor=self._lore.actor) as tx:
            fact = self._stated(tx, _clean(subject), known, _clean(object_))
            for old in known_facts.of_subjects(tx.conn, [fact.subject_id]):
                if old.status in ACTIVE and _same(old, fact):
                    known_facts.change(tx, old, _confirmed(old, fact), action="confirm")
                    return self._in_words(tx.conn, [_confirmed(old, fact)])[0]
            known_facts.state(tx, fact)
            self._replace_others(tx, fact)
            return self._in_words(tx.conn, [fact])[0]

    def retract(self, reference: str) -> tuple[InWords, Sequence[InWords]]:
        """Say that a fact is wrong; it, and what it had replaced and holds again."""
        with self._lore.store.write(now=self._lore.now(), actor=self._lore.actor) as tx:
            fact = known_facts.named(tx.conn, shelf_of(self._lore), reference)
            if fact.status is Status.RETRACTED:
                raise BadInput("That fact is withdrawn already; nothing was changed.")
            gone = replace(
                fact, status=Status.RETRACTED, retracted_reason=WRONG, valid_until=tx.now
            )
            known_facts.change(tx, fact, gone, action="retract")
            again = [
                replace(one, status=Status.CANDIDATE, superseded_by=None, valid_until=None)
                for one in known_facts.of_subjects(tx.conn, [fact.subject_id])
                if one.superseded_by == fact.id
            ]
            for one in again:
                before = known_facts.get(tx.conn, one.id)
                if before is not None:
                    known_facts.change(tx, before, one, action="restore")
            return self._in_words(tx.conn, [gone])[0], self._in_words(tx.conn, again)

    def name(self, name: str, other: str) -> Entity:
        """Let an entity go by another name too."""
        with self._lore.store.write(now=self._lore.now(), actor=self._lore.actor) as tx:
            entity = self._entity(tx.conn, name)
            said = _clean(other)
            entities.add_name(tx, entity, entity_key(said), said, NameSource.USER)
            return entities.by_ids(tx.conn, [entity.id])[entity.id]

    def learn(self) -> int:
        """Do all passes over facts now; returns how many steps were done."""
        settled_project(self._lore)
        return sum(1 for _ in done_passes(self._lore))

    def _entity(self, conn: Connection, name: str) -> Entity:
        found = entities.known_by(conn, shelf_of(self._lore), keys_of(name))
        if found is None:
            raise NotFound(
                f"Nothing is known by the name {name!r}.", hint="`lore entities` lists what is."
            )
        return found

    def _stated(self, tx: Tx, subject: str, predicate: str, said: str) -> Fact:
        """A fact as a person states it, its entities made where they are new."""
        shelf = shelf_of(self._lore)
        thing = self._thing(tx.conn, predicate, said)
        about = Known(keys_of(subject)[0], subject, _kind_of_subject(subject))
        sides = [about] if thing is None else [about, thing]
        held = [Mentioned(one.key, one.name, one.kind) for one in sides]
        ids = entities.settled(tx, shelf, held, undoable=True)
        return Fact(
            id=new_id(),
            owner_id=shelf.owner_id,
            project_id=shelf.place,
            subject_id=ids[about.key],
            predicate=predicate,
            object_id=None if thing is None else ids[thing.key],
            object_value=None if thing is not None else said,
            status=Status.CONFIRMED,
            source=FactSource.USER_EDIT,
            confidence=1.0,
            last_accessed_at=tx.now,
            valid_from=tx.now,
        )

    def _thing(self, conn: Connection, predicate: str, said: str) -> Known | None:
        """The entity that an object names; None where it is a value."""
        tabled = PREDICATES.get(predicate)
        if tabled is not None and tabled.object == "value":
            return None
        found = entities.known_by(conn, shelf_of(self._lore), keys_of(said))
        if found is not None:
            return Known(found.key, found.name, found.kind)
        name = bare(said)
        return Known(keys_of(name)[0], name, kind_of(name)) if is_name(name) else None

    def _replace_others(self, tx: Tx, fact: Fact) -> None:
        many = is_many(fact.predicate)
        for old in known_facts.of_subjects(tx.conn, [fact.subject_id]):
            if old.status in ACTIVE and replaces(fact, old, many=many):
                gone = superseded(old, by=fact, now=tx.now)
                known_facts.change(tx, old, gone, action="supersede")

    def _in_words(self, conn: Connection, found: Sequence[Fact]) -> Sequence[InWords]:
        ids = [id_ for one in found for id_ in (one.subject_id, one.object_id) if id_]
        named = entities.by_ids(conn, ids)
        now = self._lore.now()
        return [
            InWords(one, named[one.subject_id].name, object_name(one, named), relevance(one, now))
            for one in found
        ]


def done_passes(lore: Workspace) -> Iterator[tuple[Step, float]]:
    """Does all passes over facts, each until nothing is left of it; every step with the seconds
    that its write took."""
    for plan in PASSES:
        while steps := plan(lore):
            for step in steps:
                began = time.perf_counter()
                with lore.store.write(now=lore.now(), actor=lore.actor) as tx:
                    step.apply(tx)
                yield step, time.perf_counter() - began


def _same(old: Fact, fact: Fact) -> bool:
    return (old.subject_id, old.predicate, old.object) == (
        fact.subject_id,
        fact.predicate,
        fact.object,
    )


def _confirmed(old: Fact, fact: Fact) -> Fact:
    return replace(
        old,
        status=Status.CONFIRMED,
        source=FactSource.USER_EDIT,
        confidence=1.0,
        last_accessed_at=fact.last_accessed_at,
    )


def _known_predicate(said: str) -> str:
    """A predicate as facts name it; raises BadInput where it is none."""
    name = "_".join(said.strip().lower().replace("-", " ").split())
    if not _PREDICATE.fullmatch(name):
        raise BadInput(
            f"{said!r} is no predicate; nothing was stored.",
            hint=f"Predicates: {', '.join(PREDICATES)}, or words of your own such as reports_to.",
        )
    return name


def _kind_of_subject(subject: str) -> EntityKind:
    return EntityKind.PERSON if entity_key(subject) == USER_KEY else kind_of(subject)


def _clean(text: str) -> str:
    """What a person states, without secrets and without signs that hide or steer."""
    said = redacted(visible(" ".join(text.split()))).text
    if not keys_of(said):
        raise BadInput(f"{text!r} names nothing; nothing was stored.")
    return said

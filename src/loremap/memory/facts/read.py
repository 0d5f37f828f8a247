"""Reads what a text states of what is known: no known subject, no fact."""

from __future__ import annotations

import re
from dataclasses import dataclass

from loremap.memory.facts.names import Known, Names, bare
from loremap.memory.facts.phrases import (
    MAX_SUBJECT_WORDS,
    Clause,
    apposed,
    definite,
    relation,
    tabled,
    trimmed,
)
from loremap.memory.facts.sentences import forbidden, sentences, stated
from loremap.model.entity import USER_KEY, USER_NAME, EntityKind, keys_of
from loremap.model.predicate import PREDICATES, is_many

MAX_VALUE_WORDS = 8
MAX_CONCEPT_WORDS = 3
_USER = frozenset({"i", "the user", "user"})
_PROJECT = frozenset(
    {"we", "the project", "the team", "the repo", "the repository", "this project"}
)
_LIST = re.compile(r"\s*,\s*(?:and\s+|or\s+)?|\s+and\s+|\s*&\s*")
_JOINED = re.compile(r"(?:,\s*|\s+)and\s+(?=[a-z]+\s)")
_CHANGED = tuple(
    re.compile(rf"^(?:we|the team)\s+(?:have\s+)?{how}$", re.IGNORECASE)
    for how in (
        r"(?:replaced|swapped)\s+(?P<old>.+?)\s+(?:with|by|for)\s+(?P<new>.+)",
        r"(?:moved|migrated|switched)\s+from\s+(?P<old>.+?)\s+to\s+(?P<new>.+)",
    )
)


@dataclass(frozen=True, slots=True)
class Reading:
    """A fact as a sentence has it."""

    subject: Known
    predicate: str
    object: Known | None = None
    value: str | None = None


@dataclass(frozen=True, slots=True)
class Read:
    """What a text states, and the keys of subjects it states more of once they are known."""

    facts: tuple[Reading, ...] = ()
    waits: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads in one place: what is known there, and what "we" means."""

    names: Names
    project: Known | None = None

    def read(self, text: str) -> Read:
        """What a text states."""
        facts: dict[Reading, None] = {}
        waits: set[str] = set()
        for sentence in sentences(text):
            found, waiting = self._sentence(sentence)
            facts.update(dict.fromkeys(found))
            waits |= waiting
        return Read(tuple(facts), frozenset(waits))

    def _sentence(self, sentence: str) -> tuple[list[Reading], set[str]]:
        if (order := forbidden(sentence)) is not None:
            return self._forbidden(*order), set()
        said = stated(sentence)
        if not said:
            return [], set()
        if (
            changed := next((one for how in _CHANGED if (one := how.match(said))), None)
        ) is not None:
            clause = Clause(changed["old"], "replaced_by", trimmed(changed["new"]))
            return self._clause(clause, first=False), set()
        for read in (self._definite, self._clauses, self._relation):
            if found := read(said):
                return found, set()
        return [], self._waiting(said)

    def _definite(self, said: str) -> list[Reading]:
        for role in definite(said):
            subject = self.names.named(role.subject, first=False)
            if subject is not None:
                return self._facts(subject, role.predicate, role.object)
        return []

    def _clauses(self, said: str) -> list[Reading]:
        """The facts of a sentence whose verbs share a subject."""
        first, *rest = _JOINED.split(said)
        clause = tabled(first)
        whole = tabled(said)
        if clause is None or whole is None:
            return []
        found: list[Reading] = []
        verbs = [more for part in rest if (more := tabled(f"{clause.subject} {part}"))]
        if len(verbs) < len(rest):
            return self._clause(whole, first=True)
        for one in (clause, *verbs):
            found += self._clause(one, first=True)
        return found

    def _clause(self, clause: Clause, *, first: bool) -> list[Reading]:
        subject = self._subject(clause.subject, first=first)
        if subject is None:
            return []
        return self._facts(subject, clause.predicate, clause.object)

    def _relation(self, said: str) -> list[Reading]:
        """A relation that no table has, where both sides are names."""
        words = said.split()
        for size in range(min(len(words) - 2, MAX_SUBJECT_WORDS), 0, -1):
            head, rest = " ".join(words[:size]), " ".join(words[size:])
            if (found := relation(rest)) is None:
                continue
            subject = self.names.named(head, first=True)
            if subject is None and found.linked:
                subject = self.names.headed(head)
            if subject is not None:
                thing = self._related(found.object, apposed=found.apposed)
                different = thing is not None and thing.key != subject.key
                return [Reading(subject, found.predicate, thing)] if different else []
        return []

    def _related(self, phrase: str, *, apposed: bool) -> Known | None:
        """What stands on the other side of a relation: a name, or what its noun makes one."""
        found = self.names.named(phrase, first=False)
        return found or (concept(phrase) if apposed else None)

    def _subject(self, text: str, *, first: bool) -> Known | None:
        said = text.lower()
        if said in _USER:
            return Known(USER_KEY, USER_NAME, EntityKind.PERSON)
        if said in _PROJECT:
            return self.project
        return self.names.named(text, first=first)

    def _facts(self, subject: Known, predicate: str, phrase: str) -> list[Reading]:
        parts = _parts(phrase) if is_many(predicate) else (phrase,)
        things = [self._object(predicate, apposed(part)[1]) for part in parts]
        if not all(things) and len(parts) > 1:
            things = [self._object(predicate, phrase)]
        return [
            Reading(subject, predicate, thing if isinstance(thing, Known) else None,
                    thing if isinstance(thing, str) else None)
            for thing in things
            if thing and not (isinstance(thing, Known) and thing.key == subject.key)
        ]  # fmt: skip

    def _object(self, predicate: str, phrase: str) -> Known | str | None:
        """What a fact says of its subject: another thing, or a value in its own words."""
        tabled_ = PREDICATES.get(predicate)
        if tabled_ is None or tabled_.object == "entity":
            found = self.names.named(phrase, first=False)
            if found is not None:
                return found
        value = bare(phrase)
        if tabled_ is None and (thing := concept(value)) is not None:
            return thing
        return value if value and len(value.split()) <= MAX_VALUE_WORDS else None

    def _forbidden(self, what: str, where: str) -> list[Reading]:
        subject = self.names.named(where, first=False) if where else self.project
        if subject is None:
            return []
        return self._facts(subject, "forbids", what)

    def _waiting(self, said: str) -> set[str]:
        """The keys of what might become known, so that the sentence is read again then."""
        words = said.split()
        heads = (" ".join(words[:size]) for size in range(1, min(len(words), 5)))
        return {key for head in heads for key in keys_of(head)[:1]}


def _parts(phrase: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in _LIST.split(phrase) if part.strip()) or (phrase,)


def concept(phrase: str) -> Known | None:
    """What a short phrase names where its place in the sentence says that it names something."""
    short = 0 < len(phrase.split()) <= MAX_CONCEPT_WORDS and phrase[:1].isalpha()
    keys = keys_of(phrase) if short else ()
    return Known(keys[0], phrase, EntityKind.CONCEPT) if keys else None

"""Reads what a text states of what is known: no known subject, no fact."""

from __future__ import annotations

import re
from dataclasses import dataclass

from loremap.memory.facts.frames import framed
from loremap.memory.facts.names import Known, Names, bare, is_torn
from loremap.memory.facts.objects import objects
from loremap.memory.facts.phrases import MAX_SUBJECT_WORDS, apposed, definite, relation
from loremap.memory.facts.sentences import clauses, forbidden, is_open, needed, sentences, stated
from loremap.memory.facts.verbs import Verb, first_verb, verb_at_start
from loremap.model.entity import USER_KEY, USER_NAME, EntityKind, keys_of
from loremap.model.predicate import PREDICATES

MAX_CONCEPT_WORDS = 3
_USER = frozenset({"i", "the user", "user"})
_PROJECT = frozenset({"we", "the project", "this project", "the repo", "this repo"})
_IT = frozenset({"it", "them", "this"})
_RELATIVE = re.compile(r"^(?:which|who|that)\s+")
_JOINING = re.compile(r"^(?:and|but|so|then|also|it|they)\s+")
_SAME_SUBJECT = re.compile(r"\s+and\s+(?:also\s+|then\s+)?")
_ADJUNCT = re.compile(r"^(?:for|at|in|under|on|with|during|within|inside|as of|since)\s", re.I)
_DESCRIBED = re.compile(r"^(?P<subject>.+?)\s(?:is|are)\s(?:a|an|the|our)\s.*\s(?:that|which|who)$")
_OWNED = re.compile(
    r"^(?P<thing>.+?)\s(?:is|are)\s(?P<owner>(?:the\s)?[\w -]+?)['’]s?"
    r"(?:\s(?:responsibility|turf|job|property))?$"
)
_ASIDE = re.compile(
    r"\s+(?:itself|by now|these days|nowadays|under the hood|in production|as of now|too)$"
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
            if (order := forbidden(sentence)) is not None:
                facts.update(dict.fromkeys(self._forbidden(*order)))
            elif (need := needed(sentence)) is not None:
                facts.update(dict.fromkeys(self._needed(*need)))
            elif said := stated(sentence):
                found = self._stated(said)
                facts.update(dict.fromkeys(found))
                waits |= set() if found else _heads(said)
        return Read(tuple(facts), frozenset(waits))

    def _stated(self, said: str) -> list[Reading]:
        """The facts of a sentence, by the first way to read it that finds some."""
        ways = (self._framed, self._definite, self._clauses, self._relation)
        return next((found for way in ways if (found := way(said))), [])

    def _framed(self, said: str) -> list[Reading]:
        """What a whole clause says whose subject is not that of the fact."""
        clause = next(iter(clauses(said)), "")
        frame = None if is_open(clause) else framed(clause)
        if frame is None:
            return []
        predicate, about, what = frame
        subject = self._subject(about) if about else self.project
        return [] if subject is None else self._facts(subject, predicate, what)

    def _definite(self, said: str) -> list[Reading]:
        clause = next(iter(clauses(said)), "")
        for whole in dict.fromkeys((clause, said)):
            for role in () if is_open(whole) else definite(whole):
                subject = self.names.named(role.subject, first=False)
                if subject is None:
                    continue
                if role.predicate in PREDICATES:
                    return self._facts(subject, role.predicate, role.object)
                if whole is said and (thing := self._thing(role.object)) is not None:
                    return [Reading(subject, role.predicate, thing)]
        return []

    def _clauses(self, said: str) -> list[Reading]:
        """The facts of the clauses of a sentence; what has no subject shares that before it."""
        found: list[Reading] = []
        subject: Known | None = None
        for at, clause in enumerate(_parted(said)):
            relative = bool(_RELATIVE.match(clause))
            rest = _JOINING.sub("", _RELATIVE.sub("", clause))
            about = found[-1].object if relative and found else subject
            if is_open(rest):
                subject = self._opened(rest) if at == 0 else subject
                continue
            if (verb := verb_at_start(rest, participles=about is not None)) is not None:
                found += self._said(about, verb[2], rest[verb[1] :], others=subject)
            elif (verb := first_verb(rest)) is not None:
                left = rest[: verb[0]].strip()
                new = self._left(left)
                found += self._said(new, verb[2], rest[verb[1] :], others=subject, left=left)
                subject = new
            elif (owned := _OWNED.match(rest)) is not None and at == 0:
                found += self._owned(owned["thing"], owned["owner"])
            elif at == 0:
                subject = self._left(rest)
        return found

    def _opened(self, clause: str) -> Known | None:
        """The subject of a clause that states nothing."""
        verb = first_verb(clause)
        return None if verb is None else self._left(clause[: verb[0]].strip())

    def _said(
        self,
        subject: Known | None,
        verbs: list[Verb],
        right: str,
        *,
        others: Known | None,
        left: str = "",
    ) -> list[Reading]:
        """What a verb says of its subject, or of its object."""
        for verb in verbs:
            name = verb.predicate.name
            if not verb.turned:
                wish = name == "requires" and subject is not None and subject.key == USER_KEY
                name = "prefers" if wish else name
                if name == "alias_of" and left:  # what is another name need not be known
                    subject = self._new(left)
                if subject is not None and (found := self._facts(subject, name, right)):
                    return found
                continue
            about = subject or (None if not left else self._new(left))
            it = others if right.split(" ")[0].strip(".") in _IT else None
            things = [it] if it is not None else list(objects(right, _THINGS, self.names))
            if about is not None and things:
                known = [one for one in things if isinstance(one, Known)]
                return [Reading(one, name, about) for one in known if one.key != about.key]
        return []

    def _new(self, left: str) -> Known | None:
        """What a left side names that stands for an object, and so need not be known."""
        return None if _ADJUNCT.match(left) else self.names.named(left, first=False)

    def _left(self, left: str) -> Known | None:
        """What the words before a verb name: all of them, what follows an adjunct, what is
        described: "X is a daemon that …"."""
        left = _ASIDE.sub("", left)
        if (described := _DESCRIBED.match(left)) is not None:
            return self._subject(described["subject"])
        if (subject := self._subject(left)) is not None or not _ADJUNCT.match(left):
            return subject
        words = left.split()
        ends = (" ".join(words[at:]) for at in range(2, len(words)))
        return next((found for end in ends if (found := self.names.find(end))), None)

    def _subject(self, text: str) -> Known | None:
        said = text.lower()
        if said in _USER:
            return Known(USER_KEY, USER_NAME, EntityKind.PERSON)
        if said in _PROJECT:
            return self.project
        return self.names.named(text, first=True) or self.names.compound(text)

    def _facts(self, subject: Known, predicate: str, phrase: str) -> list[Reading]:
        _, said = apposed(phrase)
        things = objects(said, PREDICATES[predicate], self.names)
        return [
            Reading(subject, predicate, value=one)
            if isinstance(one, str)
            else Reading(subject, predicate, one)
            for one in things
            if isinstance(one, str) or one.key != subject.key
        ]

    def _owned(self, thing: str, owner: str) -> list[Reading]:
        subject, by = self._subject(thing), self.names.named(owner, first=False)
        return [Reading(subject, "owned_by", by)] if subject is not None and by is not None else []

    def _relation(self, said: str) -> list[Reading]:
        """A relation that no table has, where both sides are names."""
        words = said.split()
        for size in range(min(len(words) - 2, MAX_SUBJECT_WORDS), 0, -1):
            head, rest = " ".join(words[:size]), " ".join(words[size:])
            if (found := relation(rest)) is None or is_open(rest):
                continue
            subject = self.names.named(head, first=True)
            if subject is None and found.linked:
                subject = self.names.headed(head)
            if subject is not None and (found.linked or found.apposed or found.past):
                thing = self._thing(found.object, apposed_=found.apposed)
                different = thing is not None and thing.key != subject.key
                return [Reading(subject, found.predicate, thing)] if different else []
        return []

    def _thing(self, phrase: str, *, apposed_: bool = True) -> Known | None:
        """What stands on the other side of a relation: a name, or what its noun makes one."""
        said = apposed(phrase)[1]
        return self.names.named(said, first=False) or (concept(said) if apposed_ else None)

    def _forbidden(self, what: str, where: str) -> list[Reading]:
        subject = self._left(where) if where else self.project
        return [] if subject is None else self._facts(subject, "forbids", what)

    def _needed(self, subject: str, what: str) -> list[Reading]:
        about = self._left(subject)
        return [] if about is None else self._facts(about, "requires", what)


_THINGS = PREDICATES["uses"]
"""How the object of a verb is read whose object is a thing."""


def _parted(said: str) -> list[str]:
    """The clauses of a sentence, also those that "and" joins before a verb."""
    found: list[str] = []
    for clause in clauses(said):
        parts = _SAME_SUBJECT.split(clause)
        whole = parts[0]
        for part in parts[1:]:
            begins = verb_at_start(part, participles=True) or first_verb(part)
            if begins is not None:
                found.append(whole)
                whole = part
            else:
                whole = f"{whole} and {part}"
        found.append(whole)
    return found


def _heads(said: str) -> set[str]:
    """The keys of what might become known, so that the sentence is read again then."""
    words = said.split()
    heads = (" ".join(words[:size]) for size in range(1, min(len(words), 5)))
    return {key for head in heads for key in keys_of(head)[:1]}


def concept(phrase: str) -> Known | None:
    """What a short phrase names where its place in the sentence says that it names something."""
    short = 0 < len(phrase.split()) <= MAX_CONCEPT_WORDS and phrase[:1].isalpha()
    keys = keys_of(bare(phrase)) if short and "," not in phrase and not is_torn(phrase) else ()
    return Known(keys[0], bare(phrase), EntityKind.CONCEPT) if keys else None

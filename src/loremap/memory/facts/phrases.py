"""Cuts a clause into subject, verb and object: by the table of predicates, or by prepositions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from loremap.memory.facts.names import LINKS
from loremap.model.predicate import DEFINITE, PREDICATES

MAX_SUBJECT_WORDS = 10
MAX_ROLE_WORDS = 5
_ADVERBS = r"(?:(?:now|currently|still|also|always|already|only|all|both|mainly|primarily)\s+)?"
_FORMS = {
    form: (one.name, turned)
    for one in PREDICATES.values()
    for turned, forms in ((False, one.forms), (True, one.turned))
    for form in forms
}
_VERB = re.compile(
    r"\s" + _ADVERBS + r"(?P<form>"
    + "|".join(sorted((re.escape(form) for form in _FORMS), key=len, reverse=True))
    + r")\s"
)  # fmt: skip
_PREPOSITION = "of in by for to on at with as from".split()
_RELATION = re.compile(
    r"^(?P<verb>(?:(?:is|are|was|were|has|have)\s+)?(?:been\s+)?(?:[a-z][a-z-]*\s+){0,4}?"
    rf"(?:{'|'.join(_PREPOSITION)}))\s+(?P<object>\S.*)$"
)
_VERBAL = re.compile(r"^(?:is|are|was|were|has|have|[a-z]{2,}(?:s|ed))$")
_AUXILIARY = frozenset("is are was were has have been a an the".split())
_OF_NOUN = re.compile(r"\bthe [a-z][\w-]* of$")
_CATEGORY = re.compile(r"^the (?P<noun>[a-z][\w-]*) of (?P<name>.+)$")
_TAIL = re.compile(
    r"\s*(?:[,;:(—–]|\s-\s|\b(?:because|since|so|which|who|that|while|where|when|whenever|via|as"
    r"|instead|rather|due|after|before|until|but|by default|in order|for|with|to|from|through"
    r"|across|during|under|over|per|behind|except|only|everywhere|and then)\b).*$"
)
"""What follows an object and is no part of it."""


@dataclass(frozen=True, slots=True)
class Clause:
    """What a clause says, in its own words."""

    subject: str
    predicate: str
    object: str


def tabled(clause: str) -> Clause | None:
    """What a clause says by the first verb of the table in it."""
    found = _VERB.search(f"{clause} ")
    if found is None:
        return None
    left, right = clause[: found.start()].strip(), clause[found.end() :].strip()
    if not left or not right or len(left.split()) > MAX_SUBJECT_WORDS or "," in left:
        return None
    predicate, turned = _FORMS[found["form"]]
    said = trimmed(right)
    return Clause(said, predicate, left) if turned else Clause(left, predicate, said)


def trimmed(phrase: str) -> str:
    """An object without what follows it: purposes, reasons, relative clauses."""
    if phrase.startswith("`") and (end := phrase.find("`", 1)) > 0:
        return phrase[: end + 1]
    return _TAIL.sub("", phrase).strip()


@dataclass(frozen=True, slots=True)
class Relation:
    """A verb with its preposition, and what follows it."""

    predicate: str
    object: str
    apposed: bool
    """Whether a noun says what the object names, which makes a name of it."""
    linked: bool
    """Whether it begins with a form of "to be", which no noun before it can be taken for."""


def relation(rest: str) -> Relation | None:
    """The relation that follows a subject; None where no verb with a preposition does."""
    found = _RELATION.match(rest)
    if found is None or not _VERBAL.match(rest.partition(" ")[0]):
        return None
    noun, name = apposed(found["object"])
    words = [word for word in found["verb"].split() if word not in _AUXILIARY]
    of_noun = bool(_OF_NOUN.search(found["verb"]))
    predicate = "_".join((*words, noun) if noun else words)
    first = rest.partition(" ")[0]
    return Relation(predicate, name, bool(noun) or of_noun, first in LINKS)


def apposed(phrase: str) -> tuple[str, str]:
    """The noun that says what a name names, and the name: "the city of Bath"; else no noun and the
    phrase as it is."""
    found = _CATEGORY.match(phrase)
    return ("", phrase) if found is None else (found["noun"], found["name"])


_IS = re.compile(r"\s(?:is|are)\s")
_ROLE_OF = re.compile(r"\s(?:of|for|in)\s")
_NAME_OF = re.compile(r"^(?:the )?name of (?:the )?", re.IGNORECASE)
_DEFINITE = re.compile(r"^the\s+", re.IGNORECASE)
_RELATIVE = re.compile(r"^(?P<noun>[a-z][a-z ]*?) (?:where|that|which|who) (?P<rest>.+)$")
_POSSESSED = re.compile(r"^(?P<owner>.+?)['’]s? (?P<role>[a-z][a-z -]*)$")
_LOWER = re.compile(r"^[a-z][a-z -]*$")
_ROLE = re.compile(r"^[A-Za-z][A-Za-z -]*$")
_PLACED = re.compile(r"^(?P<how>[a-z]+ed (?:in|at|by|on|to)) (?P<object>.+)$")
_INNER_ARTICLE = re.compile(r"\b(?:a|an|the)\s+")


@dataclass(frozen=True, slots=True)
class Role:
    """One way to read "The R of X is Y": the predicate it gives, X, and Y."""

    predicate: str
    subject: str
    object: str


def definite(clause: str) -> Iterator[Role]:
    """The ways to read a definite form, that with the shortest role first."""
    if (parts := _IS.search(clause)) is None:
        return
    left, said = clause[: parts.start()], clause[parts.end() :].strip()
    how, said = _placed(said)
    owned = _POSSESSED.match(left)
    if owned is not None:
        yield Role(_named(owned["role"], how), owned["owner"], said)
    if not _DEFINITE.match(left):
        return
    phrase = _NAME_OF.sub("", _DEFINITE.sub("", left))
    for joint in _ROLE_OF.finditer(phrase):
        yield from _split(phrase[: joint.start()], phrase[joint.end() :], how, said)
    if (relative := _RELATIVE.match(phrase)) is not None:
        yield from _related(relative["noun"], relative["rest"].split(), said)


def _split(role: str, subject: str, how: str, said: str) -> Iterator[Role]:
    """A role of a name, or of what a name stands before: "the head of the Bath council"."""
    if not _ROLE.match(role) or len(role.split()) > MAX_ROLE_WORDS:
        return
    yield Role(_named(role, how), subject, said)
    name, _, noun = subject.rpartition(" ")
    if name and _LOWER.match(noun):
        yield Role(_named(f"{role} of {noun}", how), name, said)


def _related(noun: str, rest: list[str], said: str) -> Iterator[Role]:
    """A name in a relative clause: "the company that made X", "the school where X was taught"."""
    for size in range(1, len(rest)):
        before, after = " ".join(rest[:-size]), " ".join(rest[size:])
        if _LOWER.match(before):
            yield Role(_named(f"{noun} {before}"), " ".join(rest[-size:]), said)
        if _LOWER.match(after):
            yield Role(_named(f"{noun} {after}"), " ".join(rest[:size]), said)


def _placed(said: str) -> tuple[str, str]:
    found = _PLACED.match(said)
    return ("", said) if found is None else (found["how"], found["object"])


_TABLED_ROLES = {
    "owner": "owned_by",
    "maintainer": "owned_by",
    "version": "version_is",
    "default": "default_is",
    "default value": "default_is",
    "location": "located_in",
    "successor": "replaced_by",
    "replacement": "replaced_by",
}


def _named(role: str, how: str = "") -> str:
    """The predicate of a role."""
    if not how and role in _TABLED_ROLES:
        return _TABLED_ROLES[role]
    words = _INNER_ARTICLE.sub("", f"{role} {how}".strip()).split()
    return DEFINITE + "_".join(word.lower() for word in words if word not in _AUXILIARY)

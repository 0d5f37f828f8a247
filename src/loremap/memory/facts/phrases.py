"""Relations that no table has: "the R of X is Y", "X is R-ed by Y"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from loremap.memory.facts.names import LINKS
from loremap.model.predicate import DEFINITE

MAX_SUBJECT_WORDS = 10
MAX_ROLE_WORDS = 5
_PREPOSITION = "of in by for to on at with as from".split()
_RELATION = re.compile(
    r"^(?P<verb>(?:(?:is|are|was|were|has|have)\s+)?(?:been\s+)?(?:[a-z][a-z-]*\s+){0,4}?"
    rf"(?:{'|'.join(_PREPOSITION)}))\s+(?P<object>\S.*)$"
)
_VERBAL = re.compile(r"^(?:is|are|was|were|has|have|[a-z]{2,}(?:s|ed))$")
_AUXILIARY = frozenset("is are was were has have been a an the".split())
_OF_NOUN = re.compile(r"\bthe [a-z][\w-]* of$")
_CATEGORY = re.compile(r"^the (?P<noun>[a-z][\w-]*) of (?P<name>.+)$")


@dataclass(frozen=True, slots=True)
class Relation:
    """A verb with its preposition, and what follows it."""

    predicate: str
    object: str
    apposed: bool
    """Whether a noun says what the object names, which makes a name of it."""
    linked: bool
    """Whether it begins with a form of "to be", which no noun before it can be taken for."""
    past: bool


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
    past = first.endswith("ed")
    return Relation(predicate, name, bool(noun) or of_noun, first in LINKS, past)


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
    if not _DEFINITE.match(left) and left.lower().partition(" of ")[0] not in _TABLED_ROLES:
        return
    phrase = _NAME_OF.sub("", _DEFINITE.sub("", left))
    phrase = phrase[:1].lower() + phrase[1:] if left == phrase else phrase
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
    "maintainer": "maintained_by",
    "version": "version_is",
    "default": "default_is",
    "default value": "default_is",
    "location": "located_in",
    "current version": "version_is",
    "preference": "prefers",
    "successor": "replaced_by",
    "replacement": "replaced_by",
}


def _named(role: str, how: str = "") -> str:
    """The predicate of a role."""
    if not how and role in _TABLED_ROLES:
        return _TABLED_ROLES[role]
    words = _INNER_ARTICLE.sub("", f"{role} {how}".strip()).split()
    return DEFINITE + "_".join(word.lower() for word in words if word not in _AUXILIARY)

"""What it means that one span of a sentence was replaced, by the place the span has in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from loremap.lifecycle import lexicon
from loremap.lifecycle.statement.align import Span, Words
from loremap.lifecycle.statement.meaning import Meaning
from loremap.lifecycle.statement.place import (
    Clause,
    Place,
    clause_of,
    has_scope_within,
    place_of,
)
from loremap.model.words import stem

_MANY_VALUED = frozenset(map(stem, lexicon.MANY_VALUED))
_CHOOSING = frozenset(map(stem, lexicon.CHOOSING))
_FUNCTIONAL = frozenset(map(stem, lexicon.FUNCTIONAL))
_GATHERING = frozenset(map(stem, lexicon.GATHERING))
_RELATIVES = frozenset("of that where which who whose".split())
_OWNING = frozenset("own owns maintains manages".split())
_PURPOSES = frozenset("for as to over".split())
_PERSONS = frozenset("we i".split())
_MAX_OPPOSED = 2
"""Opposites in longer spans are chance: "slow on cold starts", "shared across tenants"."""


@dataclass(frozen=True, slots=True)
class Change:
    """A difference between two statements of one subject."""

    reason: str
    specific: bool


@dataclass(frozen=True, slots=True)
class Contrast:
    """Whether two values are opposites, as on and off, or of one class, as red and blue."""

    opposed: bool = False
    alike: bool = False


def replacement(statement: Meaning, span: Span, *, contrast: Contrast) -> Change | None:
    """The change that replacing `span` makes, or None where it makes another statement."""
    clause = clause_of(statement)
    place = place_of(clause, span)
    if max(_weight(span.old), _weight(span.new)) > _MAX_OPPOSED:
        contrast = Contrast()
    if clause is None or has_scope_within(span):
        specific = None
    elif clause.commanding:
        specific = _commanded(clause, span, place=place, contrast=contrast)
    else:
        specific = _declared(clause, span, place=place, contrast=contrast)
    reason = f"value: {' '.join(span.old)} → {' '.join(span.new)}"
    return None if specific is None else Change(reason, specific=specific)


def is_another(clause: Clause | None, span: Span) -> bool:
    """Whether replacing `span` speaks of another subject, scope, or thing to do besides."""
    place = place_of(clause, span)
    if clause is None or place in (Place.SUBJECT, Place.SCOPE) or has_scope_within(span):
        return True
    if place is Place.PREDICATE:
        return False
    objective = place is Place.OBJECT and clause.verb not in lexicon.COPULAS
    return clause.commanding or objective or _is_many(clause)


def is_empty(words: Sequence[str]) -> bool:
    """Whether none of `words` says anything of its own."""
    return all(
        word in lexicon.FUNCTION["en"] or lexicon.REWRITES.get((word,)) == () for word in words
    )


def _weight(words: Sequence[str]) -> int:
    return sum(not is_empty([word]) for word in words)


def _commanded(clause: Clause, span: Span, *, place: Place, contrast: Contrast) -> bool | None:
    """True where a command's changed words are its one value, False if perhaps, None where not.

    What one must not do is never a value: two things can be forbidden.
    """
    if clause.negated or place not in (Place.OBJECT, Place.PHRASE):
        return None
    suffix = clause.words[span.end :]
    if _spelt_alike(span):
        return True
    if place is Place.PHRASE:
        return True if clause.verb in lexicon.PLACING or _are_flags(span) else None
    if stem(clause.verb) in _CHOOSING:
        if contrast.opposed or not _PURPOSES.isdisjoint(suffix[:1]):
            return True
        return False if contrast.alike else None
    if contrast.opposed:
        return clause.verb in lexicon.PLACING
    return False if suffix[:1] == ("to",) or _are_flags(span) else None


def _declared(clause: Clause, span: Span, *, place: Place, contrast: Contrast) -> bool | None:
    """The same of a predicate: True where it has one value, False if perhaps, None where not."""
    suffix = clause.words[span.end :]
    if place is Place.SUBJECT:
        owned = clause.verb in _OWNING and span.end <= clause.first
        return True if owned else None
    if place is Place.SCOPE:
        return None
    if place is Place.PREDICATE:
        return True if contrast.opposed else None
    if clause.negated:
        return None
    if _spelt_alike(span):
        return True
    if place is Place.PHRASE:
        return None if _is_many(clause) else True
    return _objective(clause, span, contrast=contrast) or (
        False if _weight(suffix) and (contrast.opposed or clause.verb in lexicon.COPULAS) else None
    )


def _objective(clause: Clause, span: Span, *, contrast: Contrast) -> bool:
    """Whether an object or complement is the one value of its predicate."""
    suffix = clause.words[span.end :]
    if not _CHOOSING.isdisjoint(map(stem, clause.verbs)):
        personal = clause.words[0] in _PERSONS and contrast.opposed
        return personal or not _PURPOSES.isdisjoint(suffix[:1])
    lead = clause.words[clause.last + 1 : span.at]
    if _names_attribute(lead):
        return True
    if clause.verb in lexicon.COPULAS:
        named = clause.last > clause.first and clause.words[clause.last] in lexicon.NAMING
        return named or contrast.opposed or contrast.alike or _is_attributed(clause)
    return not _is_many(clause) and (
        contrast.opposed or not _FUNCTIONAL.isdisjoint(map(stem, clause.verbs))
    )


def _is_many(clause: Clause) -> bool:
    """Whether the predicate holds for several objects, or first phrases, at once."""
    if "".join(clause.words[clause.last + 1 : clause.last + 2]) in lexicon.VALUE_PREPOSITIONS:
        return stem(clause.verb) in _GATHERING
    return not _MANY_VALUED.isdisjoint(map(stem, clause.verbs))


def _is_attributed(clause: Clause) -> bool:
    """Whether the subject is an attribute that has one value: `the capital of X is`."""
    return clause.first == clause.last and _names_attribute(clause.words[: clause.first])


def _names_attribute(words: Words) -> bool:
    return any(word in lexicon.ATTRIBUTES or word in _RELATIVES for word in words)


def _are_flags(span: Span) -> bool:
    return span.old[0].startswith("-") and span.new[0].startswith("-")


def _spelt_alike(span: Span) -> bool:
    """Whether names that differ by their digits alone replace each other."""
    left, right = span.old[0], span.new[0]
    single = len(span.old) == len(span.new) == 1
    return single and left != right and _undigited(left) == _undigited(right) != ""


def _undigited(name: str) -> str:
    return "".join(char for char in name if not char.isdigit())

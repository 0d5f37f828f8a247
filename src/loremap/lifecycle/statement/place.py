"""Which part of a sentence a span of it is: subject, predicate, object, phrase or scope."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from loremap.lifecycle import lexicon
from loremap.lifecycle.statement.align import Span, Words
from loremap.lifecycle.statement.meaning import Meaning
from loremap.lifecycle.statement.tokens import PARTICIPLE

_LEADERS = frozenset("always never do not only also just consistently".split())
_NEGATORS = frozenset("never not avoid".split())
_BETWEEN = frozenset("not only always never also now currently still then".split())
_PRONOUNS = frozenset("we i you they".split())
_PREPOSITIONS = lexicon.VALUE_PREPOSITIONS | lexicon.TOPIC_PREPOSITIONS - {"of"}
_RELATIVES = frozenset("that which who whose where".split())
_REACH = 5
"""A noun spelt like a command betrays itself within so many words: "build takes"."""


class Place(Enum):
    """The part of a sentence that some of its words are.

    A PHRASE is a preposition's noun that the verb asks for, as in "lives in src"; SCOPE is one
    that says where, when or for what the rest holds, so that another one makes another statement.
    """

    SUBJECT = "subject"
    PREDICATE = "predicate"
    OBJECT = "object"
    PHRASE = "phrase"
    SCOPE = "scope"


@dataclass(frozen=True, slots=True)
class Clause:
    """The words of a sentence and where its predicate stands in them, `first` to `last`."""

    words: Words
    first: int
    last: int
    commanding: bool
    negated: bool

    @property
    def verb(self) -> str:
        """The command or the finite verb."""
        return self.words[self.first]

    @property
    def verbs(self) -> Words:
        """The finite verb with what completes it: `is stored`, `should call`."""
        return self.words[self.first : self.last + 1]


def clause_of(statement: Meaning) -> Clause | None:
    """The main clause of an English statement, or None where no predicate is known."""
    words = statement.surface
    if is_imperative(statement):
        first = next((at for at, word in enumerate(words) if word not in _LEADERS), 0)
        negated = not _NEGATORS.isdisjoint(words[: first + 1])
        return Clause(words, first, first, commanding=True, negated=negated)
    predicates = list(_predicates(words))
    if not predicates:
        return None
    relative = not _RELATIVES.isdisjoint(words[: predicates[0][0]])
    first, last = predicates[1 if relative and len(predicates) > 1 else 0]
    negated = not _NEGATORS.isdisjoint(words[first : last + 2])
    return Clause(words, first, last, commanding=False, negated=negated)


def is_imperative(statement: Meaning) -> bool:
    """Whether it begins with a command rather than with a noun of the same spelling."""
    if statement.opening not in lexicon.IMPERATIVES:
        return False
    for word in statement.surface[1:_REACH]:
        if word in lexicon.AUXILIARIES or word in lexicon.FINITE:
            return False
        if word in _PREPOSITIONS:
            break
    return True


def place_of(clause: Clause | None, span: Span) -> Place:
    """The part of the sentence that `span` is or begins in."""
    if clause is None or span.at < clause.first:
        return Place.SUBJECT
    if span.at <= clause.last:
        return Place.PREDICATE
    if span.old[:1] != span.new[:1] and {*span.old[:1], *span.new[:1]} <= _PREPOSITIONS:
        return Place.SCOPE
    lead = clause.words[clause.last + 1 : span.at]
    governors = [at for at, word in enumerate(lead) if word in _PREPOSITIONS]
    if not governors:
        return Place.OBJECT
    if _is_asked_for(clause, lead, governors, final=span.end == len(clause.words)):
        return Place.PHRASE
    return Place.SCOPE


def has_scope_within(span: Span) -> bool:
    """Whether a side of `span` ends in a scope of its own: `1 in staging`, `0 in production`."""
    return not lexicon.SCOPES.isdisjoint((*span.old[1:-1], *span.new[1:-1]))


def _is_asked_for(clause: Clause, lead: Words, governors: Sequence[int], *, final: bool) -> bool:
    """Whether the last preposition of `lead` opens a phrase that completes the verb."""
    governor = lead[governors[-1]]
    if governor in lexicon.TOPIC_PREPOSITIONS:  # "is famous for", "is responsible for"
        return governor == "for" and final and len(lead) <= 2 and clause.verb in lexicon.COPULAS
    if any(lead[at] in lexicon.SUBORDINATORS for at in governors[:-1]):
        return False
    if governors[-1] == 0 or governor in lexicon.ARGUMENTS:
        return True
    return clause.commanding and clause.verb in lexicon.PLACING and len(governors) == 1


def _predicates(words: Words) -> Iterator[tuple[int, int]]:
    """Where each finite verb with its completion begins and ends."""
    last = 0
    for at, word in enumerate(words):
        said = word in lexicon.VERBS or (at == 1 and words[0] in _PRONOUNS)
        if at > last and said and _is_finite(word, words[at - 1]):
            last = _completed(words, at)
            yield at, last


def _is_finite(word: str, before: str) -> bool:
    return before not in lexicon.VALUE_PREPOSITIONS and (
        word.endswith(("s", "ed"))
        or word in lexicon.AUXILIARIES
        or word in lexicon.IRREGULAR
        or before.endswith("s")
        or before in _PRONOUNS
    )


def _completed(words: Words, first: int) -> int:
    """Where the predicate that begins at `first` ends: past its auxiliaries and participle."""
    last = first
    for at in range(first + 1, len(words)):
        word, helped = words[at], words[last] in lexicon.AUXILIARIES
        if word in _BETWEEN and helped:
            continue
        if not helped or not _completes(word, words[last]):
            break
        last = at
    return last


def _completes(word: str, auxiliary: str) -> bool:
    if word in lexicon.COPULAS:
        return True
    if auxiliary in lexicon.COPULAS:
        return PARTICIPLE.search(word) is not None or word in lexicon.PARTICIPLES
    return auxiliary in lexicon.MODALS and (word in lexicon.VERBS or word in lexicon.IMPERATIVES)

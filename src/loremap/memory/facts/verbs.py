"""The verbs of the table of predicates as patterns: in every number, with the adverbs they take."""

from __future__ import annotations

import re
from dataclasses import dataclass

from loremap.model.predicate import PREDICATES, Predicate

_ADVERBS = (
    r"(?:(?:now|currently|still|also|always|already|only|ever|all|mainly|primarily|just|both|"
    r"internally|directly)\s+){0,2}"
)
_BE = rf"(?:(?:is|are|am|gets|get|has been|have been)\s+{_ADVERBS})"
_SOME = r"(?:(?!(?:in|to|by|from)\b)[\w'’./-]+\s+){1,4}"


@dataclass(frozen=True, slots=True)
class Verb:
    """A verb of the table: what it says, and whether its object is the subject of the fact."""

    predicate: Predicate
    turned: bool


def _pattern(form: str, *, singular: bool = False) -> str:
    """A form as a pattern, in singular and plural."""
    words = form.split()
    first, rest = words[0], words[1:]
    tail = "".join(_SOME if word == "-" else rf"{re.escape(word)}\s+" for word in rest)
    if first == "is":
        return _BE + tail
    if first == "has":
        return rf"(?:has|have)\s+{tail}"
    return rf"{_ADVERBS}{first if singular else _number(first)}\s+{tail}"


def _number(verb: str) -> str:
    """A verb in the third person, one or many."""
    if verb.endswith("ies"):
        return rf"{verb[:-3]}(?:ies|y)"
    if verb.endswith(("oes", "shes", "ches")):
        return rf"{verb[:-2]}(?:es)?"
    return rf"{verb}?" if verb.endswith("s") and verb != "was" else verb


_TABLE = [
    (_pattern(form), form, Verb(one, turned))
    for one in PREDICATES.values()
    for turned, forms in ((False, one.forms), (True, one.turned))
    for form in forms.replace("\n", " ").split(", ")
    if form
]
_LONGEST_FIRST = sorted(_TABLE, key=lambda entry: -len(entry[1]))
_PATTERNS = tuple((re.compile(pattern), verb) for pattern, _, verb in _LONGEST_FIRST)
_SINGULAR = tuple(
    (re.compile(_pattern(form, singular=True)), verb) for _, form, verb in _LONGEST_FIRST
)
_PARTICIPLES = tuple(
    (re.compile(_pattern(form.removeprefix("is "))), verb)
    for _, form, verb in _LONGEST_FIRST
    if re.match(r"is (?:also )?\w+(?:ed|ilt|ten|wn|und|pt) ", form)
)
_ANY = re.compile(
    r"(?:^|(?<=\s))(?=" + "|".join(dict.fromkeys(pattern for pattern, _, _ in _LONGEST_FIRST)) + ")"
)


def first_verb(clause: str) -> tuple[int, int, list[Verb]] | None:
    """Where the first verb of the table stands in a clause, and what it may say."""
    found = _ANY.search(f"{clause} ")
    return None if found is None else _at(clause, found.start(), _PATTERNS)


def verb_at_start(clause: str, *, participles: bool) -> tuple[int, int, list[Verb]] | None:
    """The verb of the table that a clause begins with, also without its "is". "use X" alone tells
    somebody to."""
    return _at(clause, 0, _SINGULAR) or (_at(clause, 0, _PARTICIPLES) if participles else None)


def _at(
    clause: str, start: int, patterns: tuple[tuple[re.Pattern[str], Verb], ...]
) -> tuple[int, int, list[Verb]] | None:
    """The longest verb there, and all that are as long."""
    matches = [
        (match.end(), verb)
        for pattern, verb in patterns
        if (match := pattern.match(f"{clause} ", start)) is not None
    ]
    if not matches:
        return None
    end = max(size for size, _ in matches)
    said = [verb for size, verb in matches if size == end]
    order = list(PREDICATES.values())
    return start, end, sorted(said, key=lambda verb: order.index(verb.predicate))

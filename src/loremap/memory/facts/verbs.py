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


@dataclass(frozen=True, slots=True)
class _Form:
    """A verb as a pattern, and a part of it that is quickly looked for."""

    part: str
    pattern: re.Pattern[str]
    verb: Verb


def _part(form: str) -> str:
    """The longest word of a form, without what its number changes."""
    word = max(form.replace("-", "").split(), key=len)
    return word.removesuffix("ies").removesuffix("es").removesuffix("s")


_TABLE = sorted(
    (
        (form, Verb(one, turned))
        for one in PREDICATES.values()
        for turned, forms in ((False, one.forms), (True, one.turned))
        for form in forms.split(", ")
        if form
    ),
    key=lambda entry: -len(entry[0]),
)
_FORMS = tuple(
    _Form(_part(form), re.compile(rf"(?:^|(?<=\s)){_pattern(form)}"), verb) for form, verb in _TABLE
)
_SINGULAR = tuple(
    _Form(_part(form), re.compile(_pattern(form, singular=True)), verb) for form, verb in _TABLE
)
_PARTICIPLES = tuple(
    _Form(_part(form), re.compile(_pattern(form.removeprefix("is "))), verb)
    for form, verb in _TABLE
    if re.match(r"is (?:also )?\w+(?:ed|ilt|ten|wn|und|pt) ", form)
)
_ORDER = list(PREDICATES)
Found = tuple[int, int, list[Verb]]


def first_verb(clause: str) -> Found | None:
    """Where the first verb of the table stands in a clause, and what it may say."""
    said = f"{clause} "
    found = [
        (match.start(), match.end(), form.verb)
        for form in _FORMS
        if form.part in said and (match := form.pattern.search(said)) is not None
    ]
    start = min((at for at, _, _ in found), default=None)
    return _longest([one for one in found if one[0] == start])


def verb_at_start(clause: str, *, participles: bool) -> Found | None:
    """The verb of the table that a clause begins with, also without its "is". "use X" alone tells
    somebody to."""
    said = f"{clause} "
    return _at_start(said, _SINGULAR) or (_at_start(said, _PARTICIPLES) if participles else None)


def _at_start(said: str, forms: tuple[_Form, ...]) -> Found | None:
    return _longest(
        [
            (0, match.end(), form.verb)
            for form in forms
            if form.part in said and (match := form.pattern.match(said)) is not None
        ]
    )


def _longest(found: list[tuple[int, int, Verb]]) -> Found | None:
    """The longest of the verbs that begin at one place, and all that are as long."""
    if not found:
        return None
    end = max(size for _, size, _ in found)
    said = [verb for _, size, verb in found if size == end]
    return found[0][0], end, sorted(said, key=lambda verb: _ORDER.index(verb.predicate.name))

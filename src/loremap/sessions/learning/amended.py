"""Which earlier finding a choice replaces: its subject is taken up again and settled otherwise."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from loremap.model.finding import Finding
from loremap.model.kind import Kind
from loremap.model.turn import Speaker
from loremap.sessions.learning.framed import ANSWERED, unframed
from loremap.sessions.learning.function_words import Sign, signs_in
from loremap.sessions.learning.sentences import sentences, telling
from loremap.sessions.learning.statements import Statement

_CHOICES = frozenset({Kind.DECISION, Kind.CONVENTION, Kind.WARNING, Kind.CORRECTION})
_MIN_OF_THREAD, _MIN_OWN = 3, 2
_CLAUSE = re.compile(r"[,;:.!?。、“”]\s*")
_FIGURE = re.compile(r"(\d+(?:\.\d+)?)\s*([^\W\d_]\w{0,4}|%)")


@dataclass(frozen=True, slots=True)
class _Pair:
    score: float
    new: int
    old: str


def with_amended(
    found: Sequence[tuple[Finding, Statement]], known: Sequence[str]
) -> tuple[Finding, ...]:
    """The findings, each with the words of the one it replaces: the best fit of both."""
    pairs = [
        _Pair(score, at, old)
        for at, (one, statement) in enumerate(found)
        for old in (*known, *_on_the_way(statement, [earlier for earlier, _ in found[:at]], one))
        if (score := _likeness(one, statement, old)) > 0
    ]
    amends, taken = dict[int, str](), set[str]()
    for pair in sorted(pairs, key=lambda one: -one.score):
        if pair.new not in amends and pair.old not in taken:
            amends[pair.new] = pair.old
            taken.add(pair.old)
    return tuple(replace(one, amends=amends.get(at, "")) for at, (one, _) in enumerate(found))


def _on_the_way(statement: Statement, earlier: Sequence[Finding], new: Finding) -> list[str]:
    """What was settled a moment ago with another figure, nothing having been done since."""
    return [
        one.content
        for one in earlier
        if sentences(one.quote)[0] in statement.thread and _other_figure(new.content, one.content)
    ]


def _likeness(new: Finding, statement: Statement, old: str) -> float:
    """How surely a finding settles otherwise what `old` had settled; 0 where it does not."""
    if new.kind not in _CHOICES or new.said_by is not Speaker.PERSON:
        return 0.0
    before = telling(unframed(old))
    own = telling(unframed(new.content)) & before
    thread = (telling(statement.thread) & before) | own
    differs = _differ(new.quote, old) or _other_figure(unframed(new.content), old)
    if not own or len(thread) < _MIN_OF_THREAD or not (differs or statement.reasons):
        return 0.0
    if len(own) < _MIN_OWN and not differs:
        return 0.0
    return len(own) + len(thread) / 2 + 2.0 * differs


def _differ(new: str, old: str) -> bool:
    """Whether one denies a word that the other affirms, what a person said of it each time."""
    (no, yes), (no_before, yes_before) = _sides(new), _sides(old)
    return bool(no & (yes_before - no_before) or (yes - no) & no_before)


def _sides(text: str) -> tuple[set[str], set[str]]:
    denied, affirmed = set[str](), set[str]()
    for clause in _CLAUSE.split(unframed(text)):
        side = denied if signs_in(clause)[Sign.NEGATION] else affirmed
        side.update(telling(clause))
    return denied, affirmed


def _other_figure(new: str, old: str) -> bool:
    """Whether both give a figure of the same unit, and not the same."""
    now, before = _figures(new), _figures(unframed(old.rpartition(ANSWERED)[2]))
    return any(unit in before and not before[unit] & now[unit] for unit in now)


def _figures(text: str) -> dict[str, set[str]]:
    found = dict[str, set[str]]()
    for figure, unit in _FIGURE.findall(text.casefold()):
        found.setdefault(unit, set()).add(figure)
    return found

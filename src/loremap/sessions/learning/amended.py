"""Which earlier finding a choice replaces: its subject is taken up again and settled otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from loremap.model.finding import Finding
from loremap.model.kind import Kind
from loremap.model.turn import Speaker
from loremap.sessions.learning.earlier import Earlier, Settled
from loremap.sessions.learning.framed import unframed
from loremap.sessions.learning.otherwise import denies, other_figure
from loremap.sessions.learning.sentences import sentences, telling
from loremap.sessions.learning.statements import Statement

_CHOICES = frozenset(
    {Kind.DECISION, Kind.CONVENTION, Kind.WARNING, Kind.CORRECTION, Kind.GOTCHA, Kind.PREFERENCE}
)
_LATELY = 8
"""So many findings before a finding may have been settled on the way to it."""
_MIN_OF_THREAD, _MIN_OWN = 3, 2


@dataclass(frozen=True, slots=True)
class _Pair:
    score: float
    new: int
    old: str


@dataclass(frozen=True, slots=True)
class _Said:
    """A finding with the words by which it is compared."""

    finding: Finding
    statement: Statement
    own: frozenset[str]
    thread: frozenset[str]


def with_amended(found: Sequence[tuple[Finding, Statement]], known: Settled) -> tuple[Finding, ...]:
    """The findings, each with the words of the one it replaces: the best fit of both."""
    said = [_compared(one, statement) for one, statement in found]
    pairs = [
        _Pair(score, at, old.content)
        for at, one in enumerate(said)
        if one.finding.kind in _CHOICES
        for old in (*known.likest(one.own), *_on_the_way(one, said[max(0, at - _LATELY) : at]))
        if (score := _likeness(one, old)) > 0
    ]
    amends, taken = dict[int, str](), set[str]()
    for pair in sorted(pairs, key=lambda one: -one.score):
        if pair.new not in amends and pair.old not in taken:
            amends[pair.new] = pair.old
            taken.add(pair.old)
    return tuple(replace(one, amends=amends.get(at, "")) for at, (one, _) in enumerate(found))


def _compared(one: Finding, statement: Statement) -> _Said:
    return _Said(one, statement, telling(unframed(one.content)), telling(statement.thread))


def _on_the_way(new: _Said, earlier: Sequence[_Said]) -> list[Earlier]:
    """What was settled a moment ago with another figure, nothing having been done since; only a
    person settles it otherwise."""
    if new.finding.said_by is not Speaker.PERSON:
        return []
    return [
        Earlier(one.finding.content, one.finding.files)
        for one in earlier
        if one.finding.last < new.finding.last
        and sentences(one.finding.quote)[0] in new.statement.thread
        and other_figure(new.finding.content, one.finding.content)
    ]


def _likeness(new: _Said, old: Earlier) -> float:
    """How surely a finding settles otherwise what `old` had settled; 0 where it does not."""
    own = new.own & old.words
    thread = (new.thread & old.words) | own
    other = other_figure(unframed(new.finding.content), old.content)
    differs = other or denies(new.finding.quote, old.content)
    near = len(thread) >= _MIN_OF_THREAD or (other and _same_file(new.finding.files, old.files))
    if not own or not near or not (differs or new.statement.reasons):
        return 0.0
    if len(own) < _MIN_OWN and not differs:
        return 0.0
    return len(own) + len(thread) / 2 + 2.0 * differs


def _same_file(new: Sequence[str], old: Sequence[str]) -> bool:
    """Whether a file was changed for both, however each names it."""
    return any(
        f"/{one}".endswith(f"/{two}") or f"/{two}".endswith(f"/{one}") for one in new for two in old
    )

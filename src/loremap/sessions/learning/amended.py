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

_CHOICES = frozenset({Kind.DECISION, Kind.CONVENTION, Kind.WARNING, Kind.CORRECTION})
_MIN_OF_THREAD, _MIN_OWN = 3, 2


@dataclass(frozen=True, slots=True)
class _Pair:
    score: float
    new: int
    old: str


def with_amended(found: Sequence[tuple[Finding, Statement]], known: Settled) -> tuple[Finding, ...]:
    """The findings, each with the words of the one it replaces: the best fit of both."""
    pairs = [
        _Pair(score, at, old.content)
        for at, (one, statement) in enumerate(found)
        for old in (
            *known.sharing(telling(unframed(one.content))),
            *_on_the_way(statement, [earlier for earlier, _ in found[:at]], one),
        )
        if (score := _likeness(one, statement, old)) > 0
    ]
    amends, taken = dict[int, str](), set[str]()
    for pair in sorted(pairs, key=lambda one: -one.score):
        if pair.new not in amends and pair.old not in taken:
            amends[pair.new] = pair.old
            taken.add(pair.old)
    return tuple(replace(one, amends=amends.get(at, "")) for at, (one, _) in enumerate(found))


def _on_the_way(statement: Statement, earlier: Sequence[Finding], new: Finding) -> list[Earlier]:
    """What was settled a moment ago with another figure, nothing having been done since."""
    return [
        Earlier(one.content, one.files)
        for one in earlier
        if sentences(one.quote)[0] in statement.thread and other_figure(new.content, one.content)
    ]


def _likeness(new: Finding, statement: Statement, old: Earlier) -> float:
    """How surely a finding settles otherwise what `old` had settled; 0 where it does not."""
    if new.kind not in _CHOICES or new.said_by is not Speaker.PERSON:
        return 0.0
    own = telling(unframed(new.content)) & old.words
    thread = (telling(statement.thread) & old.words) | own
    other = other_figure(unframed(new.content), old.content)
    differs = other or denies(new.quote, old.content)
    near = len(thread) >= _MIN_OF_THREAD or (other and _same_file(new.files, old.files))
    if not own or not near or not (differs or statement.reasons):
        return 0.0
    if len(own) < _MIN_OWN and not differs:
        return 0.0
    return len(own) + len(thread) / 2 + 2.0 * differs


def _same_file(new: Sequence[str], old: Sequence[str]) -> bool:
    """Whether a file was changed for both, however each names it."""
    return any(
        f"/{one}".endswith(f"/{two}") or f"/{two}".endswith(f"/{one}") for one in new for two in old
    )

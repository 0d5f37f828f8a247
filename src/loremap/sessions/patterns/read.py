"""What the turns of a session show of patterns: the one question that is asked of these rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from loremap.model.pattern import Pattern, Sighting, gathered
from loremap.model.task import Task as Begun
from loremap.model.turn import Turn
from loremap.sessions.episodes.cut import pieces
from loremap.sessions.learning.known import told
from loremap.sessions.patterns.abandoned import abandoned
from loremap.sessions.patterns.backtracks import backtracks
from loremap.sessions.patterns.co_edits import co_edits
from loremap.sessions.patterns.edits import Task
from loremap.sessions.patterns.error_fixes import error_fixes
from loremap.sessions.patterns.failed_edits import failed_edits
from loremap.sessions.patterns.renames import renames
from loremap.sessions.patterns.searches import searches

Rule = Callable[[Sequence[Task], Sequence[Pattern]], Iterable[Sighting]]
RULES: tuple[Rule, ...] = (co_edits, renames, searches, abandoned, backtracks, failed_edits)
"""The rules that ask for nothing but what was done."""


def sightings_of(
    turns: Sequence[Turn],
    known: Sequence[Pattern] = (),
    *,
    injected: Sequence[str] = (),
    named: Sequence[Begun] = (),
) -> list[Sighting]:
    """What a session shows, by its turns and by what other sessions showed; `named` are the tasks
    that a person began."""
    done = [piece.turns for piece in pieces(turns, named)]
    found = [one for rule in RULES for one in rule(done, known)]
    found += error_fixes(done, known, told(turns, injected))
    return gathered(found)

"""What a session taught, by rules: the one question that is asked of this folder."""

from __future__ import annotations

from collections.abc import Sequence

from loremap.model.finding import Finding
from loremap.model.turn import Turn
from loremap.sessions.learning.amended import with_amended
from loremap.sessions.learning.dead_ends import as_dead_end
from loremap.sessions.learning.earlier import Earlier, Settled
from loremap.sessions.learning.evidence import Weights, fitted
from loremap.sessions.learning.exchanges import exchanges
from loremap.sessions.learning.known import told
from loremap.sessions.learning.recaps import agreed
from loremap.sessions.learning.repairs import repaired, repairs
from loremap.sessions.learning.stated import stated
from loremap.sessions.learning.statements import statements


def findings_of(
    turns: Sequence[Turn],
    *,
    known: Sequence[Earlier] = (),
    injected: Sequence[str] = (),
    weights: Weights | None = None,
) -> tuple[Finding, ...]:
    """What these turns taught, in their order. `known` is what was settled in this
    project before, `injected` is what this session was given."""
    given, by, settled = told(turns, injected), weights or fitted(), Settled(known)
    spoken = exchanges(turns)
    said = [
        (as_dead_end(stated(one), one, turns, given), one)
        for one in statements(spoken, given, by, settled)
    ]
    said += agreed(spoken, given)
    mended = [found for one in repairs(turns) if (found := repaired(one, given, turns)) is not None]
    return tuple(
        sorted((*with_amended(said, settled), *mended), key=lambda one: (one.last, one.first))
    )

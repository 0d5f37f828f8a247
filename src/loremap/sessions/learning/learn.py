"""What a session taught, by rules: the one question that is asked of this folder."""

from __future__ import annotations

from collections.abc import Sequence

from loremap.model.finding import Finding
from loremap.model.turn import Turn
from loremap.sessions.learning.evidence import Weights, fitted
from loremap.sessions.learning.exchanges import exchanges
from loremap.sessions.learning.known import told
from loremap.sessions.learning.repairs import repaired, repairs
from loremap.sessions.learning.stated import stated
from loremap.sessions.learning.statements import statements


def findings_of(
    turns: Sequence[Turn],
    *,
    known: Sequence[Finding] = (),
    injected: Sequence[str] = (),
    weights: Weights | None = None,
) -> tuple[Finding, ...]:
    """What these turns taught, in their order. `known` was learned in sessions before, `injected`
    is what this one was given of it."""
    given, by = told(turns, injected), weights or fitted()
    said = [stated(one) for one in statements(exchanges(turns), given, by)]
    mended = [found for one in repairs(turns) if (found := repaired(one, given)) is not None]
    return tuple(sorted((*said, *mended), key=lambda one: (one.last, one.first)))

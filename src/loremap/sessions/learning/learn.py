"""What the turns of a session teach."""

from __future__ import annotations

from collections.abc import Sequence

from loremap.model.finding import Finding
from loremap.model.turn import Turn


def findings_of(
    turns: Sequence[Turn], *, known: Sequence[str] = (), injected: Sequence[str] = ()
) -> tuple[Finding, ...]:
    """What the turns teach."""
    return ()

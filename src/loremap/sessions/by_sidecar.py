"""Has the small model look at a session that rules have read: it only adds to what they found."""

from __future__ import annotations

from collections.abc import Sequence

from loremap.errors import ModelFailed
from loremap.memory.sidecar import About, Sidecar
from loremap.model.finding import Finding
from loremap.model.session import Session
from loremap.model.turn import Turn
from loremap.sessions.compressed import MOST_TOKENS, compressed
from loremap.sessions.finishing import Known, Reader
from loremap.sessions.pointed import findings_pointed
from loremap.sidecar.tasks.extract import Pointed, extracting


def also_by_sidecar(sidecar: Sidecar, session: Session, read: Reader) -> Reader:
    """A reader that finds what `read` does and what the small model points to besides; it raises a
    `ModelError` where that does not say."""

    def both(turns: Sequence[Turn], known: Known) -> Sequence[Finding]:
        found = read(turns, known)
        more = findings_pointed(
            turns,
            pointed(sidecar, session, turns),
            by_rules=found,
            injected=known.injected,
        )
        return (*found, *more)

    return both


def pointed(sidecar: Sidecar, session: Session, turns: Sequence[Turn]) -> Sequence[Pointed]:
    """What the small model points to; where it fails it is asked once more, about half as much."""
    about = About(session.project_id, session.id)
    shown = compressed(turns)
    if not shown:
        return ()
    try:
        return sidecar.ask(extracting(shown), about)
    except ModelFailed:
        shorter = compressed(turns, most_tokens=MOST_TOKENS // 2)
        return sidecar.ask(extracting(shorter), about)

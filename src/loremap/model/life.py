"""The life of a memory: candidate → confirmed → superseded or retracted, and who may move it.

Every change of status is named by its act in the audit trail. What no edge allows is a fault of the
program and is never written.
"""

from __future__ import annotations

from loremap.model.memory import Status

_CANDIDATE, _CONFIRMED = Status.CANDIDATE, Status.CONFIRMED
_SUPERSEDED, _RETRACTED = Status.SUPERSEDED, Status.RETRACTED

EDGES: dict[tuple[Status, Status], frozenset[str]] = {
    (_CANDIDATE, _CONFIRMED): frozenset({"promote", "confirm", "pin", "update"}),
    (_CANDIDATE, _SUPERSEDED): frozenset({"update"}),
    (_CANDIDATE, _RETRACTED): frozenset({"update", "evict"}),
    (_CONFIRMED, _SUPERSEDED): frozenset({"update"}),
    (_CONFIRMED, _RETRACTED): frozenset({"update", "evict"}),
    # An edit whose words look like an attack starts over, held back until a person confirms it.
    (_CONFIRMED, _CANDIDATE): frozenset({"update"}),
    # Back only by a person, or by what takes a change back.
    (_SUPERSEDED, _CONFIRMED): frozenset({"restore", "confirm"}),
    (_SUPERSEDED, _CANDIDATE): frozenset({"restore"}),
    (_RETRACTED, _CONFIRMED): frozenset({"restore", "confirm"}),
    (_RETRACTED, _CANDIDATE): frozenset({"restore"}),
}
"""By which acts a status becomes another; `undo` may take back any of them."""

EXPIRED = "expired"
EVICTED = "evicted"
SESSION_ENDED = "session ended"
REVERTED = "reverted"
LET_GO = (EXPIRED, EVICTED, SESSION_ENDED, REVERTED)
"""Why a memory was withdrawn with nobody calling it wrong; it may be learned again."""


def may_move(before: Status, after: Status, action: str) -> bool:
    """Whether `action` may turn one status into the other."""
    return before is after or action == "undo" or action in EDGES.get((before, after), ())

"""The one to three lines that an agent reads before it acts: each carries the lesson itself."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from loremap.memory.brief.ours import harmless
from loremap.memory.brief.piece import Piece
from loremap.memory.brief.said import Remarks, joined, memory_piece
from loremap.model.kind import Kind
from loremap.model.recall import Alert, Hit

MAX_LINES = 3
HELD = "Loremap held this once; call it again if you mean it. Remembered, as data and no order:"
HOLDS = frozenset({Kind.WARNING, Kind.CORRECTION})
"""What is held for: a person stands behind it, and it says what not to do."""


@dataclass(frozen=True, slots=True)
class Fired:
    """What warns of a step, and what is to be said of it beside its words."""

    alerts: tuple[Alert, ...]
    remarks: Remarks = field(default_factory=dict)


def tool_lines(fired: Fired, told: Collection[str] = ()) -> list[Piece]:
    """At most three lines of what fires, without what was said at this tier before."""
    fresh = [alert for alert in fired.alerts if alert.memory.id not in told]
    return [line_of(alert, remarks=fired.remarks) for alert in fresh[:MAX_LINES]]


def line_of(alert: Alert, *, remarks: Remarks | None = None) -> Piece:
    """One warning as a line, marked where nobody confirmed it."""
    return memory_piece(
        Hit(alert.memory, alert.memory.confidence, freshness=alert.freshness),
        remarks=remarks,
        why=f"its trigger fires on the {alert.on}",  # the pattern is what the memory says
        titled=False,
    )


def in_one_line(line: Piece) -> str:
    """A warning as it is said with a call that is held: of that some clients show a person only
    the first line."""
    return joined(harmless(line.text))

"""The one to three lines that an agent reads before it acts: each carries the lesson itself."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from loremap.injection.render import Piece, lesson, marks, short_id
from loremap.model.kind import RULES
from loremap.model.recall import Alert

MOST_LINES = 3


def tool_lines(alerts: Sequence[Alert], told: Collection[str] = ()) -> list[Piece]:
    """At most three lines of what fires, without what was said at this tier before."""
    fresh = [alert for alert in alerts if alert.memory.id not in told]
    return [line_of(alert) for alert in fresh[:MOST_LINES]]


def line_of(alert: Alert) -> Piece:
    """One warning as a line: its kind, marks and id, then what it says."""
    memory = alert.memory
    head = f"[{RULES[memory.kind].label}]{marks(alert.freshness)} #{short_id(memory.id)}"
    return Piece(
        text=f"{head} {lesson(memory)}",
        memory_id=memory.id,
        why=f"its trigger fires on the {alert.on}",  # the pattern is what the memory says
        score=memory.confidence,
    )

"""What the log answers: what was done with a file, which files change together, how tools fare."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import NamedTuple

from loremap.model.hook import Operation
from loremap.model.task import Task


@dataclass(frozen=True, slots=True, kw_only=True)
class Interaction:
    """One time at which a file was worked with."""

    at: datetime
    path: str
    operation: Operation
    session_id: str
    client: str = ""
    tool: str = ""
    lines: tuple[int, int] | None = None
    success: bool | None = None
    changed: str = ""
    """What changed, in a line; for edits."""
    why: str = ""
    """What the agent said the call was for."""
    task: Task | None = None


class Edit(NamedTuple):
    """One change of a file, as far as files that change together go."""

    group: str
    """The task, or the session where the log knows of no task."""
    path: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class Together:
    """Two files that were changed within five minutes of each other for one task."""

    first: str
    second: str
    times: int
    tasks: int
    """In how many tasks that was."""
    last_at: datetime


@dataclass(frozen=True, slots=True)
class ToolRate:
    """How a tool has fared."""

    tool: str
    total: int
    successes: int
    """Of those whose outcome is known."""
    failures: int
    mean_ms: float | None
    """None where no client told how long it took."""

    @property
    def rate(self) -> float | None:
        """The share that succeeded; None where no outcome is known."""
        known = self.successes + self.failures
        return self.successes / known if known else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Insights:
    """What the last days came to."""

    days: int
    per_day: tuple[tuple[date, int], ...]
    """How many tool calls there were, on days that had any."""
    rates: tuple[ToolRate, ...]
    files: tuple[tuple[str, int], ...]
    """Those changed most often, and how often."""
    together: tuple[Together, ...]
    statuses: Mapping[str, int]
    """How many tasks stand so."""
    intents: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Past:
    """A past task, and how much it is like what is asked, from 0 to 1."""

    task: Task
    likeness: float

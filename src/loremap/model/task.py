"""A task as a person would name it: what was asked, what was done for it, how it stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

MAX_DESCRIPTION = 200


class Intent(StrEnum):
    """What a task was for, by the structure of what was done."""

    CODE_READING = "CodeReading"
    CODE_WRITING = "CodeWriting"
    PROJECT_FIXING = "ProjectFixing"
    PROJECT_EXPLORATION = "ProjectExploration"


class TaskStatus(StrEnum):
    """How a task stands."""

    ACTIVE = "active"
    PAUSED = "paused"
    """Work is left, and something else is being done, or nothing."""
    COMPLETED = "completed"
    FAILED = "failed"

    @property
    def is_open(self) -> bool:
        """Whether somebody may go on with it."""
        return self in (TaskStatus.ACTIVE, TaskStatus.PAUSED)


class SetBy(StrEnum):
    """Who says how a task stands; what a person says is not changed by a rule."""

    RULE = "rule"
    PERSON = "person"


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One task; every text in it is redacted before it is stored."""

    id: str
    session_id: str
    """Where it began; empty where a person began it outside any session."""
    description: str
    """What was asked, in the words it was asked in, cut short."""
    status: TaskStatus
    started_at: datetime
    intent: Intent | None = None
    """None where what was done does not tell."""
    completed_at: datetime | None = None
    """When it was completed or failed."""
    files_touched: tuple[str, ...] = ()
    """Read or changed, in the order of their first use."""
    tools_used: Mapping[str, int] = field(default_factory=dict)
    """How often each tool was called."""
    outcome: str = ""
    """What was done, in a line made of files and commands; no model's words."""
    project_id: str | None = None
    branch: str | None = None
    set_by: SetBy = SetBy.RULE
    spans: tuple[tuple[datetime, datetime | None], ...] = ()
    """Of one that a person began: when it was at work; what is asked then is asked for it."""
    updated_at: datetime | None = None
    version: int = 1

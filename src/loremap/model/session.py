"""A session of an agent, and what was put into it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

MAX_PINNED = 5
"""Pinned memories that a session starts with."""


class Tier(StrEnum):
    """Why something was injected: three tiers, and the line before a tool."""

    ALWAYS = "always"
    TASK = "task"
    TOOL = "tool"
    ASKED = "asked"


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One session as the store knows it."""

    id: str
    client: str
    created_at: datetime
    project_id: str | None = None
    parent_id: str | None = None
    branch: str | None = None
    transcript: str | None = None
    folder: str | None = None
    """Where it began."""
    last_at: datetime | None = None
    ended_at: datetime | None = None
    always_on: str = ""
    """The block given at the start, kept so that it can be given again unchanged."""
    reset_at: datetime | None = None
    """What was injected before this is no longer in the agent's context."""
    held_out: bool = False
    """Chosen to get nothing, so that with and without can be compared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Injection:
    """One memory, module or block that was put into a session, and why."""

    id: str
    at: datetime
    session_id: str
    project_id: str | None
    client: str
    moment: str
    tier: Tier
    memory_id: str | None
    """None for the module part of a block, and for what several patterns tell."""
    tokens: int
    why: str = ""
    score: float | None = None
    rejected_at: datetime | None = None
    referenced_at: datetime | None = None
    """When later output of the session was seen to use it."""
    patterns: tuple[str, ...] = ()

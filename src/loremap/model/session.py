"""A session of an agent, and what was put into it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

MAX_PINNED = 5
"""Pinned memories that a session starts with."""


class Tier(StrEnum):
    """Why something was injected: what any session is told, what others at work find, what a task
    asks for, how earlier sessions went, the line before a tool, and what was asked for."""

    ALWAYS = "always"
    BRIDGE = "bridge"
    TASK = "task"
    SUMMARY = "summary"
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
    heard_at: datetime | None = None
    """When its last event was, as the log told when the row was read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What a session did and left, as far as later ones go by it; every text is redacted."""

    summary: str = ""
    """What it comes to, in two to five lines; empty where nobody asked for anything."""
    changed: tuple[str, ...] = ()
    """The files it changed, as the project names them, the last first."""
    passed: tuple[str, ...] = ()
    """The commands whose last run succeeded, in the order of that run."""
    failing: tuple[str, ...] = ()
    """Those whose last run failed."""
    stopped: tuple[str, ...] = ()
    """Where it says that it stopped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recap:
    """A session that is over, by what it did and left."""

    session: Session
    work: Work

    @property
    def at(self) -> datetime:
        """When it was last heard of."""
        session = self.session
        return session.heard_at or session.last_at or session.created_at


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

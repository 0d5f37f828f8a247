"""What was said and done in a session, turn by turn, whichever client wrote it down."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from loremap.model.hook import ToolCall


class Speaker(StrEnum):
    """Whose words a turn holds."""

    PERSON = "person"
    """Typed by a person: nothing that a client, a hook or we put in."""
    AGENT = "agent"
    TOOL = "tool"
    """A call and what came of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One thing said, or one call with what came of it."""

    number: int
    """Its place in the session, from 0; the same whenever the same transcript is read."""
    speaker: Speaker
    text: str = ""
    call: ToolCall | None = None
    """With TOOL; its outcome is empty where the session ended before it."""
    at: datetime | None = None
    taken_back: bool = False
    """Done in a turn that the person took back: it was done, and teaches nothing."""
    subagent_id: str = ""
    """Which subagent did it, where that is known."""
    subagent_kind: str = ""
    """The subagent's role, where that is known."""
    in_subagent: bool = False

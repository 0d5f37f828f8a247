"""The log of what was done: tool executions and file interactions as one kind of row."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from loremap.model.hook import FileUse, Moment


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One thing that happened in a session; every text in it is redacted."""

    id: str
    at: datetime
    client: str
    moment: Moment
    session_id: str
    project_id: str | None = None
    turn_id: str | None = None
    """The turn, or the prompt it answers, as the client numbers them."""
    task_id: str | None = None
    """The task it was done for, once the session was read."""
    subagent_id: str | None = None
    subagent_kind: str = ""
    """The subagent's role."""
    tool: str = ""
    parameters: str = "{}"
    """The tool's input in JSON, redacted, long values cut."""
    result: str = ""
    """What came of it, in a few lines."""
    success: bool | None = None
    error: str = ""
    duration_ms: int | None = None
    context_tokens: int | None = None
    """How full the agent's context was."""
    result_tokens: int | None = None
    """What the whole result cost the agent; the log keeps only a part of it."""
    why: str = ""
    """What the agent says a call is for; of a subagent that ends, the task it was given."""
    text: str = ""
    """The prompt, or a subagent's task as it starts, cut short; no words of a model's answer."""
    key: str = ""
    """Equal for one event that reaches us twice; the log holds it once."""
    files: tuple[FileUse, ...] = ()
    """With paths relative to the project."""

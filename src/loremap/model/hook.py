"""What happens in an agent's session, in one form for every client, and what is answered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Any


class Moment(StrEnum):
    """The moments of a session that we listen to, by whatever name a client calls them."""

    SESSION_START = "session_start"
    PROMPT = "prompt"
    BEFORE_TOOL = "before_tool"
    AFTER_TOOL = "after_tool"
    STOP = "stop"
    BEFORE_COMPACT = "before_compact"
    AFTER_COMPACT = "after_compact"
    SUBAGENT_START = "subagent_start"
    SUBAGENT_STOP = "subagent_stop"
    SESSION_END = "session_end"
    OTHER = "other"


class Beginning(StrEnum):
    """How a session, or a new stretch of one, began."""

    STARTUP = "startup"
    RESUME = "resume"
    CLEAR = "clear"
    COMPACT = "compact"
    FORK = "fork"


class Operation(StrEnum):
    """What a tool does with files; `run` is for a command."""

    READ = "read"
    WRITE = "write"
    EDIT = "edit"
    SEARCH = "search"
    ANALYZE = "analyze"
    RUN = "run"


@dataclass(frozen=True, slots=True, kw_only=True)
class FileUse:
    """One file that a tool call worked with."""

    path: str
    """As the client named it; made relative to the project where it is stored."""
    operation: Operation
    lines: tuple[int, int] | None = None
    changed: str = ""
    """What changed, in a line; for edits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """A tool an agent is about to use, or has used."""

    name: str
    use_id: str | None = None
    command: str | None = None
    """The command line, where the tool runs one."""
    files: tuple[FileUse, ...] = ()
    text: str | None = None
    """What is about to be written, where the tool writes."""
    replaced: str = ""
    """What that takes the place of, where the tool says."""
    task: str | None = None
    """The task given on, where the tool starts a subagent."""
    why: str = ""
    """What the agent says it is for, where the client tells."""
    input: Mapping[str, Any] = field(default_factory=dict)
    result: str = ""
    success: bool | None = None
    """None where the tool has not run, or the client does not tell."""
    error: str = ""
    duration_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HookEvent:
    """One moment of a session, as a client told it; nothing of it is redacted yet."""

    client: str
    name: str
    """The client's own name for it."""
    moment: Moment
    session_id: str
    at: datetime
    folder: Path | None = None
    """Where the agent works; None where it has gone or was not told."""
    transcript: Path | None = None
    inner_transcript: Path | None = None
    """The subagent's own, where the client says where it lies."""
    beginning: Beginning | None = None
    turn: str = ""
    """What the client calls the turn, or the prompt it answers."""
    taken_back: tuple[str, ...] = ()
    """Turns that were taken back since, by what the client calls them, where it tells."""
    prompt: str = ""
    """What was asked: at a prompt; of a subagent its task; and before the first tool of a turn,
    where the client tells of prompts only then."""
    tool: ToolCall | None = None
    subagent_id: str | None = None
    """Present where this happens inside a subagent."""
    subagent_kind: str = ""
    """Its role."""
    said: str = ""
    """The agent's last message (stop), or the client's summary (after compaction)."""
    remaining_tokens: int | None = None
    context_tokens: int | None = None
    """How full the agent's context is, as its transcript tells."""
    incognito: bool = False
    key: str = ""
    """Equal for one event that reaches us twice."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What is answered to an event; usually nothing."""

    context: str = ""
    """For the model."""
    notice: str = ""
    """One line for the person."""
    hold: str = ""
    """Why the tool call is held back this once; called again, it passes."""

    recorded: bool = True
    """Whether the event is safe; where it is not, the hook keeps a reference to it."""

    def __bool__(self) -> bool:
        return bool(self.context or self.notice or self.hold)

"""What differs between clients, as values: where their fields lie and how they tell of a result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any

from loremap.clients.payloads import outcomes
from loremap.clients.payloads.outcomes import Outcome
from loremap.clients.payloads.payload import Raw, items, text, whole
from loremap.clients.payloads.tools import called, edited_in, given_input
from loremap.model.hook import Moment, ToolCall

Env = Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """An event that a client might tell of, in the words that most use."""

    name: str
    session_id: str
    folder: str
    told: Mapping[str, Any]


class Sign(IntEnum):
    """How surely a payload is one client's, for one that was started by another inherits the
    other's environment."""

    NONE = 0
    LIKE = 1
    """It looks like one of its own, and the environment does not speak against it."""
    SESSION = 2
    """Its environment names the very session."""
    SHARED = 3
    """Its form, which another has too, with more in it."""
    OWN = 4
    """A field that only it sends."""


def usual_tool(raw: Raw, moment: Moment, tell: Callable[[Raw], Outcome]) -> ToolCall | None:
    """The call as most clients tell it."""
    name = text(raw, "tool_name", "toolName")
    if not name:
        return None
    given = given_input(raw, "tool_input", "toolInput", "toolArgs", "tool_args")
    call = called(name, given, use_id=text(raw, "tool_use_id", "toolUseId", "tool_call_id"))
    return finished(call, raw, moment, tell)


def finished(call: ToolCall, raw: Raw, moment: Moment, tell: Callable[[Raw], Outcome]) -> ToolCall:
    """The call with what came of it, where it has run."""
    if moment is not Moment.AFTER_TOOL:
        return call
    outcome = tell(raw)
    return replace(
        call,
        files=edited_in(raw.get("tool_response"), call.files),
        result=outcome.result,
        success=outcome.success,
        error=outcome.error,
        duration_ms=whole(raw, "duration_ms", "durationMs", "duration"),
    )


def usual_folder(raw: Raw) -> str:
    """Where the agent works, as most clients tell it."""
    roots = [root for root in items(raw, "workspace_roots", "workspaceRoots") if root]
    return text(raw, "cwd", "working_dir", "workspacePath") or (
        roots[0] if roots and isinstance(roots[0], str) else ""
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Adapter:
    """How one client tells of its sessions."""

    marks: Callable[[Raw, Env], Sign] = lambda raw, env: Sign.NONE
    """How surely what was sent is this client's, by what it sent and its environment."""
    env: str = ""
    """How the variables begin in which it tells of a session, where it does."""
    flattened: Callable[[Raw], Raw] = lambda raw: {}
    """Fields that lie deeper, as they would at the top."""
    event: tuple[str, ...] = ("hook_event_name", "hookEventName", "hookName", "event")
    session: tuple[str, ...] = ("session_id", "sessionId")
    session_env: tuple[str, ...] = ()
    folder: Callable[[Raw], str] = usual_folder
    folder_env: tuple[str, ...] = ()
    transcript: tuple[str, ...] = ("transcript_path", "transcriptPath")
    written: Callable[[Raw, Env], str] = lambda raw, env: ""
    """Where the transcript lies, for a client that does not say."""
    prompt: tuple[str, ...] = ("prompt",)
    said: tuple[str, ...] = ("last_assistant_message",)
    turn: tuple[str, ...] = ("prompt_id", "turn_id", "generation_id")
    """What tells one turn from the next, where the client numbers them."""
    agent: Callable[[Raw], str] = lambda raw: text(raw, "agent_id", "subagent_id")
    """The id of the subagent in which this happens."""
    outcome: Callable[[Raw], Outcome] = outcomes.of_any
    tool: Callable[[Raw, Moment, Callable[[Raw], Outcome]], ToolCall | None] = usual_tool
    moment: Callable[[Raw, Moment], Moment] = lambda raw, moment: moment
    """What the event means where its name alone does not say."""
    wanted: Callable[[Raw, Moment], bool] = lambda raw, moment: True
    """Whether the event is about the session at all."""
    begins_every_turn: bool = False
    """It says of every turn that it is a beginning."""
    example: Callable[[Example], dict[str, Any]] | None = None
    """What it would send, for one whose fields are not the first of those named above."""

    def sent(self, example: Example) -> dict[str, Any]:
        """What the client would send."""
        if self.example is not None:
            return self.example(example)
        head = {self.session[0]: example.session_id, self.event[0]: example.name}
        return {**head, "cwd": example.folder, **example.told}

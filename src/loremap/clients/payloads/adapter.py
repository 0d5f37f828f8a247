"""What differs between clients, as values: where their fields lie and how they tell of a result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from loremap.clients.payloads import outcomes
from loremap.clients.payloads.outcomes import Outcome
from loremap.clients.payloads.payload import Raw, items, text, whole
from loremap.clients.payloads.tools import called, edited_in, given_input
from loremap.model.hook import Moment, ToolCall

Env = Mapping[str, str]


def every(_raw: Raw, _moment: Moment) -> bool:
    """Listen to whatever the client tells."""
    return True


def as_named(_raw: Raw, moment: Moment) -> Moment:
    """The moment that the event's name says."""
    return moment


def flat(_raw: Raw) -> Raw:
    """Nothing has to be brought to the top: the fields lie there."""
    return {}


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


def usual_agent(raw: Raw) -> str:
    """The id of the subagent in which this happens, as most clients tell it."""
    return text(raw, "agent_id", "subagent_id")


def unwritten(_raw: Raw, _env: Env) -> str:
    """The client says by itself where its transcript lies, or there is none."""
    return ""


def usual_folder(raw: Raw) -> str:
    """Where the agent works, as most clients tell it."""
    roots = [root for root in items(raw, "workspace_roots", "workspaceRoots") if root]
    return text(raw, "cwd", "working_dir", "workspacePath") or (
        roots[0] if roots and isinstance(roots[0], str) else ""
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Adapter:
    """How one client tells of its sessions."""

    client: str
    flattened: Callable[[Raw], Raw] = flat
    """Fields that lie deeper, as they would at the top."""
    event: tuple[str, ...] = ("hook_event_name", "hookEventName", "hookName", "event")
    session: tuple[str, ...] = ("session_id", "sessionId")
    session_env: tuple[str, ...] = ()
    folder: Callable[[Raw], str] = usual_folder
    folder_env: tuple[str, ...] = ()
    transcript: tuple[str, ...] = ("transcript_path", "transcriptPath")
    written: Callable[[Raw, Env], str] = unwritten
    """Where the transcript lies, for a client that does not say."""
    prompt: tuple[str, ...] = ("prompt",)
    said: tuple[str, ...] = ("last_assistant_message",)
    turn: tuple[str, ...] = ("prompt_id", "turn_id", "generation_id")
    """What tells one turn from the next, where the client numbers them."""
    agent: Callable[[Raw], str] = usual_agent
    outcome: Callable[[Raw], Outcome] = outcomes.of_any
    tool: Callable[[Raw, Moment, Callable[[Raw], Outcome]], ToolCall | None] = usual_tool
    moment: Callable[[Raw, Moment], Moment] = as_named
    """What the event means where its name alone does not say."""
    wanted: Callable[[Raw, Moment], bool] = every
    """Whether the event is about the session at all."""

"""Cline: one object per event, named for it, beside the task's id.

Its command line names events otherwise than its documentation and its extension do, gives every
agent an id, the first one too, and passes the input of a tool on as it is; the extension only as
texts. It tells no prompt: that stands in the session's file by the time of the first tool.

Connected by one executable file for each hook, and our server in its list of servers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from loremap.clients.client import Client, Loaded, Settings
from loremap.clients.framed import without_framed
from loremap.clients.payloads.adapter import Adapter, Env, Example, Sign, finished
from loremap.clients.payloads.outcomes import Outcome, failed, told_by_text
from loremap.clients.payloads.payload import Raw, mapping, said, text, whole
from loremap.clients.payloads.tools import called
from loremap.clients.replies import CONTEXT
from loremap.clients.settings.edits import Edit, OwnFile
from loremap.clients.settings.servers import JsonServer
from loremap.clients.settings.site import MARK, SERVER, Site
from loremap.clients.transcripts import past, record
from loremap.clients.transcripts.past import About, Past
from loremap.clients.transcripts.record import Lines, Record, Role, Transcript
from loremap.model.hook import Moment, ToolCall

NAME, TITLE = "cline", "Cline"
EVENTS = (
    *("TaskStart", "TaskResume", "UserPromptSubmit", "PreToolUse", "PostToolUse"),
    *("PreCompact", "TaskComplete", "TaskCancel"),
)

# Settings

_EXTENSION = "globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"


def _own(site: Site) -> Path:
    return site.user / ".cline"


def _documents(site: Site) -> Path:
    return site.user / "Documents" / "Cline"


def _hook_folder(site: Site) -> Path:
    """One folder only: it runs the hooks of every folder it knows."""
    if site.project is not None:
        return site.project / ".clinerules" / "hooks"
    if _documents(site).is_dir() and not _own(site).is_dir():
        return _documents(site) / "Hooks"
    return _own(site) / "hooks"


def _server_file(site: Site) -> Path:
    """The list of the command line, or of the extension where only that is here."""
    extension = site.application("Code") / "User" / _EXTENSION
    if extension.is_file() and not _own(site).is_dir():
        return extension
    return _own(site) / "data" / "settings" / "cline_mcp_settings.json"


def _hook(site: Site, event: str) -> OwnFile:
    if site.platform == "win32":
        line = site.powershell_hook(NAME, event)
        return OwnFile(_hook_folder(site) / f"{event}.ps1", f"# {MARK}\n{line}\n")
    script = f"#!/bin/sh\n# {MARK}\n{site.hook(NAME, event)}\n"
    return OwnFile(_hook_folder(site) / event, script, executable=True)


def _edits(site: Site) -> tuple[Edit, ...]:
    server = JsonServer(_server_file(site), ("mcpServers", SERVER), site.server(NAME))
    return (*(_hook(site, event) for event in EVENTS), server)


# What its hooks send

_PARTS = ("tool_result", "tool_call", "postToolUse", "preToolUse")
_LISTS = frozenset({"commands", "files", "queries", "paths", "edits"})
"""Parameters that are lists, which come as JSON text."""
_INNER = {
    Moment.SESSION_START: Moment.SUBAGENT_START,
    Moment.STOP: Moment.SUBAGENT_STOP,
    Moment.SESSION_END: Moment.OTHER,
}
_ID = re.compile(r"[\w-][\w.-]{0,199}")


def _marks(raw: Raw, _env: Env) -> Sign:
    return Sign.OWN if "taskId" in raw and "hookName" in raw else Sign.NONE


def _tool(raw: Raw, moment: Moment, tell: Callable[[Raw], Outcome]) -> ToolCall | None:
    part = mapping(raw, *_PARTS)
    name = text(part, "name", "toolName", "tool") or text(raw, "tool_name")
    if not name:
        return None
    given = mapping(part, "input") or _spelled_out(mapping(part, "parameters"))
    use_id = text(part, "id", "toolCallId") or text(raw, "tool_use_id")  # as a spool has it
    call = called(name, given, use_id=use_id)
    lasted = whole(part, "durationMs", "executionTimeMs")
    return finished(call, {**raw, "duration_ms": lasted}, moment, tell)


def _spelled_out(parameters: Raw) -> Raw:
    """Parameters with the lists among them as lists."""
    return {name: _listed(value) if name in _LISTS else value for name, value in parameters.items()}


def _listed(value: Any) -> Any:
    if not isinstance(value, str) or not value.lstrip().startswith("["):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def _flattened(raw: Raw) -> Raw:
    """The session's id, the prompt and the last words lie deeper."""
    part = mapping(raw, "userPromptSubmit", "taskStart", "taskResume", "taskComplete")
    inner = mapping(part, "taskMetadata")
    return {
        "root": text(mapping(raw, "sessionContext"), "rootSessionId"),
        "prompt": text(part, "prompt", "task") or text(inner, "initialTask", "task"),
        "said": text(mapping(raw, "turn"), "outputText")
        or text(inner, "result")
        or text(part, "result"),
    }


def _inner_agent(raw: Raw) -> str:
    """The agent's id where another agent has started it."""
    return text(raw, "agent_id") if text(raw, "parent_agent_id") else ""


def _moment(raw: Raw, moment: Moment) -> Moment:
    return _INNER.get(moment, moment) if _inner_agent(raw) else moment


def _outcome(raw: Raw) -> Outcome:
    """It says of each part of a call whether it worked, and calls the whole a success."""
    after = mapping(raw, "tool_result", "postToolUse")
    output = after.get("output", after.get("result"))
    words, listed = said(output), output if isinstance(output, list) else [output]
    parts = [part for part in listed if isinstance(part, dict)]
    if wrong := [part for part in parts if part.get("success") is False]:
        return failed(text(wrong[0], "error") or said(wrong[0]) or "failed", result=words)
    if error := text(after, "error"):
        return failed(error, result=words)
    success = mapping(raw, "postToolUse").get("success")
    if success is False:
        return failed(words or "failed")
    return told_by_text(words, otherwise=True if success is True or parts else None)


def _session_file(raw: Raw, env: Env) -> str:
    """Where the session is written down; inside a subagent nowhere that we know of."""
    session = text(mapping(raw, "sessionContext"), "rootSessionId") or text(raw, "session_id")
    if not _ID.fullmatch(session) or _inner_agent(raw):
        return ""
    sessions = _sessions(env, Path("~/.cline").expanduser())
    return str(sessions / session / f"{session}.messages.json")


def _sessions(env: Env, own: Path) -> Path:
    own = Path(env.get("CLINE_DIR") or own)
    data = Path(env.get("CLINE_DATA_DIR") or own / "data")
    return Path(env.get("CLINE_SESSION_DATA_DIR") or data / "sessions")


def _example(example: Example) -> dict[str, Any]:
    """A tool about to be used, as the command line tells of it: under a name that is not the
    hook's, from an agent with an id, the input both as it is and as texts."""
    session, given = example.session_id, {"commands": [example.told["tool_input"]["command"]]}
    texts = {name: json.dumps(value) for name, value in given.items()}
    return {
        "taskId": session,
        "sessionContext": {"rootSessionId": session},
        "workspaceRoots": [example.folder],
        "agent_id": f"agent_{session}",
        "parent_agent_id": None,
        "hookName": "tool_call",
        "iteration": 1,
        "tool_call": {"id": example.told["tool_use_id"], "name": "run_commands", "input": given},
        "preToolUse": {"toolName": "run_commands", "parameters": texts},
    }


# What it writes down: one JSON object, written out with a line for each of its parts

_BEGINS, _ENDS = b"    {", (b"    }", b"    },")
"""How a message begins and ends: no text in it holds a line break, so no other line is like it."""
_ROLES = {"assistant": Role.AGENT, "user": Role.USER}
_ASKED, _ASKED_END = "<user_input", "</user_input>"
_USED = ("inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens")


def _messages(lines: Lines) -> Iterator[tuple[int, bytes]]:
    """The messages among the lines, each as one line; one that is cut off is left out."""
    begun, parts = 0, list[bytes]()
    for at, line in lines:
        bare = line.rstrip()
        if bare == _BEGINS:
            begun, parts = at, [line]
        elif parts and bare in _ENDS:
            yield begun, b"".join((*parts, b"}"))
            parts = []
        elif parts:
            parts.append(line)


def _records(message: Raw) -> Iterator[Record]:
    """What one message tells, without what hooks put in."""
    at, used = _time(message), record.summed(mapping(message, "metrics"), *_USED)
    role = _ROLES.get(text(message, "role"))
    for block in record.blocks_of(message):
        kind = text(block, "type")
        if kind == "text" and role is not None and (words := _plain(text(block, "text"))):
            yield Record(role=role, at=at, text=words, context_tokens=used)
        elif kind == "tool_use":
            given, use_id = mapping(block, "input"), text(block, "id")
            yield record.call(at, text(block, "name"), given, use_id, context_tokens=used)
        elif kind == "tool_result":
            yield record.result(at, text(block, "tool_use_id"), _came_of(block))


def _plain(words: str) -> str:
    words = without_framed(words, "hook_context").strip()
    if words.startswith(_ASKED) and words.endswith(_ASKED_END):
        words = words.partition(">")[2].removesuffix(_ASKED_END)
    return words.strip()


def _came_of(block: Raw) -> Outcome:
    content = mapping(block, "content") or block.get("content")
    outcome = _outcome({"tool_result": {"output": content}})
    return Outcome(outcome.result or said(content), outcome.success, outcome.error)


def _time(message: Raw) -> datetime | None:
    ms = whole(message, "ts")
    return datetime.fromtimestamp(ms / 1000, tz=UTC) if ms and 0 < ms < 1 << 43 else None


# Where it keeps its sessions: a folder for each, with what it is about in a file beside it


def _files(site: Site) -> Iterator[Path]:
    return past.below(_sessions(site.environ, _own(site)), "*", "*.messages.json")


def _about(path: Path) -> Iterator[About]:
    told = past.small(path.with_name(f"{path.parent.name}.json"))
    if text(told, "session_id") == path.parent.name:
        yield About(
            id=path.parent.name,
            folder=text(told, "cwd", "workspace_root"),
            branch=text(mapping(mapping(told, "metadata"), "git"), "branch"),
            began=record.time_of(told.get("started_at")),
            last=record.time_of(told.get("ended_at")),
        )


CLIENT = Client(
    name=NAME,
    title=TITLE,
    experimental=True,
    settings=Settings(
        programs=("cline",),
        folders=lambda site: (_own(site), _documents(site)),
        edits=_edits,
        no_project="keeps its MCP servers for the user only",
    ),
    events=EVENTS,
    payloads=Adapter(
        marks=_marks,
        env="CLINE_",
        session=("root", "session_id", "taskId", "task_id"),
        said=("said",),
        outcome=_outcome,
        tool=_tool,
        flattened=_flattened,
        agent=_inner_agent,
        moment=_moment,
        written=_session_file,
        begins_every_turn=True,
        example=_example,
    ),
    transcript=Transcript(
        records=_records, objects=_messages, tells_tokens=True, tail_bytes=256 * 1024
    ),
    past=Past(files=_files, about=_about),
    reply={CONTEXT: {"cancel": False, "contextModification": CONTEXT}},
    silence=b"{}",
    # What is said to it otherwise does not arrive, so all waits for the first tool.
    takes=frozenset({Moment.BEFORE_TOOL, Moment.AFTER_TOOL}),
    keeps_on_resume=True,
    reads=(Loaded("AGENTS.md"), Loaded(".clinerules"), Loaded(".clinerules/")),
)

"""Copilot CLI: flat fields in camelCase for its own events, Claude's for events named as Claude's.

Its own events do not name themselves: the name comes with the installed command.

Connected by a file of hooks of our own, our server in its list of servers, and skills.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from loremap.clients.client import USUAL, Client, Loaded, Settings
from loremap.clients.framed import without_framed
from loremap.clients.payloads.adapter import Adapter, Env, Example, Sign
from loremap.clients.payloads.outcomes import Outcome, failed, told_by_text
from loremap.clients.payloads.payload import Raw, mapping, said, text, whole
from loremap.clients.payloads.tools import given_input
from loremap.clients.replies import CONTEXT, DENIED, HOLD
from loremap.clients.settings import slash
from loremap.clients.settings.edits import Edit, has_plugin, read_object
from loremap.clients.settings.json_values import flat_hooks
from loremap.clients.settings.servers import JsonServer
from loremap.clients.settings.site import SERVER, Site
from loremap.clients.transcripts import past, record
from loremap.clients.transcripts.past import About, Past
from loremap.clients.transcripts.record import EVER, Cut, Record, Role, Transcript
from loremap.clients.transcripts.rewound import by_lines, last_time, object_in
from loremap.model.hook import Moment

NAME, TITLE = "copilot", "Copilot CLI"
EVENTS = {
    "sessionStart": 10,
    "userPromptSubmitted": 5,
    "preToolUse": 5,
    "postToolUse": 5,
    "preCompact": 5,
    "agentStop": 5,
    "sessionEnd": 3,
}

# Settings


def folder(site: Site) -> Path:
    """Where its settings lie."""
    return site.folder("COPILOT_HOME", ".copilot")


def _handler(site: Site, event: str, seconds: int) -> dict[str, Any]:
    if site.platform == "win32":
        line = {"powershell": site.powershell_hook(NAME, event)}
    else:
        line = {"bash": site.hook(NAME, event)}
    return {"type": "command", **line, "timeoutSec": seconds}


def _edits(site: Site) -> tuple[Edit, ...]:
    below = folder(site) if site.project is None else site.project / ".github"
    handlers = {event: _handler(site, event, seconds) for event, seconds in EVENTS.items()}
    hooks = flat_hooks(below / "hooks" / "loremap.json", handlers, needs=(("version", 1),))
    server = {"type": "local", **site.server(NAME), "tools": ["*"]}
    if site.project is not None:
        return (hooks, JsonServer(site.project / ".mcp.json", ("mcpServers", SERVER), server))
    # In parts, for it has a /memory of its own.
    says = partial(slash.asked, typed="$ARGUMENTS")
    return (
        hooks,
        JsonServer(below / "mcp-config.json", ("mcpServers", SERVER), server),
        *slash.skills(below / "skills", (*slash.MAIN, *slash.PARTS), says),
    )


def _remarks(site: Site) -> tuple[str, ...]:
    files = (folder(site) / name for name in ("settings.json", "config.json"))
    return tuple(
        f"Hooks are switched off by disableAllHooks in {file}: ours will not run."
        for file in files
        if read_object(file).get("disableAllHooks") is True
    )


# What its hooks send

_FAILED = frozenset("failure failed error denied rejected timeout cancelled aborted".split())
_RENAMED = {"tool_name": "toolName", "tool_input": "toolArgs", "tool_use_id": "toolUseId"}


def _marks(raw: Raw, env: Env) -> Sign:
    lent = "COPILOT_PLUGIN_ROOT" in env or "COPILOT_HOOK_DIR" in env
    return Sign.SHARED if lent or "sessionId" in raw else Sign.NONE


def outcome(raw: Raw) -> Outcome:
    """What came of a call, in either shape: a failing command is a success whose words say so."""
    if error := text(raw, "error"):
        return failed(error)
    parts = mapping(raw, "toolResult", "tool_result", "tool_response")
    words = text(parts, "textResultForLlm", "text_result_for_llm") or said(parts)
    words = words or text(raw, "toolResult", "tool_result", "tool_response")
    if text(parts, "resultType", "result_type").lower() in _FAILED:
        return failed(words or "failed")
    return told_by_text(words, otherwise=True)


def _example(example: Example) -> dict[str, Any]:
    own = {_RENAMED.get(field, field): value for field, value in example.told.items()}
    return {"sessionId": example.session_id, "cwd": example.folder, **own}


# What it writes down: messages, and the beginning and end of each call of a tool

_SHELL = re.compile(r"\s*<shellId: [^<>\n]{1,80}>\s*\Z")


def records(line: Raw) -> Iterator[Record]:
    """What one line tells; hooks have lines of their own, which are left out."""
    inner = bool(text(line, "agentId") or text(mapping(line, "data"), "parentToolCallId"))
    yield from (replace(one, in_subagent=inner) for one in _told(line))


def _told(line: Raw) -> Iterator[Record]:
    data, at = mapping(line, "data"), record.time_of(line.get("timestamp"))
    words, use_id = text(data, "content"), text(data, "toolCallId")
    match text(line, "type"):
        case "user.message" if words and _is_typed(data):
            yield Record(role=Role.USER, at=at, text=words)
        case "assistant.message" if words:
            yield Record(role=Role.AGENT, at=at, text=words)
        case "tool.execution_start":
            yield record.call(at, text(data, "toolName"), given_input(data, "arguments"), use_id)
        case "tool.execution_complete":
            yield record.result(at, use_id, _came_of(data))


def _is_typed(data: Raw) -> bool:
    """Whether a person wrote a message: not a skill, another agent, the client to go on by itself,
    nor somebody who has another name for it."""
    is_own = data.get("source") in (None, "", "user")
    return is_own and not data.get("isAutopilotContinuation") and data.get("agentMode") != "shell"


def _came_of(data: Raw) -> Outcome:
    code = whole(mapping(data, "shellExecution"), "exitCode")
    told = mapping(data, "result")
    words = (
        text(told, "detailedContent") or _plain(text(told, "content")) or said(data.get("error"))
    )
    if data.get("success") is True and code in (None, 0):
        return Outcome(words, True)
    return Outcome(words, False, f"exit code {code}" if code else words[:500] or "failed")


def _plain(words: str) -> str:
    """What the model was given, without what the client and, by its leave, hooks have added."""
    return _SHELL.sub("", without_framed(words, "system_reminder")).strip()


# Where it keeps its sessions: a folder for each


def _about(path: Path) -> Iterator[About]:
    first = next(past.head(path), {})
    data = mapping(first, "data")
    at = mapping(data, "context")
    if text(first, "type") == "session.start":
        yield About(
            id=path.parent.name,
            folder=text(at, "cwd") or text(at, "gitRoot"),
            branch=text(at, "branch"),
            began=record.time_of(data.get("startTime")),
        )


def _cut_at(path: Path, at: int, line: bytes) -> Cut | None:
    """The file is cut off, but for what hooks said, and a line says that it was."""
    if b'"infoType":"rewind"' not in line:
        return None
    kept = last_time(path, at, without=b'"type":"hook.')
    until = record.time_of(object_in(line).get("timestamp"))
    return Cut(kept or EVER, until or EVER, start_too=True)


CLIENT = Client(
    name=NAME,
    title=TITLE,
    settings=Settings(
        programs=("copilot",),
        folders=lambda site: (folder(site),),
        moved_by=("COPILOT_HOME",),
        edits=_edits,
        remarks=_remarks,
        plugin=lambda site: has_plugin(read_object(folder(site) / "settings.json")),
    ),
    events=EVENTS,
    payloads=Adapter(
        marks=_marks,
        env="COPILOT_",
        folder_env=("COPILOT_PROJECT_DIR",),
        prompt=("prompt", "userPrompt"),
        said=("last_assistant_message", "lastAssistantMessage"),
        outcome=outcome,
        example=_example,
    ),
    transcript=Transcript(records=records, rewound=by_lines(_cut_at)),
    past=Past(
        files=lambda site: past.below(folder(site) / "session-state", "*", "events.jsonl"),
        about=_about,
    ),
    reply={CONTEXT: {"additionalContext": CONTEXT}, HOLD: DENIED},
    takes=USUAL - {Moment.SUBAGENT_START},
    holds=True,
    reads=(
        *map(Loaded, ("AGENTS.md", "CLAUDE.md", "GEMINI.md")),
        *map(Loaded, (".github/copilot-instructions.md", ".github/instructions/")),
        Loaded(".claude/rules/"),
    ),
    imports=True,
)

"""OpenCode, as our own plugin tells it: the plugin is its hooks and its slash commands.

The plugin sends one JSON object for each event; what does not apply is left out:

    event        SessionStart | UserPromptSubmit | PreToolUse | PostToolUse | Stop |
                 PreCompact | PostCompact | SubagentStart | SubagentStop | SessionEnd
    session_id   the session's id; in a child session that of its parent
    agent_id     the child session's own id, only inside a subagent
    agent_type   the agent's name there
    cwd          the folder OpenCode was started in
    source       SessionStart: startup | resume | compact | fork
    prompt       UserPromptSubmit: the text parts of the user's message, without synthetic ones
    prompt_id    the message's id
    tool_name    as OpenCode names it: bash, edit, write, read, grep, task, patch …
    tool_use_id  the call's id
    tool_input   the call's arguments
    tool_output  PostToolUse: `output.output`, or the text of `output.content` for an MCP tool
    exit_code    PostToolUse of bash: `output.metadata.exit`
    error        PostToolUse: what the tool threw
    duration_ms  PostToolUse: how long it took
    last_assistant_message   Stop, SubagentStop: the last text of the assistant
    compact_summary          PostCompact: the summary

It gets `{"context": "…", "notice": "…", "hold": "…"}` back, each only where there is something to
say, or nothing at all; `hold` is why a call is not let through this once.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path

from loremap.clients.client import USUAL, Client, Loaded, Settings
from loremap.clients.payloads.adapter import Adapter
from loremap.clients.payloads.outcomes import Outcome, failed
from loremap.clients.payloads.payload import Raw, mapping, parsed, said, text, whole
from loremap.clients.replies import CONTEXT, HOLD, NOTICE
from loremap.clients.settings import slash
from loremap.clients.settings.edits import Edit, OwnFile
from loremap.clients.settings.servers import JsonServer
from loremap.clients.settings.site import SERVER, Site
from loremap.clients.transcripts import past, record
from loremap.clients.transcripts.lines import LINE_BYTES
from loremap.clients.transcripts.past import MAX_FILES, About, Past
from loremap.clients.transcripts.record import Record, Role
from loremap.model.hook import Moment
from loremap.storage.foreign import rows

NAME, TITLE = "opencode", "OpenCode"
EVENTS = (
    *("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "PreCompact"),
    *("PostCompact", "SubagentStart", "SubagentStop", "SessionEnd"),
)


def _folder(site: Site) -> Path:
    return site.config / "opencode"


def _settings(folder: Path) -> Path:
    """The settings file that is there; it reads both."""
    commented = folder / "opencode.jsonc"
    return commented if commented.exists() else folder / "opencode.json"


def plugin(launcher: Path) -> str:
    """The text of the plugin that starts `launcher`."""
    source = resources.files("loremap.interfaces.hooks").joinpath("opencode_plugin.js")
    asked = slash.asked(slash.Slash("{words}", "", ""), typed="{typed}")
    commands = {each.name: each.says for each in (*slash.MAIN, slash.MEMORY)}
    text = source.read_text("utf-8").replace('"@LAUNCHER@"', json.dumps(str(launcher)))
    text = text.replace('{ "@COMMANDS@": "" }', json.dumps(commands))
    return text.replace('"@ASKED@"', json.dumps(asked))


def _edits(site: Site) -> tuple[Edit, ...]:
    started = [str(site.launcher), "mcp", NAME]
    server = {"type": "local", "command": started, "enabled": True}
    below = _folder(site) if site.project is None else site.project / ".opencode"
    settings = _settings(_folder(site) if site.project is None else site.project)
    return (
        OwnFile(below / "plugins" / "loremap.js", plugin(site.launcher)),
        JsonServer(settings, ("mcp", SERVER), server),
    )


def _outcome(raw: Raw) -> Outcome:
    """Our plugin passes the exit code on, and an error where the tool threw one."""
    words = said(raw.get("tool_output"))
    if error := text(raw, "error"):
        return failed(error, result=words)
    code = whole(raw, "exit_code")
    return failed(f"exit code {code}", result=words) if code else Outcome(words, True)


# What it writes down: messages and their parts, of all sessions in one database

_SESSIONS = """
select id, directory, time_created, time_updated from session
where parent_id is null order by time_updated desc limit ?
"""
_SUBAGENTS = "select id from session where parent_id = ? order by time_created, id"
_PARTS = """
select message.data, part.data, part.time_created
from message join part on part.message_id = message.id
where message.session_id = ? and length(message.data) <= ? and length(part.data) <= ?
order by message.time_created, message.id, part.id
"""


def _files(site: Site) -> Iterator[Path]:
    return past.below(site.folder("XDG_DATA_HOME", ".local/share") / NAME, "opencode*.db")


def _about(path: Path) -> Iterator[About]:
    for id_, folder, began, last in rows(path, _SESSIONS, (MAX_FILES,)):
        if isinstance(id_, str) and isinstance(folder, str):
            yield About(id=id_, folder=folder, began=_time(began), last=_time(last), bytes=0)


def _stored(path: Path, session_id: str) -> Iterator[Record]:
    """What was said and done in a session; raises OSError where it cannot be read."""
    for message, part, at in rows(path, _PARTS, (session_id, LINE_BYTES, LINE_BYTES)):
        yield from _of_part(_object(message), _object(part), _time(at))


def _subagents(path: Path, session_id: str) -> Iterator[tuple[str, Iterator[Record]]]:
    for (id_,) in rows(path, _SUBAGENTS, (session_id,)):
        if isinstance(id_, str):
            yield id_, _stored(path, id_)


def _object(stored: object) -> Raw:
    return (parsed(stored.encode("utf-8", "replace")) if isinstance(stored, str) else None) or {}


def _of_part(message: Raw, part: Raw, at: datetime | None) -> Iterator[Record]:
    """What one part tells; what is synthetic, others than a person have put in."""
    kind, words, role = text(part, "type"), text(part, "text"), _role(message)
    if part.get("synthetic") is True or part.get("ignored") is True:
        return
    if kind == "text" and words and role is not None:
        yield Record(role=role, at=at, text=words)
    elif kind == "tool":
        state, use_id = mapping(part, "state"), text(part, "callID")
        yield record.call(at, text(part, "tool"), mapping(state, "input"), use_id)
        if text(state, "status") in ("completed", "error"):
            lasted = mapping(state, "time")
            start, end = whole(lasted, "start"), whole(lasted, "end")
            ms = None if start is None or end is None else end - start
            yield record.result(at, use_id, _came_of(state), duration_ms=ms)


def _role(message: Raw) -> Role | None:
    """Who says a message; None where it does not tell."""
    if text(message, "role") == "assistant":
        return Role.SUMMARY if message.get("summary") is True else Role.AGENT
    return Role.USER if text(message, "role") == "user" else None


def _came_of(state: Raw) -> Outcome:
    about = mapping(state, "metadata")
    told = {"tool_output": state.get("output"), "error": state.get("error")}
    return _outcome({**told, "exit_code": about.get("exit")})


def _time(ms: object) -> datetime | None:
    found = ms if isinstance(ms, int) and 0 < ms < 1 << 43 else None
    return None if found is None else datetime.fromtimestamp(found / 1000, tz=UTC)


CLIENT = Client(
    name=NAME,
    title=TITLE,
    settings=Settings(programs=("opencode",), folders=lambda site: (_folder(site),), edits=_edits),
    events=EVENTS,
    payloads=Adapter(
        env="OPENCODE",
        event=("event", "hook_event_name"),
        said=("last_assistant_message", "compact_summary"),
        outcome=_outcome,
    ),
    past=Past(files=_files, about=_about, records=_stored, subagents=_subagents),
    reply={CONTEXT: {"context": CONTEXT}, NOTICE: {"notice": NOTICE}, HOLD: {"hold": HOLD}},
    takes=USUAL - {Moment.BEFORE_TOOL},
    keeps_on_resume=True,
    says_compacted=True,
    asks_for_block=True,
    holds=True,
    # It would run in a shell what a user quotes in backticks behind one.
    takes_prompts=False,
    reads=(Loaded("AGENTS.md"), Loaded("CLAUDE.md", unless_beside=("AGENTS.md",))),
)

"""Gemini CLI: moments by names of its own, and times in milliseconds.

Connected by hooks and our server in its settings; its own `/memory` gets commands of ours.
A failing command is a success whose words hold its exit code.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from loremap.clients.answers import of_gemini
from loremap.clients.client import Client, Form, Loaded, Settings
from loremap.clients.framed import without_framed
from loremap.clients.payloads.adapter import Adapter, Env, Sign
from loremap.clients.payloads.outcomes import Outcome, failed, told_by_text
from loremap.clients.payloads.payload import Raw, items, mapping, said, text, whole
from loremap.clients.replies import HOLD, NESTED
from loremap.clients.settings import slash
from loremap.clients.settings.edits import Edit, Joined, OwnFile, read_object
from loremap.clients.settings.json_values import nested_hooks
from loremap.clients.settings.servers import JsonServer
from loremap.clients.settings.site import FREE_TOOLS, MARK, SERVER, Site
from loremap.clients.transcripts import past, record
from loremap.clients.transcripts.lines import lines, opened
from loremap.clients.transcripts.past import About, Past
from loremap.clients.transcripts.record import EVER, Cut, Lines, Record, Role, Transcript
from loremap.clients.transcripts.rewound import by_lines, last_time, object_in
from loremap.model.hook import Moment
from loremap.sidecar.program import Program

NAME, TITLE = "gemini", "Gemini CLI"
EVENTS = {
    "SessionStart": 10,
    "BeforeAgent": 5,
    "BeforeTool": 5,
    "AfterTool": 5,
    "AfterAgent": 5,
    "PreCompress": 5,
    "SessionEnd": 3,
}

# Settings

_MATCHERS = {"PreCompress": "manual"}
"""It says `auto` before every call of the model, which means nothing."""


def _folder(site: Site) -> Path:
    if site.project is not None:
        return site.project / ".gemini"
    return _home(site)


def _home(site: Site) -> Path:
    moved = site.environ.get("GEMINI_CLI_HOME")
    return (Path(moved).expanduser() if moved else site.user) / ".gemini"


def _edits(site: Site) -> tuple[Edit, ...]:
    folder = _folder(site)
    # On Windows it runs hooks in PowerShell, whatever the user's shell is.
    line = site.powershell_hook if site.platform == "win32" else site.hook
    handlers = {
        event: {"command": line(NAME, event), "name": SERVER, "timeout": seconds * 1_000}
        for event, seconds in EVENTS.items()
    }
    hooks = nested_hooks(folder / "settings.json", handlers, matchers=_MATCHERS)
    server = JsonServer(folder / "settings.json", ("mcpServers", SERVER), site.server(NAME))
    both = Joined((hooks, server))
    if site.project is not None:
        return (both,)
    commands = slash.toml(folder / "commands", (*slash.MAIN, *slash.PARTS), typed="{{args}}")
    return (both, *commands, *((_policy(folder),) if site.allows else ()))


def _policy(folder: Path) -> OwnFile:
    """Which of our tools it need not ask for; to trust the whole server would be more."""
    names = ", ".join(f'"{tool}"' for tool in FREE_TOOLS)
    rule = f'mcpName = "{SERVER}"\ntoolName = [{names}]\ndecision = "allow"\npriority = 100\n'
    return OwnFile(folder / "policies" / "loremap.toml", f"# {MARK}\n[[rule]]\n{rule}")


def _remarks(site: Site) -> tuple[str, ...]:
    file = _folder(site) / "settings.json"
    config = read_object(file).get("hooksConfig")
    if not isinstance(config, dict):
        return ()
    remarks = []
    if config.get("enabled") is False:
        remarks.append(
            f"Hooks are switched off by hooksConfig.enabled in {file}: {TITLE} will not run "
            "ours until that changes; the MCP tools work all the same."
        )
    if SERVER in (config.get("disabled") or ()):
        remarks.append(f"hooksConfig.disabled in {file} names our hooks: they will not run.")
    return tuple(remarks)


# What its hooks send


def _marks(raw: Raw, env: Env) -> Sign:
    session = text(raw, "session_id")
    named = text(raw, "hook_event_name") and env.get("GEMINI_SESSION_ID") == session
    return Sign.SESSION if named else Sign.NONE


def _moment(raw: Raw, moment: Moment) -> Moment:
    """It says that it is about to compress before every call of the model; only a compression the
    user asked for is one."""
    if moment is Moment.BEFORE_COMPACT and text(raw, "trigger") != "manual":
        return Moment.OTHER
    return moment


def _outcome(raw: Raw) -> Outcome:
    parts = mapping(raw, "tool_response")
    words = _unframed(said(parts.get("llmContent")) or said(parts.get("returnDisplay")))
    error = mapping(parts, "error")
    if error or text(parts, "error"):
        return failed(text(error, "message") or text(parts, "error") or "failed", result=words)
    return told_by_text(words, otherwise=True)


def _unframed(words: str) -> str:
    """Words without the frame round what tools gave."""
    for tag in ("<untrusted_context>", "</untrusted_context>"):
        words = words.replace(tag, "")
    return words.strip()


# What it writes down: messages that are written again with the same id as they grow

_SET_UP = "<session_context>"
_NOT_SAID = (_SET_UP, "<state_snapshot>", "I ran the following shell command:")
_ENDED = frozenset({"success", "error", "cancelled"})
_SAYING = (Role.USER, Role.AGENT)


def records(line: Raw) -> Iterator[Record]:
    """What one line tells, without what hooks put in; a patch of the whole may hold messages."""
    for message in items(mapping(line, "$set"), "messages"):
        if isinstance(message, dict):
            yield from _of_message(message)
    yield from _of_message(line)


def _session(every: Lines) -> Iterator[Record]:
    """The records of a whole session, each message and each call once. Where it writes its history
    anew, nobody has typed or done anything since: that is what a compaction left."""
    seen, is_begun = set[tuple[Role, str]](), False
    places, place = dict[str, int](), 0
    for _, line in record.objects(every):
        if "$rewindTo" in line:
            # What it does not know stood before all there is.
            yield Record(role=Role.REWOUND, offset=places.get(text(line, "$rewindTo"), 0))
            continue
        history = [one for one in items(mapping(line, "$set"), "messages") if isinstance(one, dict)]
        is_anew = bool(history) and is_begun
        is_begun = is_begun or bool(text(line, "id"))
        for message in (*history, line):
            place += 1
            if own := text(message, "id"):
                places.setdefault(own, place)
            if is_anew:
                seen.update((role, own) for role in _SAYING)
                continue
            new = (one for one in _of_message(message) if _new(one, message, seen))
            yield from (replace(one, offset=place) for one in new)


def _new(one: Record, message: Raw, seen: set[tuple[Role, str]]) -> bool:
    """Whether a record was not told before; it is from now on."""
    own = text(message, "id") if one.tool is None else one.tool.use_id
    key = (one.role, own or "")
    if not own or one.role is Role.USAGE:
        return True
    is_new = key not in seen
    seen.add(key)
    return is_new


def _plain(words: str) -> str:
    return _unframed(without_framed(words, "hook_context"))


def _of_message(message: Raw) -> Iterator[Record]:
    at, kind = record.time_of(message.get("timestamp")), text(message, "type")
    # What was typed stands by itself where what it names was put in beside it.
    typed = said(message.get("displayContent")) if kind == "user" else ""
    words = _plain(typed or said(message.get("content")))
    if kind == "user":
        if words and not words.startswith(_NOT_SAID):
            yield Record(role=Role.USER, at=at, text=words)
    elif kind == "gemini":
        used = whole(mapping(message, "tokens"), "total")
        if words:
            yield Record(role=Role.AGENT, at=at, text=words, context_tokens=used)
        elif used is not None:
            yield Record(role=Role.USAGE, at=at, context_tokens=used)
        for call in items(message, "toolCalls"):
            if isinstance(call, dict):
                yield from _of_call(call, at)


def _of_call(call: Raw, at: datetime | None) -> Iterator[Record]:
    use_id = text(call, "id")
    yield record.call(at, text(call, "name"), mapping(call, "args"), use_id)
    if (status := text(call, "status")) in _ENDED:
        then = record.time_of(call.get("timestamp")) or at
        yield record.result(then, use_id, _came_of(call, worked=status == "success"))


def _came_of(call: Raw, *, worked: bool) -> Outcome:
    replies = [
        mapping(mapping(part, "functionResponse"), "response")
        for part in items(call, "result")
        if isinstance(part, dict)
    ]
    words = _plain("\n".join(text(reply, "output", "error") for reply in replies))
    outcome = told_by_text(words, otherwise=worked)
    return outcome if outcome.success or outcome.error else failed(words)


# Where it keeps its sessions: a folder for each project, which says where that lies

_FOLDERS = "Workspace Directories:**"


def _about(path: Path) -> Iterator[About]:
    every = list(past.head(path))
    first = every[0] if every else {}
    if text(first, "sessionId") and text(first, "kind") in ("", "main"):
        yield About(
            id=text(first, "sessionId"),
            folder=_root(path.parents[1] / ".project_root") or _set_up_in(every),
            began=record.time_of(first.get("startTime")),
            last=record.time_of(first.get("lastUpdated")) if len(every) == 1 else None,
        )


def _root(file: Path) -> str:
    try:
        with opened(file) as held:
            return held.read(past.HEAD_BYTES).decode("utf-8", "replace").strip()
    except OSError:
        return ""


def _set_up_in(every: Iterable[Raw]) -> str:
    """The first folder that is named in what it sets a session up with."""
    for line in every:
        for message in items(mapping(line, "$set"), "messages"):
            words = said(message.get("content")) if isinstance(message, dict) else ""
            if words.startswith(_SET_UP) and _FOLDERS in words:
                after = words.partition(_FOLDERS)[2].lstrip().partition("\n")[0]
                return after.removeprefix("-").strip()
    return ""


def _cut_at(path: Path, at: int, line: bytes) -> Cut | None:
    """A line that says which message was taken back, with all that came after it."""
    if not line.startswith(b'{"$rewindTo"'):
        return None
    mark = f'"id":"{text(object_in(line), "$rewindTo")}"'.encode()
    first = next((begins for begins, told in lines(path, end=at) if mark in told), 0)
    return Cut(last_time(path, first) or EVER, last_time(path, at) or EVER)


ALONE = Program(
    arguments=(
        *("gemini", "--output-format", "json", "--approval-mode", "plan", "--skip-trust"),
        *("--extensions", "none", "--allowed-mcp-server-names", "none"),
    ),
    read=of_gemini,
)
"""What comes on its input is its prompt. It has no switch for hooks: ours see the guard."""

CLIENT = Client(
    name=NAME,
    title=TITLE,
    settings=Settings(
        programs=("gemini",),
        folders=lambda site: (_folder(site),),
        moved_by=("GEMINI_CLI_HOME",),
        edits=_edits,
        remarks=_remarks,
    ),
    events=EVENTS,
    payloads=Adapter(
        marks=_marks,
        env="GEMINI_",
        session_env=("GEMINI_SESSION_ID",),
        folder_env=("GEMINI_CWD", "GEMINI_PROJECT_DIR"),
        said=("prompt_response",),
        outcome=_outcome,
        moment=_moment,
    ),
    alone=ALONE,
    transcript=Transcript(
        records=records, session=_session, tells_tokens=True, rewound=by_lines(_cut_at)
    ),
    past=Past(
        files=lambda site: past.below(_home(site) / "tmp", "*", "chats", "session-*.jsonl"),
        about=_about,
    ),
    reply={**NESTED, HOLD: {"decision": "deny", "reason": HOLD}},
    silence=b"{}",
    form=Form.MARKDOWN,
    # Text at a session's start would keep it from knowing slash commands as such.
    takes=frozenset({Moment.PROMPT, Moment.AFTER_TOOL}),
    keeps_on_resume=True,
    holds=True,
    # It says at every start that it renamed the one that goes by the name of a command of its own.
    takes_prompts=False,
    reads=(Loaded("GEMINI.md"),),
    imports=True,
)

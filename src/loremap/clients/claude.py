"""Claude Code: the first with hooks, whose shapes others took over.

Connected by hooks and permissions in its settings, our server in its own state file, and command
files. A failing tool has an event of its own; the transcript is a tree of records.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from loremap.clients.answers import of_claude
from loremap.clients.client import USUAL, Client, Form, Loaded, Settings
from loremap.clients.framed import without_framed
from loremap.clients.payloads.adapter import Adapter, Env, Sign
from loremap.clients.payloads.outcomes import Outcome, failed
from loremap.clients.payloads.payload import Raw, mapping, parsed, said, text
from loremap.clients.settings import slash
from loremap.clients.settings.allowed import AllowList
from loremap.clients.settings.edits import Edit, Joined, has_plugin, read_object
from loremap.clients.settings.json_values import nested_hooks
from loremap.clients.settings.servers import JsonServer
from loremap.clients.settings.site import FREE_TOOLS, SERVER, Site
from loremap.clients.transcripts import past, record, rewound
from loremap.clients.transcripts.past import About, Past
from loremap.clients.transcripts.record import EVER, Cut, Lines, Record, Role, Seen, Transcript
from loremap.model.hook import Moment
from loremap.sidecar.program import Program

NAME, TITLE = "claude", "Claude Code"
EVENTS = {
    "SessionStart": 10,
    "UserPromptSubmit": 5,
    "PreToolUse": 5,
    # Not async: what still runs when the agent ends is killed, and its event with it.
    "PostToolUse": 5,
    "PostToolUseFailure": 5,
    "SubagentStart": 5,
    "SubagentStop": 5,
    "Stop": 5,
    # Without a time of its own all hooks of the end share 1.5 s.
    "SessionEnd": 3,
}
FILES = ("CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md")

# Settings

_PLAIN = re.compile(r"[A-Za-z]:[A-Za-z0-9_./-]+")
_ALLOWED = ("allowed-tools: mcp__loremap__memory", "disable-model-invocation: true")


def folder(site: Site) -> Path:
    """Where its settings lie."""
    return site.folder("CLAUDE_CONFIG_DIR", ".claude")


def _state(site: Site) -> Path:
    """The file in which it keeps MCP servers; it moves with the folder, by another rule."""
    moved = site.environ.get("CLAUDE_CONFIG_DIR")
    return (Path(moved).expanduser() if moved else site.user) / ".claude.json"


def _edits(site: Site) -> tuple[Edit, ...]:
    server = {"type": "stdio", **site.server(NAME), "env": {}}
    if site.project is not None:
        # Not the settings a repository shares: the command is of this machine.
        settings = site.project / ".claude" / "settings.local.json"
        key = ("projects", str(site.project), "mcpServers", SERVER)
        return (_settings_of(site, settings), JsonServer(_state(site), key, server))
    commands = (*slash.MAIN, *slash.PARTS)
    return (
        _settings_of(site, folder(site) / "settings.json"),
        JsonServer(_state(site), ("mcpServers", SERVER), server),
        *slash.markdown(folder(site) / "commands", commands, typed="$ARGUMENTS", more=_ALLOWED),
    )


def _settings_of(site: Site, file: Path) -> Edit:
    tools = tuple(f"mcp__{SERVER}__{tool}" for tool in FREE_TOOLS)
    hooks = nested_hooks(
        file, {event: _handler(site, event, seconds) for event, seconds in EVENTS.items()}
    )
    return Joined((hooks, AllowList(file, ("permissions", "allow"), tools, wanted=site.allows)))


def _handler(site: Site, event: str, seconds: int) -> dict[str, Any]:
    if site.platform != "win32":
        return {"command": site.hook(NAME, event), "timeout": seconds}
    # It runs hooks in Git Bash where that is installed, else in PowerShell: a plain path with
    # slashes is a command to both; any other must say for which it is written.
    program = str(site.launcher).replace("\\", "/")
    if _PLAIN.fullmatch(program):
        return {"command": f"{program} hook {NAME} {event}", "timeout": seconds}
    line = site.powershell_hook(NAME, event)
    return {"command": line, "timeout": seconds, "shell": "powershell"}


def _managed(site: Site) -> Path:
    if site.platform == "darwin":
        return Path("/Library/Application Support/ClaudeCode/managed-settings.json")
    if site.platform == "win32":
        return site.folder("PROGRAMFILES", "ClaudeCode") / "ClaudeCode" / "managed-settings.json"
    return Path("/etc/claude-code/managed-settings.json")


def _remarks(site: Site) -> tuple[str, ...]:
    own = ("settings.json", "settings.local.json") if site.project is not None else ()
    files = [_managed(site), folder(site) / "settings.json"]
    files += [(site.project or site.user) / ".claude" / name for name in own]
    return tuple(
        f"Hooks are switched off by {name} in {file}: {TITLE} will not run ours until that "
        "changes; the MCP tools work all the same."
        for file in files
        for name in ("disableAllHooks", "allowManagedHooksOnly")
        if read_object(file).get(name) is True
    )


# What its hooks send

_NOTICE = "[SYSTEM NOTIFICATION - NOT USER INPUT]"


def _marks(raw: Raw, env: Env) -> Sign:
    session = text(raw, "session_id")
    if session and env.get("CLAUDE_CODE_SESSION_ID") == session:
        return Sign.SESSION
    return Sign.LIKE if "CLAUDECODE" in env and "hook_event_name" in raw else Sign.NONE


def _wanted(raw: Raw, moment: Moment) -> bool:
    """The compactor ends as a subagent without a kind, and the end of a background task comes as
    a prompt: neither is a part of the work."""
    if moment is Moment.SUBAGENT_STOP:
        return bool(text(raw, "agent_type"))
    if moment is Moment.PROMPT:
        return text(raw, "source") != "system" and _NOTICE not in text(raw, "prompt")[:200]
    return True


def _outcome(raw: Raw) -> Outcome:
    """A failure has an event of its own, so what comes otherwise has worked."""
    if error := text(raw, "error"):
        return failed(error)
    words = said(raw.get("tool_response", raw.get("tool_result")))
    parts = mapping(raw, "tool_response")
    words = "\n".join(part for part in (words, text(parts, "stderr")) if part)
    if parts.get("interrupted") is True:
        return failed("interrupted", result=words)
    if parts.get("success") is False or parts.get("is_error") is True:
        return failed(words or "failed")
    return Outcome(words, True)


# What it writes down: one JSON object per line, one record for each block of a message

_CONTINUED = "This session is being continued from a previous conversation"
_PUT_IN = (
    *("system-reminder", "local-command-caveat", "local-command-stdout", "local-command-stderr"),
    *("bash-input", "bash-stdout", "bash-stderr", "ide_opened_file", "ide_selection"),
    *("ide_diagnostics", "new-diagnostics", "task-notification", "user-prompt-submit-hook"),
    *("teammate-message", "cross-session-message", "post-tool-use-hook"),
)
"""How it marks what others than a person have put into a message of theirs."""
_NOT_SAID = ("[Request interrupted by user", *(f"<{name}" for name in _PUT_IN))
_COMMAND, _ARGUMENTS = "<command-name>", ("<command-args>", "</command-args>")
_NOT_TYPED = ("isMeta", "isVirtual", "isVisibleInTranscriptOnly", "textNotTyped")
_BY_A_PERSON = {
    "turnOrigin": ("", "human", "sdk"),
    "promptSource": ("", "typed", "queued", "sdk"),
}
_TELL_NOTHING = (b'"type":"api-request', b'"type":"attachment"')
"""How the longest of its lines begin, which repeat whole prompts."""
_TYPED_MEANWHILE = b'"queued_command"'
_OWN_ID = re.compile(rb'"uuid":"([0-9A-Za-z-]{1,100})"')
_USED = (
    *("input_tokens", "cache_creation_input_tokens"),
    *("cache_read_input_tokens", "output_tokens"),
)


def _telling(lines: Lines) -> Lines:
    """The lines without those that nobody said."""
    return ((at, line) for at, line in lines if _tells(line))


def _tells(line: bytes) -> bool:
    return _TYPED_MEANWHILE in line or not any(mark in line for mark in _TELL_NOTHING)


def _session(every: Lines) -> Iterator[Record]:
    """The records of a whole session. What it repeats of another, of which it is a fork, or of
    itself, where it was resumed in another file, was said there. A prompt that goes on from a line
    before the last prompt takes back all that came since that line."""
    seen, places, prompt = set[str](), dict[str, int](), -1
    for at, told in every:
        if not _tells(told):
            places |= {own.decode(): at for own in _OWN_ID.findall(told)}
            continue
        line = parsed(told) or {}
        if own := text(line, "uuid"):
            places.setdefault(own, at)
        if own in seen or "forkedFrom" in line:
            continue
        seen.update((own,) if own else ())
        if _begins_turn(line):
            kept = places.get(text(line, "parentUuid"), at) if line["parentUuid"] else -1
            if kept < prompt:
                yield Record(role=Role.REWOUND, offset=kept + 1)
            prompt = at
        yield from (replace(one, offset=at) for one in _records(line))


def _begins_turn(line: Raw) -> bool:
    """Whether a line is a prompt, typed or a command, that says what it goes on from."""
    if text(line, "type") != "user" or "parentUuid" not in line:
        return False
    if any(line.get(mark) is True for mark in ("isMeta", "isSidechain", "isCompactSummary")):
        return False
    blocks = record.blocks_of(mapping(line, "message"))
    is_result = any(text(block, "type") == "tool_result" for block in blocks)
    # An older one begins anew, from nothing, after a compaction too.
    return not is_result and (bool(line["parentUuid"]) or "promptId" in line)


def _records(line: Raw) -> Iterator[Record]:
    """What one line tells; attachments hold what hooks and the client put in, and are left out,
    but for what was typed while the agent was at work."""
    message, at = mapping(line, "message"), record.time_of(line.get("timestamp"))
    told: Iterator[Record] = iter(())
    match text(line, "type"):
        case "user" if line.get("isCompactSummary") is True:
            told = iter((Record(role=Role.SUMMARY, at=at, text=said(message.get("content"))),))
        case "user":
            told = _of_user(message, at, is_typed=_is_typed(line))
        case "assistant":
            told = _of_agent(message, at)
        case "attachment":
            told = _of_attachment(mapping(line, "attachment"), at)
    inner = line.get("isSidechain") is True
    kind = text(line, "attributionAgent") if inner else ""
    yield from (replace(one, in_subagent=inner, subagent_kind=kind) for one in told)


def _is_typed(line: Raw) -> bool:
    """Whether a person wrote what a line says, as far as its marks tell."""
    if any(line.get(name) is True for name in _NOT_TYPED):
        return False
    if text(mapping(line, "origin"), "kind") not in ("", "human"):
        return False
    return all(text(line, name) in known for name, known in _BY_A_PERSON.items())


def _of_user(message: Raw, at: datetime | None, *, is_typed: bool) -> Iterator[Record]:
    content = message.get("content")
    blocks = record.blocks_of(message) if isinstance(content, list) else [{"text": content}]
    for block in blocks:
        if text(block, "type") == "tool_result":
            words, is_error = said(block.get("content")), block.get("is_error") is True
            outcome = Outcome(words, not is_error, words[:500] if is_error else "")
            yield record.result(at, text(block, "tool_use_id"), outcome)
        elif is_typed:
            yield from _of_words(text(block, "text"), at)


def _of_words(words: str, at: datetime | None) -> Iterator[Record]:
    if words.startswith(_CONTINUED):
        yield Record(role=Role.SUMMARY, at=at, text=words)
    elif (typed := _typed(words)) and not typed.startswith(_NOT_SAID):
        yield Record(role=Role.USER, at=at, text=typed)


def _typed(words: str) -> str:
    """What a person typed of a message; of a slash command, what stands behind its name."""
    words = without_framed(words, *_PUT_IN).strip() if "<" in words else words
    if not words.startswith(("<command-", "<user-memory-input>")):
        return words
    begin, end = (
        _ARGUMENTS if _COMMAND in words else ("<user-memory-input>", "</user-memory-input>")
    )
    return words.partition(begin)[2].partition(end)[0].strip()


def _of_attachment(told: Raw, at: datetime | None) -> Iterator[Record]:
    is_prompt = text(told, "commandMode") in ("", "prompt")
    if text(told, "type") == "queued_command" and is_prompt and _is_typed(told):
        yield from _of_words(said(told.get("prompt")), at)


def _of_agent(message: Raw, at: datetime | None) -> Iterator[Record]:
    used = record.summed(mapping(message, "usage"), *_USED)
    for block in record.blocks_of(message):
        if text(block, "type") == "text" and (words := text(block, "text")):
            yield Record(role=Role.AGENT, at=at, text=words, context_tokens=used)
        elif text(block, "type") == "tool_use":
            given, use_id = mapping(block, "input"), text(block, "id")
            yield record.call(at, text(block, "name"), given, use_id, context_tokens=used)


# Where it keeps its sessions: a folder for each that was worked in, by its path


def _about(path: Path) -> Iterator[About]:
    """The first record that names a folder tells the rest; a subagent's file lies deeper."""
    for line in past.head(path):
        if line.get("isSidechain") is True:
            return
        if folder := text(line, "cwd"):
            began = record.time_of(line.get("timestamp"))
            branch = text(line, "gitBranch")
            branch = "" if branch == "HEAD" else branch
            files = (path, *(own for _, own in _subagents(path)))
            written = sum(one.stat().st_size for one in files)
            yield About(id=path.stem, folder=folder, branch=branch, began=began, bytes=written)
            return


def _inner_folder(path: Path) -> Path:
    """Where the transcripts of a session's subagents lie."""
    return path.with_suffix("") / "subagents"


def _subagents(path: Path) -> Iterator[tuple[str, Path]]:
    inner = _inner_folder(path)
    if not inner.parent.is_symlink():
        for own in past.below(inner.parent, inner.name, "agent-*.jsonl"):
            yield own.stem.removeprefix("agent-"), own


# Turns taken back: a prompt whose parent stands before the last prompt drops that one

_MAX_TURN = 8 * 1024 * 1024
_NOT_PROMPTS = (b'"type":"tool_result"', b'"isMeta":true', b'"isSidechain":true')


def _rewound(path: Path, seen: Seen) -> tuple[Seen, list[Cut]]:
    cuts = list[Cut]()
    seen, new = rewound.new_lines(path, seen)
    end, prompt = seen.offset, seen.prompt
    for at, line in new:
        end = at + len(line)
        if not _is_prompt(line):
            continue
        told = rewound.object_in(line)
        begun, parent = record.time_of(told.get("timestamp")), text(told, "parentUuid")
        if prompt is not None and begun is not None:
            cut = _dropped(path, parent, prompt=prompt, end=at, until=begun)
            cuts += [] if cut is None else [cut]
        prompt = at
    return replace(rewound.moved(seen, end), prompt=prompt), cuts


def _is_prompt(line: bytes) -> bool:
    is_of_user = b'"type":"user"' in line and b'"promptId"' in line
    return is_of_user and not any(mark in line for mark in _NOT_PROMPTS)


def _dropped(path: Path, parent: str, *, prompt: int, end: int, until: datetime) -> Cut | None:
    """What a prompt at `end` drops whose parent is this; nothing where that stands behind the
    prompt before."""
    if not parent:
        return Cut(EVER, until)
    if end - prompt > _MAX_TURN:
        return None  # nobody looks through as much
    mark = f'"uuid":"{parent}"'.encode()
    if mark in rewound.block(path, prompt, end):
        return None
    before = rewound.block(path, max(prompt - _MAX_TURN, 0), prompt)
    at = before.rfind(mark)
    if at < 0:
        return None
    line = before[before.rfind(b"\n", 0, at) + 1 : before.find(b"\n", at)]
    return Cut(rewound.written_at(rewound.object_in(line)) or EVER, until)


ALONE = Program(
    arguments=(
        *("claude", "-p", "--output-format", "json", "--no-session-persistence"),
        *("--settings", '{"disableAllHooks":true}', "--strict-mcp-config", "--tools", ""),
    ),
    read=of_claude,
    without=("CLAUDECODE",),
)

CLIENT = Client(
    name=NAME,
    title=TITLE,
    settings=Settings(
        programs=("claude",),
        folders=lambda site: (folder(site),),
        moved_by=("CLAUDE_CONFIG_DIR",),
        edits=_edits,
        remarks=_remarks,
        plugin=lambda site: has_plugin(read_object(folder(site) / "settings.json")),
    ),
    events=EVENTS,
    payloads=Adapter(
        marks=_marks,
        env="CLAUDE",
        session_env=("CLAUDE_CODE_SESSION_ID",),
        folder_env=("CLAUDE_PROJECT_DIR",),
        said=("last_assistant_message", "compact_summary"),
        outcome=_outcome,
        wanted=_wanted,
    ),
    alone=ALONE,
    transcript=Transcript(
        records=_records,
        objects=_telling,
        session=_session,
        tells_tokens=True,
        of_subagent=lambda path, agent: _inner_folder(path) / f"agent-{agent}.jsonl",
        subagents=_subagents,
        rewound=_rewound,
        forked_from=lambda line: text(mapping(line, "forkedFrom"), "sessionId"),
    ),
    past=Past(
        files=lambda site: past.below(folder(site) / "projects", "*", "*.jsonl"), about=_about
    ),
    is_lent=True,
    form=Form.XML,
    takes=USUAL,
    keeps_on_resume=True,
    says_compacted=True,
    holds=True,
    session_in=lambda meta: meta.get("claudecode/sessionId"),
    use_in=lambda meta: meta.get("claudecode/toolUseId"),
    gives_first_word=True,
    reads=(
        *map(Loaded, FILES),
        Loaded(".claude/rules/"),
        Loaded("AGENTS.md", unless_beside=FILES, unless_at_root=FILES),
    ),
    imports=True,
)

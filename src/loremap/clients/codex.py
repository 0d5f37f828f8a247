"""Codex: Claude's shapes, but it runs a hook only after its user has trusted it.

Connected by hooks in a file of their own, our server in its TOML, and skills as slash commands. A
failing command looks like one that says nothing, and turns taken back begin another file.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path, PurePath
from typing import Any

from loremap.clients.answers import of_codex
from loremap.clients.client import USUAL, Client, Loaded, Settings
from loremap.clients.payloads.adapter import Adapter, Env, Sign
from loremap.clients.payloads.outcomes import Outcome, failed, told_by_code, told_by_text
from loremap.clients.payloads.payload import Raw, items, mapping, said, text, whole
from loremap.clients.payloads.tools import given_input
from loremap.clients.settings import slash, tables
from loremap.clients.settings.edits import Edit, OwnFile
from loremap.clients.settings.json_values import nested_hooks
from loremap.clients.settings.servers import TomlServer
from loremap.clients.settings.site import MARK, SERVER, Site, is_our_hook
from loremap.clients.settings.trust import Hook, Trust, answer_of
from loremap.clients.transcripts import past, record, rewound
from loremap.clients.transcripts.lines import lines
from loremap.clients.transcripts.past import About, Past
from loremap.clients.transcripts.record import EVER, Cut, Lines, Record, Role, Seen, Transcript
from loremap.model.version import VERSION
from loremap.sidecar.program import Program

NAME, TITLE = "codex", "Codex"
EVENTS = {
    "SessionStart": 10,
    "UserPromptSubmit": 5,
    "PreToolUse": 5,
    "PostToolUse": 5,
    "SubagentStart": 5,
    "SubagentStop": 5,
    "PostCompact": 5,
    "Stop": 5,
    # More than three seconds is cut down by Codex, which says so in every run.
    "SessionEnd": 3,
}

# Settings

PASSED_ON = ("LOREMAP_INCOGNITO", "LOREMAP_OFF")
"""What our server must know of a session's environment, of which Codex passes on only what is
named."""
POLICY_FILE = "agents/openai.yaml"
POLICY = "policy:\n  allow_implicit_invocation: false\n"
"""What keeps a skill out of the list the model reads; its front matter does not, here."""
_FORMER = ("remember", "forget", "pin", "memory")
"""Prompts, which Codex no longer reads."""


def _home(site: Site) -> Path:
    return site.folder("CODEX_HOME", ".codex")


def _folder(site: Site) -> Path:
    """Where its settings lie: the user's, or a project's own."""
    return _home(site) if site.project is None else site.project / ".codex"


def _edits(site: Site) -> tuple[Edit, ...]:
    folder = _folder(site)
    started = {**site.server(NAME), "env_vars": list(PASSED_ON)}
    both = (
        nested_hooks(folder / "hooks.json", site.hooks(NAME, EVENTS)),
        TomlServer(folder / "config.toml", ("mcp_servers", SERVER), started),
    )
    if site.project is not None:
        return both
    skills = slash.skills(folder / "skills", (*slash.MAIN, slash.MEMORY), slash.asked_behind)
    policy = f"# {MARK}\n{POLICY}"
    return (*both, *skills, *(OwnFile(one.file.parent / POLICY_FILE, policy) for one in skills))


def _config(site: Site) -> dict[str, Any]:
    """The user's settings; empty if there are none to read."""
    try:
        return tables.parsed(_trust_file(site).read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tables.Malformed):
        return {}


def _remarks(site: Site) -> tuple[str, ...]:
    settings, remarks = _config(site), []
    if tables.at(settings, ("features", "hooks")) is False:
        remarks.append(
            f"Hooks are switched off by features.hooks in {_trust_file(site)}: Codex will not run "
            "ours until that changes; the MCP tools work all the same."
        )
    project = site.project
    if project and tables.at(settings, ("projects", str(project), "trust_level")) != "trusted":
        remarks.append(f"Codex reads these files only once you have told it to trust {project}.")
    return tuple(remarks)


def _has_plugin(site: Site) -> bool:
    plugins = _config(site).get("plugins")
    return isinstance(plugins, dict) and any(
        name.startswith("loremap@") and isinstance(value, dict) and value.get("enabled", True)
        for name, value in plugins.items()
    )


# Trust in hooks


def _trust_file(site: Site) -> Path:
    """The file in which a user's trust in hooks is kept, those of projects too."""
    return _home(site) / "config.toml"


def _untrusted(site: Site) -> list[Hook] | None:
    """Our hooks as Codex lists them, without those that its user trusts.

    Codex is asked in a folder of its own that holds nothing but the hooks: it would fill the
    user's with its state. The hash does not depend on where the file lies.
    """
    program = site.program("codex")
    if program is None:
        return None
    file = _folder(site) / "hooks.json"
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name).resolve()
        copy = folder / "hooks.json"
        copy.write_bytes(file.read_bytes())
        env = {**site.environ, "CODEX_HOME": str(folder), "HOME": str(folder)}
        answer = answer_of([program, "app-server"], _listing(folder), cwd=folder, env=env)
    if answer is None:
        return None
    # Its keys hold the path, which is resolved only where it was chosen.
    chosen = site.project is not None or site.environ.get("CODEX_HOME")
    prefix = str(file.parent.resolve() / file.name if chosen else file)
    listed = [hook for each in answer.get("data", ()) for hook in each.get("hooks", ())]
    ours = [
        Hook(prefix + hook["key"].removeprefix(str(copy)), hook["currentHash"])
        for hook in listed
        if is_our_hook(hook) and hook["key"].startswith(str(copy))
    ]
    state = _config(site).get("hooks", {}).get("state", {})
    return [hook for hook in ours if state.get(hook.key, {}).get("trusted_hash") != hook.hash]


def _listing(folder: Path) -> tuple[dict[str, Any], ...]:
    """What is said to its server, which lists the hooks in a folder last."""
    who = {"name": "loremap", "title": "Loremap", "version": VERSION}
    return (
        {"id": 0, "method": "initialize", "params": {"clientInfo": who}},
        {"method": "initialized"},
        {"id": 1, "method": "hooks/list", "params": {"cwds": [str(folder)]}},
    )


_TRUST = Trust(
    why="Codex runs a hook only after its user has trusted it: in Codex with /hooks, or now. "
    "Trusting writes the hash Codex itself computed for each of these hooks to its config.toml; "
    "a hook that changes later must be trusted anew.",
    by_hand="type /hooks",
    untrusted=_untrusted,
    file=_trust_file,
    table=("hooks", "state"),
    name="trusted_hash",
)


# What its hooks and its requests send


def _marks(raw: Raw, env: Env) -> Sign:
    if PurePath(text(raw, "transcript_path")).name.startswith("rollout-") or "turn_id" in raw:
        return Sign.OWN
    is_like = "permission_mode" in raw and "model" in raw and "CLAUDECODE" not in env
    return Sign.LIKE if is_like else Sign.NONE


def _outcome(raw: Raw) -> Outcome:
    """A failing command looks like one that says nothing; only its own words can tell."""
    if error := text(raw, "error"):
        return failed(error)
    parts = mapping(raw, "tool_response")
    words = said(raw.get("tool_response")) or said(parts)
    code = whole(mapping(parts, "metadata") or parts, "exit_code", "exitCode")
    if code is not None:
        return told_by_code(code, words)
    if parts.get("isError") is True:
        return failed(words or "failed")
    return told_by_text(words, otherwise=None)


def _session_in(meta: Mapping[str, Any]) -> object:
    turn = meta.get("x-codex-turn-metadata")
    if isinstance(turn, str):
        try:
            turn = json.loads(turn)
        except ValueError:
            return None
    return turn.get("session_id") if isinstance(turn, Mapping) else None


# What it writes down: items of the conversation, and events that tell how commands ended

_USER_KINDS = frozenset({"user.text"})
_EDITOR, _ASKED = "# Context from my IDE setup:", "## My request for Codex:"
_SET_UP = (
    *("<environment_context>", "<user_instructions>", "<turn_aborted>"),
    "# AGENTS.md instructions for",
)
_CALLS = frozenset({"function_call", "custom_tool_call", "local_shell_call"})
_OUTPUTS = frozenset({"function_call_output", "custom_tool_call_output"})


def _records(line: Raw) -> Iterator[Record]:
    """What one line tells; what hooks and the client put in is marked as theirs and left out."""
    payload, at = mapping(line, "payload"), record.time_of(line.get("timestamp"))
    match text(line, "type"):
        case "response_item":
            is_summary = mapping(line, "metadata").get("compaction_output") is True
            yield from _of_item(payload, at, is_summary=is_summary)
        case "event_msg":
            yield from _of_event(payload, at)
        case "compacted":
            if words := text(payload, "message", "summary"):
                yield Record(role=Role.SUMMARY, at=at, text=words)


def _of_item(item: Raw, at: datetime | None, *, is_summary: bool) -> Iterator[Record]:
    kind, use_id = text(item, "type"), text(item, "call_id")
    if kind == "message":
        agent = Role.SUMMARY if is_summary else Role.AGENT
        yield from _of_message(item, at, agent)
    elif kind in _CALLS:
        given = given_input(item, "arguments", "input", "action")
        yield record.call(at, text(item, "name") or "shell", given, use_id)
    elif kind in _OUTPUTS:
        yield record.result(at, use_id, _came_of(item))


def _came_of(item: Raw) -> Outcome:
    """What came of a call; once, the words and the exit code lay in an object."""
    told = mapping(item, "output")
    if (code := whole(mapping(told, "metadata"), "exit_code")) is not None:
        return told_by_code(code, text(told, "output"))
    return told_by_text(said(item.get("output")), otherwise=None)


def _of_message(item: Raw, at: datetime | None, agent: Role) -> Iterator[Record]:
    words = said(item.get("content"))
    marks = mapping(item, "internal_chat_message_metadata_passthrough", "metadata")
    kinds = {kind for kind in items(marks, "content_item_kinds") if isinstance(kind, str)}
    if words and text(item, "role") == "assistant":
        yield Record(role=agent, at=at, text=words)
    elif text(item, "role") == "user" and kinds & _USER_KINDS and (typed := _typed(words)):
        yield Record(role=Role.USER, at=at, text=typed)


def _typed(words: str) -> str:
    """What a person typed of a message into which an editor put what is open in it."""
    if words.startswith(_EDITOR):
        words = words.partition(_ASKED)[2]
    return words.strip()


def _session(every: Lines) -> Iterator[Record]:
    """The records of a whole session. An older Codex does not mark what a person typed in the
    conversation, and tells of it by an event; a newer one may do both."""
    is_marked = False
    for at, line in record.objects(every):
        payload = mapping(line, "payload")
        is_marked = is_marked or "internal_chat_message_metadata_passthrough" in payload
        told = list(_records(line))
        if not is_marked and text(payload, "type") == "user_message":
            typed = _typed(text(payload, "message"))
            if typed and not typed.startswith(_SET_UP):
                when = record.time_of(line.get("timestamp"))
                told = [Record(role=Role.USER, at=when, text=typed)]
        yield from (replace(one, offset=at) for one in told)


def _of_event(payload: Raw, at: datetime | None) -> Iterator[Record]:
    kind, item = text(payload, "type"), mapping(payload, "item")
    if kind == "token_count":
        info = mapping(payload, "info")
        yield Record(
            role=Role.USAGE,
            at=at,
            context_tokens=whole(mapping(info, "last_token_usage"), "total_tokens"),
            window_tokens=whole(info, "model_context_window"),
        )
    elif kind == "item_completed" and text(item, "type") == "CommandExecution":
        code, lasted = whole(item, "exit_code"), mapping(item, "duration")
        if code is None:
            return
        outcome = told_by_code(code, text(item, "aggregated_output"))
        seconds, nanos = whole(lasted, "secs") or 0, whole(lasted, "nanos") or 0
        lasted_ms = seconds * 1000 + nanos // 1_000_000
        yield record.result(at, text(item, "id"), outcome, duration_ms=lasted_ms)


# Where it keeps its sessions: a folder for each day, and those that were put away


def _files(site: Site) -> Iterator[Path]:
    for days in (("????", "??", "??"), ()):
        name = "sessions" if days else "archived_sessions"
        yield from past.below(_home(site) / name, *days, "rollout-*.jsonl")


def _about(path: Path) -> Iterator[About]:
    first = next(past.head(path), {})
    meta = mapping(first, "payload") if text(first, "type") == "session_meta" else {}
    if not _session_of(meta):
        return
    given = meta.get("source")
    if isinstance(given, dict) and "subagent" in given:
        return
    git = mapping(meta, "git")
    yield About(
        id=_session_of(meta),
        folder=text(meta, "cwd"),
        branch=text(git, "branch"),
        remote=text(git, "repository_url"),
        began=record.time_of(meta.get("timestamp")),
    )


# Turns taken back: a file for every branch says from which place of which other it goes on

_MAX_BRANCHES = 16
_ID = re.compile(r"[0-9a-zA-Z-]{1,100}")


def _rewound(path: Path, seen: Seen) -> tuple[Seen, list[Cut]]:
    meta, known = _meta(path), _meta(seen.path)
    if path == seen.path or not meta or (known and known.get("id") != meta.get("id")):
        return seen, []
    cuts, at = list[Cut](), path
    while meta and len(cuts) < _MAX_BRANCHES:
        base = _goes_on_from(at)
        kept = None if base is None else rewound.last_time(*base)
        cuts.append(Cut(kept or EVER, record.time_of(meta.get("timestamp")) or EVER))
        if base is None or base[0] == seen.path:
            break
        meta, at = _meta(base[0]), base[0]
    return Seen(path), cuts[::-1]


def _goes_on_from(path: Path) -> tuple[Path, int] | None:
    """Which other file of the same session a file goes on from, and from which place in it; what a
    fork goes on from was said in another session."""
    meta = _meta(path)
    base = mapping(meta, "history_base")
    before = _branch(path, text(base, "thread_id"))
    if before is None or _session_of(_meta(before)) != _session_of(meta):
        return None
    return before, whole(base, "end_byte_offset") or 0


def _latest(path: Path) -> Path:
    """The file of that session that was begun last; folders and names begin with the time."""
    own = _session_of(_meta(path))
    if not _ID.fullmatch(own) or len(path.parents) < 4:
        return path
    beside = path.parents[3].glob(f"*/*/*/rollout-*{own}*.jsonl")
    return max((one for one in beside if _session_of(_meta(one)) == own), default=path)


def _session_of(meta: Raw) -> str:
    return text(meta, "session_id", "id")


def _meta(path: Path) -> Raw:
    """What a file says of itself."""
    first = next(lines(path, end=1), None)
    found = rewound.object_in(first[1]) if first else {}
    return mapping(found, "payload") if text(found, "type") == "session_meta" else {}


def _branch(beside: Path, named: str) -> Path | None:
    """The file of another branch, of the same day or another."""
    if not _ID.fullmatch(named) or len(beside.parents) < 4:
        return None
    for found in (
        *beside.parent.glob(f"*{named}.jsonl"),
        *beside.parents[3].glob(f"*/*/*/*{named}.jsonl"),
    ):
        if found.stem.endswith((f"-{named}", f"_{named}")):
            return found
    return None


ALONE = Program(
    arguments=(
        *("codex", "exec", "--json", "--ephemeral", "--skip-git-repo-check", "--ignore-rules"),
        *("--sandbox", "read-only", "--disable", "hooks", "-c", "mcp_servers={}", "-"),
    ),
    read=of_codex,
)

CLIENT = Client(
    name=NAME,
    title=TITLE,
    settings=Settings(
        programs=("codex",),
        folders=lambda site: (_home(site),),
        moved_by=("CODEX_HOME",),
        edits=_edits,
        remarks=_remarks,
        plugin=_has_plugin,
        former=lambda site: tuple(
            OwnFile(_folder(site) / "prompts" / f"{name}.md", "") for name in _FORMER
        ),
        trust=_TRUST,
    ),
    events=EVENTS,
    payloads=Adapter(marks=_marks, env="CODEX_", outcome=_outcome),
    alone=ALONE,
    transcript=Transcript(
        records=_records,
        session=_session,
        tells_tokens=True,
        rewound=_rewound,
        goes_on_from=_goes_on_from,
        latest=_latest,
        forked_from=lambda line: text(mapping(line, "payload"), "forked_from_id"),
    ),
    past=Past(files=_files, about=_about),
    # All of an answer is dropped where a field too many is in it.
    takes=USUAL,
    keeps_on_resume=True,
    says_compacted=True,
    holds=True,
    session_in=_session_in,
    reads=(
        Loaded("AGENTS.override.md", below=False),
        Loaded("AGENTS.md", below=False, unless_beside=("AGENTS.override.md",)),
    ),
)

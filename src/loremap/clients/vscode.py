"""VS Code's own agent: Claude's events, some fields in camelCase; results and transcripts are
Copilot's.

Connected by a file of hooks of our own that its settings name, and our server in its list.
"""

from __future__ import annotations

from pathlib import Path

from loremap.clients import claude, copilot
from loremap.clients.client import Client, Loaded, Settings
from loremap.clients.payloads.adapter import Adapter, Env, Sign
from loremap.clients.payloads.payload import Raw
from loremap.clients.settings.edits import Edit, read_object
from loremap.clients.settings.json_values import JsonValues, flat_hooks
from loremap.clients.settings.servers import JsonServer
from loremap.clients.settings.site import SERVER, Site
from loremap.clients.transcripts.record import Transcript
from loremap.model.hook import Moment

NAME, TITLE = "vscode", "VS Code"
EVENTS = {
    "SessionStart": 10,
    "UserPromptSubmit": 5,
    "PreToolUse": 5,
    "PostToolUse": 5,
    "SubagentStart": 5,
    "SubagentStop": 5,
    "PreCompact": 5,
    "Stop": 5,
}
_LOCATIONS = "chat.hookFilesLocations"
_HOOKS = "loremap.hooks.json"


def _folder(site: Site) -> Path:
    if site.project is not None:
        return site.project / ".vscode"
    return site.application("Code") / "User"


def _location(site: Site) -> str | None:
    """Our file of hooks as its settings may name it: from the workspace, or from `~/`."""
    file = _folder(site) / _HOOKS
    if site.project is not None:
        return file.relative_to(site.project).as_posix()
    return f"~/{file.relative_to(site.user).as_posix()}" if file.is_relative_to(site.user) else None


def _edits(site: Site) -> tuple[Edit, ...]:
    folder, location = _folder(site), _location(site)
    server = {"type": "stdio", **site.server(NAME)}
    listed = JsonServer(folder / "mcp.json", ("servers", SERVER), server)
    if location is None:
        return (listed,)
    hooks = site.hooks(NAME, EVENTS)
    handlers = {event: {"type": "command", **one} for event, one in hooks.items()}
    path = (_LOCATIONS, location)
    named = JsonValues(folder / "settings.json", ((path, True),), (path,), ours=_is_set)
    return (flat_hooks(folder / _HOOKS, handlers), named, listed)


def _is_set(value: object) -> bool:
    return value is True


def _remarks(site: Site) -> tuple[str, ...]:
    remarks = []
    if _location(site) is None:
        remarks.append(f"{TITLE} takes hooks only from below the home folder: none were added.")
    theirs = read_object(claude.folder(site) / "settings.json").get("hooks")
    lent = read_object(copilot.folder(site) / "hooks" / "loremap.json")
    if "hooks" in lent or "lore-agent" in str(theirs):
        remarks.append(
            f"{TITLE} also runs the hooks of {claude.TITLE} and {copilot.TITLE}, where Loremap is "
            "connected too: an event that arrives twice counts once."
        )
    return tuple(remarks)


def _marks(raw: Raw, _env: Env) -> Sign:
    return Sign.OWN if "hookEventName" in raw else Sign.NONE


CLIENT = Client(
    name=NAME,
    title=TITLE,
    experimental=True,
    settings=Settings(
        programs=("code",),
        folders=lambda site: (site.application("Code"),),
        edits=_edits,
        remarks=_remarks,
    ),
    events=EVENTS,
    payloads=Adapter(
        marks=_marks,
        event=("hookEventName", "hook_event_name"),
        session=("sessionId", "session_id"),
        outcome=copilot.outcome,
    ),
    transcript=Transcript(records=copilot.records),
    takes=frozenset({Moment.SESSION_START, Moment.BEFORE_TOOL, Moment.AFTER_TOOL}),
    called=("visual studio code",),
    reads=(
        *map(Loaded, ("AGENTS.md", "CLAUDE.md")),
        *map(Loaded, (".github/copilot-instructions.md", ".github/instructions/")),
    ),
)

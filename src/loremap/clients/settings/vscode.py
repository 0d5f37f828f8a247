"""VS Code: a file of hooks of our own that its settings name, and our server in its list."""

from __future__ import annotations

from pathlib import Path

from loremap.clients.settings.agent import Agent
from loremap.clients.settings.edits import (
    GROUPS,
    Edit,
    JsonValues,
    read_object,
)
from loremap.clients.settings.jsonc import END
from loremap.clients.settings.servers import JsonServer
from loremap.clients.settings.site import SERVER, Site

EVENTS: dict[str, int] = {
    "SessionStart": 10,
    "UserPromptSubmit": 5,
    "PreToolUse": 5,
    "PostToolUse": 5,
    "SubagentStart": 5,
    "SubagentStop": 5,
    "PreCompact": 5,
    "Stop": 5,
}
LOCATIONS = "chat.hookFilesLocations"
HOOKS = "loremap.hooks.json"


def _folder(site: Site) -> Path:
    if site.project is not None:
        return site.project / ".vscode"
    return site.application("Code") / "User"


def _location(site: Site) -> str | None:
    """Our file of hooks as its settings may name it: from the workspace, or from `~/`."""
    file = _folder(site) / HOOKS
    if site.project is not None:
        return file.relative_to(site.project).as_posix()
    return f"~/{file.relative_to(site.user).as_posix()}" if file.is_relative_to(site.user) else None


def _edits(site: Site) -> tuple[Edit, ...]:
    folder, location = _folder(site), _location(site)
    server = {"type": "stdio", **site.server("vscode")}
    listed = JsonServer(folder / "mcp.json", ("servers", SERVER), server)
    if location is None:
        return (listed,)
    hooks = JsonValues(
        folder / HOOKS,
        tuple(
            (
                ("hooks", event, END),
                {"type": "command", "command": site.hook("vscode", event), "timeout": seconds},
            )
            for event, seconds in EVENTS.items()
        ),
        (GROUPS,),
    )
    path = (LOCATIONS, location)
    named = JsonValues(folder / "settings.json", ((path, True),), (path,), ours=_is_set)
    return (hooks, named, listed)


def _is_set(value: object) -> bool:
    return value is True


def _remarks(site: Site) -> tuple[str, ...]:
    said = []
    if _location(site) is None:
        said.append("VS Code takes hooks only from below the home folder: none were added.")
    claude = site.folder("CLAUDE_CONFIG_DIR", ".claude") / "settings.json"
    copilot = site.folder("COPILOT_HOME", ".copilot") / "hooks" / "loremap.json"
    if "hooks" in read_object(copilot) or "lore-agent" in str(read_object(claude).get("hooks")):
        said.append(
            "VS Code also runs the hooks of Claude Code and Copilot CLI, where Loremap is "
            "connected too: an event that arrives twice counts once."
        )
    return tuple(said)


AGENT = Agent(
    name="vscode",
    title="VS Code",
    programs=("code",),
    folders=lambda site: (site.application("Code"),),
    edits=_edits,
    remarks=_remarks,
)

"""Copilot CLI: a file of hooks of our own, our server in its list of servers, and skills."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from loremap.clients.settings import slash
from loremap.clients.settings.agent import Agent
from loremap.clients.settings.edits import (
    GROUPS,
    Edit,
    JsonValues,
    has_plugin,
    read_object,
)
from loremap.clients.settings.jsonc import END
from loremap.clients.settings.servers import JsonServer
from loremap.clients.settings.site import SERVER, Site

EVENTS: dict[str, int] = {
    "sessionStart": 10,
    "userPromptSubmitted": 5,
    "preToolUse": 5,
    "postToolUse": 5,
    "preCompact": 5,
    "agentStop": 5,
    "sessionEnd": 3,
}


def folder(site: Site) -> Path:
    """Where its settings lie."""
    return site.folder("COPILOT_HOME", ".copilot")


def _handler(site: Site, event: str, seconds: int) -> dict[str, Any]:
    if site.platform == "win32":
        line = {"powershell": site.powershell_hook("copilot", event)}
    else:
        line = {"bash": site.hook("copilot", event)}
    return {"type": "command", **line, "timeoutSec": seconds}


def _edits(site: Site) -> tuple[Edit, ...]:
    below = site.project / ".github" if site.project is not None else folder(site)
    hooks = JsonValues(
        below / "hooks" / "loremap.json",
        tuple(
            (("hooks", event, END), _handler(site, event, seconds))
            for event, seconds in EVENTS.items()
        ),
        (GROUPS,),
        (("version", 1),),
    )
    server = {"type": "local", **site.server("copilot"), "tools": ["*"]}
    file = folder(site) / "mcp-config.json"
    if site.project is not None:
        file = site.project / ".mcp.json"
    both = (hooks, JsonServer(file, ("mcpServers", SERVER), server))
    if site.project is not None:
        return both
    # In parts, for it has a /memory of its own.
    says = partial(slash.asked, typed="$ARGUMENTS")
    return (*both, *slash.skills(folder(site) / "skills", (*slash.MAIN, *slash.PARTS), says))


def _remarks(site: Site) -> tuple[str, ...]:
    files = (folder(site) / name for name in ("settings.json", "config.json"))
    return tuple(
        f"Hooks are switched off by disableAllHooks in {file}: ours will not run."
        for file in files
        if read_object(file).get("disableAllHooks") is True
    )


AGENT = Agent(
    name="copilot",
    title="Copilot CLI",
    programs=("copilot",),
    folders=lambda site: (folder(site),),
    edits=_edits,
    remarks=_remarks,
    plugin=lambda site: has_plugin(read_object(folder(site) / "settings.json")),
)

"""Cursor: hooks and our server, each in a file of its own, and command files."""

from __future__ import annotations

from pathlib import Path

from loremap.clients.settings import slash
from loremap.clients.settings.agent import Agent
from loremap.clients.settings.edits import GROUPS, Edit, JsonValues
from loremap.clients.settings.jsonc import END
from loremap.clients.settings.servers import JsonServer
from loremap.clients.settings.site import SERVER, Site

EVENTS: dict[str, int] = {
    "sessionStart": 10,
    "beforeSubmitPrompt": 5,
    "preToolUse": 5,
    "postToolUse": 5,
    "postToolUseFailure": 5,
    "preCompact": 5,
    "afterAgentResponse": 5,
    "stop": 5,
    "sessionEnd": 3,
}


def _folder(site: Site) -> Path:
    return (site.project or site.user) / ".cursor"


def _edits(site: Site) -> tuple[Edit, ...]:
    folder = _folder(site)
    hooks = JsonValues(
        folder / "hooks.json",
        tuple(
            (("hooks", event, END), {"command": site.hook("cursor", event), "timeout": seconds})
            for event, seconds in EVENTS.items()
        ),
        (GROUPS,),
        (("version", 1),),
    )
    server = JsonServer(folder / "mcp.json", ("mcpServers", SERVER), site.server("cursor"))
    if site.project is not None:
        return (hooks, server)
    typed = "(what I typed behind the command)"
    commands = slash.plain(folder / "commands", (*slash.MAIN, slash.MEMORY), typed=typed)
    return (hooks, server, *commands)


AGENT = Agent(
    name="cursor",
    title="Cursor",
    programs=("cursor", "cursor-agent"),
    folders=lambda site: (site.user / ".cursor", site.application("Cursor")),
    edits=_edits,
)

"""Windsurf: our server in its list of servers; its hooks pass nothing on to the model."""

from __future__ import annotations

from pathlib import Path

from loremap.clients.client import Client, Loaded, Settings
from loremap.clients.settings.edits import Edit
from loremap.clients.settings.servers import JsonServer
from loremap.clients.settings.site import SERVER, Site

NAME, TITLE = "windsurf", "Windsurf"


def _folder(site: Site) -> Path:
    return site.user / ".codeium" / "windsurf"


def _edits(site: Site) -> tuple[Edit, ...]:
    file = _folder(site) / "mcp_config.json"
    return (JsonServer(file, ("mcpServers", SERVER), site.server(NAME)),)


CLIENT = Client(
    name=NAME,
    title=TITLE,
    experimental=True,
    settings=Settings(
        programs=("windsurf",),
        folders=lambda site: (_folder(site),),
        edits=_edits,
        no_project="keeps its MCP servers for the user only",
    ),
    reads=(Loaded("AGENTS.md"), Loaded(".windsurfrules"), Loaded(".windsurf/rules/")),
)

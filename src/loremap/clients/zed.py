"""Zed: our server among its context servers; it has no hooks."""

from __future__ import annotations

from pathlib import Path

from loremap.clients.client import Client, Loaded, Settings
from loremap.clients.settings.edits import Edit
from loremap.clients.settings.servers import JsonServer
from loremap.clients.settings.site import SERVER, Site

NAME, TITLE = "zed", "Zed"


def _folder(site: Site) -> Path:
    if site.project is not None:
        return site.project / ".zed"
    return site.application("Zed") if site.platform == "win32" else site.config / "zed"


def _edits(site: Site) -> tuple[Edit, ...]:
    server = {**site.server(NAME), "env": {}}
    return (JsonServer(_folder(site) / "settings.json", ("context_servers", SERVER), server),)


CLIENT = Client(
    name=NAME,
    title=TITLE,
    experimental=True,
    settings=Settings(
        programs=("zed", "zeditor"), folders=lambda site: (_folder(site),), edits=_edits
    ),
    reads=tuple(map(Loaded, ("AGENTS.md", "CLAUDE.md", ".rules"))),
)

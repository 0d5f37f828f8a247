"""Zed: our server among its context servers; it has no hooks."""

from __future__ import annotations

from pathlib import Path

from loremap.clients.settings.agent import Agent
from loremap.clients.settings.edits import Edit
from loremap.clients.settings.servers import JsonServer
from loremap.clients.settings.site import SERVER, Site


def _folder(site: Site) -> Path:
    if site.project is not None:
        return site.project / ".zed"
    return site.application("Zed") if site.platform == "win32" else site.config / "zed"


def _edits(site: Site) -> tuple[Edit, ...]:
    server = {**site.server("zed"), "env": {}}
    return (JsonServer(_folder(site) / "settings.json", ("context_servers", SERVER), server),)


AGENT = Agent(
    name="zed",
    title="Zed",
    programs=("zed", "zeditor"),
    folders=lambda site: (_folder(site),),
    edits=_edits,
)

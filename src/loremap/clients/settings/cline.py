"""Cline: one executable file for each hook, and our server in its list of servers."""

from __future__ import annotations

from pathlib import Path

from loremap.clients.settings.agent import Agent
from loremap.clients.settings.edits import Edit, OwnFile
from loremap.clients.settings.servers import JsonServer
from loremap.clients.settings.site import MARK, SERVER, Site

EVENTS = (
    "TaskStart",
    "TaskResume",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PreCompact",
    "TaskComplete",
    "TaskCancel",
)
EXTENSION = "globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"


def _documents(site: Site) -> Path:
    return site.user / "Documents" / "Cline"


def _hook_folder(site: Site) -> Path:
    """One folder only: it runs the hooks of every folder it knows."""
    if site.project is not None:
        return site.project / ".clinerules" / "hooks"
    if _documents(site).is_dir() and not _own(site).is_dir():
        return _documents(site) / "Hooks"
    return _own(site) / "hooks"


def _own(site: Site) -> Path:
    return site.user / ".cline"


def _server_file(site: Site) -> Path:
    """The list of the command line, or of the extension where only that is here."""
    extension = site.application("Code") / "User" / EXTENSION
    if extension.is_file() and not _own(site).is_dir():
        return extension
    return _own(site) / "data" / "settings" / "cline_mcp_settings.json"


def _hook(site: Site, event: str) -> OwnFile:
    if site.platform == "win32":
        line = site.powershell_hook("cline", event)
        return OwnFile(_hook_folder(site) / f"{event}.ps1", f"# {MARK}\n{line}\n")
    text = f"#!/bin/sh\n# {MARK}\n{site.hook('cline', event)}\n"
    return OwnFile(_hook_folder(site) / event, text, executable=True)


def _edits(site: Site) -> tuple[Edit, ...]:
    hooks = tuple(_hook(site, event) for event in EVENTS)
    server = JsonServer(_server_file(site), ("mcpServers", SERVER), site.server("cline"))
    return (*hooks, server)


AGENT = Agent(
    name="cline",
    title="Cline",
    programs=("cline",),
    folders=lambda site: (_own(site), _documents(site)),
    edits=_edits,
    no_project="keeps its MCP servers for the user only",
)

"""OpenCode: a small plugin of ours, slash commands included, and our server in its settings."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path

from loremap.clients.settings import slash
from loremap.clients.settings.agent import Agent
from loremap.clients.settings.edits import Edit, OwnFile
from loremap.clients.settings.servers import JsonServer
from loremap.clients.settings.site import SERVER, Site


def _folder(site: Site) -> Path:
    return site.config / "opencode"


def _settings(folder: Path) -> Path:
    """The settings file that is there; it reads both."""
    commented = folder / "opencode.jsonc"
    return commented if commented.exists() else folder / "opencode.json"


def plugin(launcher: Path) -> str:
    """The text of the plugin that starts `launcher`."""
    source = resources.files("loremap.interfaces.hooks").joinpath("opencode_plugin.js")
    asked = slash.asked(slash.Slash("{words}", "", ""), typed="{typed}")
    commands = {each.name: each.says for each in (*slash.MAIN, slash.MEMORY)}
    text = source.read_text("utf-8").replace('"@LAUNCHER@"', json.dumps(str(launcher)))
    text = text.replace('{ "@COMMANDS@": "" }', json.dumps(commands))
    return text.replace('"@ASKED@"', json.dumps(asked))


def _edits(site: Site) -> tuple[Edit, ...]:
    server = {
        "type": "local",
        "command": [str(site.launcher), "mcp", "opencode"],
        "enabled": True,
    }
    source = plugin(site.launcher)
    if site.project is not None:
        return (
            OwnFile(site.project / ".opencode" / "plugins" / "loremap.js", source),
            JsonServer(_settings(site.project), ("mcp", SERVER), server),
        )
    folder = _folder(site)
    return (
        OwnFile(folder / "plugins" / "loremap.js", source),
        JsonServer(_settings(folder), ("mcp", SERVER), server),
    )


AGENT = Agent(
    name="opencode",
    title="OpenCode",
    programs=("opencode",),
    folders=lambda site: (_folder(site),),
    edits=_edits,
)

"""Gemini CLI: hooks and our server in its settings; its own `/memory` gets commands of ours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from loremap.clients.settings import slash
from loremap.clients.settings.agent import Agent
from loremap.clients.settings.edits import Edit, Joined, OwnFile, nested_hooks, read_object
from loremap.clients.settings.servers import JsonServer
from loremap.clients.settings.site import FREE_TOOLS, MARK, SERVER, Site

EVENTS: dict[str, dict[str, Any]] = {
    # Its timeouts are in milliseconds.
    "SessionStart": {"name": "loremap", "timeout": 10_000},
    "BeforeAgent": {"name": "loremap", "timeout": 5_000},
    "BeforeTool": {"name": "loremap", "timeout": 5_000},
    "AfterTool": {"name": "loremap", "timeout": 5_000},
    "AfterAgent": {"name": "loremap", "timeout": 5_000},
    "PreCompress": {"name": "loremap", "timeout": 5_000},
    "SessionEnd": {"name": "loremap", "timeout": 3_000},
}
MATCHERS = {"PreCompress": "manual"}
"""It says `auto` before every call of the model, which means nothing."""


def _folder(site: Site) -> Path:
    if site.project is not None:
        return site.project / ".gemini"
    moved = site.environ.get("GEMINI_CLI_HOME")
    return (Path(moved).expanduser() if moved else site.user) / ".gemini"


def _edits(site: Site) -> tuple[Edit, ...]:
    settings = _folder(site) / "settings.json"
    # On Windows it runs hooks in PowerShell, whatever the user's shell is.
    line = site.powershell_hook if site.platform == "win32" else site.hook
    hooks = nested_hooks(settings, EVENTS, lambda event: line("gemini", event), matchers=MATCHERS)
    server = JsonServer(settings, ("mcpServers", SERVER), site.server("gemini"))
    both = Joined((hooks, server))
    if site.project is not None:
        return (both,)
    commands = slash.toml(_folder(site) / "commands", (*slash.MAIN, *slash.PARTS), typed="{{args}}")
    return (both, *commands, *((_policy(site),) if site.allows else ()))


def _policy(site: Site) -> OwnFile:
    """Which of our tools it need not ask for; to trust the whole server would be more."""
    names = ", ".join(f'"{tool}"' for tool in FREE_TOOLS)
    rule = f'mcpName = "{SERVER}"\ntoolName = [{names}]\ndecision = "allow"\npriority = 100\n'
    return OwnFile(_folder(site) / "policies" / "loremap.toml", f"# {MARK}\n[[rule]]\n{rule}")


def _remarks(site: Site) -> tuple[str, ...]:
    file = _folder(site) / "settings.json"
    config = read_object(file).get("hooksConfig")
    if not isinstance(config, dict):
        return ()
    said = []
    if config.get("enabled") is False:
        said.append(
            f"Hooks are switched off by hooksConfig.enabled in {file}: Gemini CLI will not run "
            "ours until that changes; the MCP tools work all the same."
        )
    if SERVER in (config.get("disabled") or ()):
        said.append(f"hooksConfig.disabled in {file} names our hooks: they will not run.")
    return tuple(said)


AGENT = Agent(
    name="gemini",
    title="Gemini CLI",
    programs=("gemini",),
    folders=lambda site: (_folder(site),),
    edits=_edits,
    remarks=_remarks,
)

"""Claude Code: hooks and permissions in its settings, our server in its own state file, command
files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from loremap.clients.settings import slash
from loremap.clients.settings.agent import Agent
from loremap.clients.settings.allowed import AllowList
from loremap.clients.settings.edits import (
    Edit,
    Joined,
    has_plugin,
    nested_hooks,
    read_object,
)
from loremap.clients.settings.servers import JsonServer
from loremap.clients.settings.site import FREE_TOOLS, SERVER, Site

EVENTS: dict[str, dict[str, Any]] = {
    "SessionStart": {"timeout": 10},
    "UserPromptSubmit": {"timeout": 5},
    "PreToolUse": {"timeout": 5},
    # Not async: what still runs when the agent ends is killed, and its event with it.
    "PostToolUse": {"timeout": 5},
    "PostToolUseFailure": {"timeout": 5},
    "SubagentStart": {"timeout": 5},
    "SubagentStop": {"timeout": 5},
    "Stop": {"timeout": 5},
    # Without a time of its own all hooks of the end share 1.5 s.
    "SessionEnd": {"timeout": 3},
}
_PLAIN = re.compile(r"[A-Za-z]:[A-Za-z0-9_./-]+")
ALLOWED = ("allowed-tools: mcp__loremap__memory", "disable-model-invocation: true")


def folder(site: Site) -> Path:
    """Where its settings lie."""
    return site.folder("CLAUDE_CONFIG_DIR", ".claude")


def _state(site: Site) -> Path:
    """The file in which it keeps MCP servers; it moves with the folder, by another rule."""
    moved = site.environ.get("CLAUDE_CONFIG_DIR")
    return (Path(moved).expanduser() if moved else site.user) / ".claude.json"


def _edits(site: Site) -> tuple[Edit, ...]:
    server = {"type": "stdio", **site.server("claude"), "env": {}}
    if site.project is not None:
        # Not the settings a repository shares: the command is of this machine.
        settings = site.project / ".claude" / "settings.local.json"
        key = ("projects", str(site.project), "mcpServers", SERVER)
        return (_settings_of(site, settings), JsonServer(_state(site), key, server))
    return (
        _settings_of(site, folder(site) / "settings.json"),
        JsonServer(_state(site), ("mcpServers", SERVER), server),
        *slash.markdown(
            folder(site) / "commands",
            (*slash.MAIN, *slash.PARTS),
            typed="$ARGUMENTS",
            more=ALLOWED,
        ),
    )


def _settings_of(site: Site, file: Path) -> Edit:
    allowed = tuple(f"mcp__{SERVER}__{tool}" for tool in FREE_TOOLS)
    return Joined(
        (
            _hooks(site, file),
            AllowList(file, ("permissions", "allow"), allowed, wanted=site.allows),
        )
    )


def _hooks(site: Site, file: Path) -> Edit:
    if site.platform != "win32":
        return nested_hooks(file, EVENTS, lambda event: site.hook("claude", event))
    # It runs hooks in Git Bash where that is installed, else in PowerShell: a plain path with
    # slashes is a command to both; any other must say for which it is written.
    program = str(site.launcher).replace("\\", "/")
    if _PLAIN.fullmatch(program):
        return nested_hooks(file, EVENTS, lambda event: f"{program} hook claude {event}")
    events = {event: {**more, "shell": "powershell"} for event, more in EVENTS.items()}
    return nested_hooks(file, events, lambda event: site.powershell_hook("claude", event))


def _managed(site: Site) -> Path:
    if site.platform == "darwin":
        return Path("/Library/Application Support/ClaudeCode/managed-settings.json")
    if site.platform == "win32":
        return site.folder("PROGRAMFILES", "ClaudeCode") / "ClaudeCode" / "managed-settings.json"
    return Path("/etc/claude-code/managed-settings.json")


def _settings(site: Site) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Every settings file that may hold a policy."""
    files = [_managed(site), folder(site) / "settings.json"]
    if site.project is not None:
        files += [
            site.project / ".claude" / name for name in ("settings.json", "settings.local.json")
        ]
    for file in files:
        value = read_object(file)
        if value:
            yield file, value


def _remarks(site: Site) -> tuple[str, ...]:
    return tuple(
        f"Hooks are switched off by {name} in {file}: Claude Code will not run ours until that "
        "changes; the MCP tools work all the same."
        for file, value in _settings(site)
        for name in ("disableAllHooks", "allowManagedHooksOnly")
        if value.get(name) is True
    )


AGENT = Agent(
    name="claude",
    title="Claude Code",
    programs=("claude",),
    folders=lambda site: (folder(site),),
    edits=_edits,
    remarks=_remarks,
    plugin=lambda site: has_plugin(read_object(folder(site) / "settings.json")),
)

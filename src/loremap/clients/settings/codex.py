"""Codex: hooks in a file of their own, our server in its TOML, skills as slash commands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from loremap.clients.settings import slash, tables
from loremap.clients.settings.agent import Agent
from loremap.clients.settings.edits import Edit, Joined, OwnFile, TomlTables, nested_hooks
from loremap.clients.settings.servers import TomlServer
from loremap.clients.settings.site import MARK, SERVER, Site

EVENTS: dict[str, dict[str, Any]] = {
    "SessionStart": {"timeout": 10},
    "UserPromptSubmit": {"timeout": 5},
    "PreToolUse": {"timeout": 5},
    "PostToolUse": {"timeout": 5},
    "SubagentStart": {"timeout": 5},
    "SubagentStop": {"timeout": 5},
    "PostCompact": {"timeout": 5},
    "Stop": {"timeout": 5},
    # More than three seconds is cut down by Codex, which says so in every run.
    "SessionEnd": {"timeout": 3},
}
PASSED_ON = ("LOREMAP_INCOGNITO", "LOREMAP_OFF")
"""What our server must know of a session's environment, of which Codex passes on only what is
named."""
POLICY_FILE = "agents/openai.yaml"
POLICY = "policy:\n  allow_implicit_invocation: false\n"


def folder(site: Site) -> Path:
    """Where its settings lie: the user's, or a project's own."""
    if site.project is not None:
        return site.project / ".codex"
    return site.folder("CODEX_HOME", ".codex")


def hooks_file(site: Site) -> Path:
    """The file of its hooks."""
    return folder(site) / "hooks.json"


def trust_file(site: Site) -> Path:
    """The file in which a user's trust in hooks is kept, those of projects too."""
    return site.folder("CODEX_HOME", ".codex") / "config.toml"


def _edits(site: Site) -> tuple[Edit, ...]:
    hooks = nested_hooks(hooks_file(site), EVENTS, lambda event: site.hook("codex", event))
    started = {**site.server("codex"), "env_vars": list(PASSED_ON)}
    server = TomlServer(folder(site) / "config.toml", ("mcp_servers", SERVER), started)
    if site.project is not None:
        return (hooks, server)
    commands = (*slash.MAIN, slash.MEMORY)
    skills = slash.skills(folder(site) / "skills", commands, slash.asked_behind)
    return (hooks, server, *skills, *(_policy(skill.file) for skill in skills))


def _policy(skill: Path) -> OwnFile:
    """What keeps a skill out of the list the model reads; its front matter does not, here."""
    return OwnFile(skill.parent / POLICY_FILE, f"# {MARK}\n{POLICY}")


def _former(site: Site) -> tuple[Edit, ...]:
    """Prompts, which Codex no longer reads."""
    names = ("remember", "forget", "pin", "memory")
    return tuple(OwnFile(folder(site) / "prompts" / f"{name}.md", "") for name in names)


def key_prefix(site: Site) -> str:
    """The path of its hooks as Codex writes it in its keys: resolved only where it was chosen."""
    file = hooks_file(site)
    chosen = site.project is not None or site.environ.get("CODEX_HOME")
    return str(file.parent.resolve() / file.name if chosen else file)


def with_trust(edits: tuple[Edit, ...], site: Site, keys: tuple[str, ...]) -> tuple[Edit, ...]:
    """The edits, with the trust that was set in hooks to be taken out with them."""
    file = trust_file(site)
    trust = TomlTables(file, tuple(("hooks", "state", key) for key in keys))
    same = tuple(edit for edit in edits if edit.file == file)
    return (*(edit for edit in edits if edit not in same), Joined((trust, *same)))


def config(site: Site) -> dict[str, Any]:
    """The user's settings; empty where there are none to read."""
    try:
        return tables.parsed(trust_file(site).read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tables.Malformed):
        return {}


def _remarks(site: Site) -> tuple[str, ...]:
    settings, said = config(site), []
    if tables.at(settings, ("features", "hooks")) is False:
        said.append(
            f"Hooks are switched off by features.hooks in {trust_file(site)}: Codex will not run "
            "ours until that changes; the MCP tools work all the same."
        )
    project = site.project
    if project and tables.at(settings, ("projects", str(project), "trust_level")) != "trusted":
        said.append(f"Codex reads these files only once you have told it to trust {project}.")
    return tuple(said)


def _plugin(site: Site) -> bool:
    plugins = config(site).get("plugins")
    return isinstance(plugins, dict) and any(
        name.startswith("loremap@") and isinstance(value, dict) and value.get("enabled", True)
        for name, value in plugins.items()
    )


AGENT = Agent(
    name="codex",
    title="Codex",
    programs=("codex",),
    folders=lambda site: (site.folder("CODEX_HOME", ".codex"),),
    edits=_edits,
    remarks=_remarks,
    plugin=_plugin,
    former=_former,
)

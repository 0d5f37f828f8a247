"""What the plugin directory holds that must agree with the rest: its hooks, its slash commands, and
how both its hooks and its server find the Loremap of this machine."""

from __future__ import annotations

from typing import Any

from loremap.clients import claude, codex
from loremap.clients.settings import slash
from loremap.clients.settings.site import SERVER

TOOL = "mcp__plugin_loremap_loremap__memory"
"""Our tool as Claude Code names it where the server came with a plugin."""
PLACEHOLDER = (
    "Where a placeholder is left between the marks, what I typed behind the name of the command "
    "stands in its place."
)
"""Codex puts nothing in; Claude Code and Copilot do."""
EVENTS = claude.EVENTS | {
    # Copilot says only this of a compaction, and Codex in another process only the next.
    "PreCompact": 5,
    "PostCompact": 5,
}
PROGRAM = '"${CLAUDE_PLUGIN_ROOT}/bin/lore-agent"'

FINDER = """\
#!/bin/sh
# Finds the Loremap that is installed on this machine and starts it; without one, says nothing.
if [ -n "$LOREMAP_HOME" ]; then
  home=$LOREMAP_HOME
elif [ -n "$XDG_DATA_HOME" ]; then
  home=$XDG_DATA_HOME/loremap
elif [ "$(uname -s 2>/dev/null)" = Darwin ]; then
  home="$HOME/Library/Application Support/loremap"
else
  home=$HOME/.local/share/loremap
fi
if [ -x "$home/bin/lore-agent" ]; then
  exec "$home/bin/lore-agent" "$@"
fi
if command -v lore >/dev/null 2>&1; then
  exec lore "$@"
fi
if [ "$1" = mcp ]; then
  echo "lore-agent: Loremap is not installed; the plugin needs the lore command." >&2
  exit 1
fi
cat >/dev/null 2>&1
exit 0
"""
"""The program `bin/lore-agent`; one home only is looked at, as a launcher serves but its own.

There is no `${` in it: Claude Code would replace that in a list of servers."""


def servers() -> dict[str, Any]:
    """The MCP server of the plugin: the finder itself, for not every client says there where the
    plugin lies. Codex passes on of the environment only what is named."""
    args = ["-c", FINDER, "lore-agent", "mcp"]
    passed = ["LOREMAP_HOME", "XDG_DATA_HOME", *codex.PASSED_ON]
    return {"mcpServers": {SERVER: {"command": "sh", "args": args, "env_vars": passed}}}


def hooks() -> dict[str, Any]:
    """The hooks of the plugin.

    They are called Claude's in every client that installs it; who really speaks is seen from what
    it sends. Nothing runs aside: to some of them we speak after a tool.
    """
    return {
        "description": "Loremap: brings what is known, records what happens.",
        "hooks": {
            event: [
                {
                    "hooks": [
                        {
                            "type": "command",
                            "command": f"{PROGRAM} hook {claude.NAME} {event}",
                            "timeout": seconds,
                        }
                    ]
                }
            ]
            for event, seconds in EVENTS.items()
        },
    }


def skills() -> dict[str, str]:
    """The slash commands of the plugin by their paths: as skills, for all three clients show those
    to a user, and Claude Code alone has others."""
    files = {}
    for each in (*slash.MAIN, slash.MEMORY):
        says = f"{slash.asked(each, typed='$ARGUMENTS')}\n{PLACEHOLDER}"
        allowed = (f"allowed-tools: {TOOL}",)
        files[f"{each.skill}/SKILL.md"] = slash.skill_text(each, says, more=allowed)
        files[f"{each.skill}/{codex.POLICY_FILE}"] = codex.POLICY
    return files

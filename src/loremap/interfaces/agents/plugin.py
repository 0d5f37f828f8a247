"""What the plugin directory holds that must agree with the rest: its hooks, its commands, and how
both its hooks and its server find the Loremap of this machine."""

from __future__ import annotations

from typing import Any

from loremap.interfaces.agents import claude, slash
from loremap.interfaces.agents.site import SERVER

TOOL = "mcp__plugin_loremap_loremap__memory"
"""Our tool as Claude Code names it where the server came with a plugin."""
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
    passed = ["LOREMAP_HOME", "XDG_DATA_HOME"]
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
                            "command": f"{PROGRAM} hook claude {event}",
                            "timeout": more["timeout"],
                        }
                    ]
                }
            ]
            for event, more in claude.EVENTS.items()
        },
    }


def commands() -> dict[str, str]:
    """The command files of the plugin, by name."""
    more = (f"allowed-tools: {TOOL}", "disable-model-invocation: true")
    return {
        f"{each.name}.md": slash.markdown_text(each, typed="$ARGUMENTS", more=more)
        for each in (*slash.MAIN, slash.MEMORY)
    }

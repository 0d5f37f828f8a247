"""What the plugin directory holds that must agree with the rest: its hooks and its commands."""

from __future__ import annotations

from typing import Any

from loremap.interfaces.agents import claude, slash

TOOL = "mcp__plugin_loremap_loremap__memory"
"""Our tool as Claude Code names it where the server came with a plugin."""
PROGRAM = '"${CLAUDE_PLUGIN_ROOT}/bin/lore-agent"'


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

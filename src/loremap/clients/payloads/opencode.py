"""OpenCode, as our own plugin tells it.

The plugin sends one JSON object for each event; what does not apply is left out:

    event        SessionStart | UserPromptSubmit | PreToolUse | PostToolUse | Stop |
                 PreCompact | PostCompact | SubagentStart | SubagentStop | SessionEnd
    session_id   the session's id; in a child session that of its parent
    agent_id     the child session's own id, only inside a subagent
    agent_type   the agent's name there
    cwd          the folder OpenCode was started in
    source       SessionStart: startup | resume | compact | fork
    prompt       UserPromptSubmit: the text parts of the user's message, without synthetic ones
    prompt_id    the message's id
    tool_name    as OpenCode names it: bash, edit, write, read, grep, task, patch …
    tool_use_id  the call's id
    tool_input   the call's arguments
    tool_output  PostToolUse: `output.output`, or the text of `output.content` for an MCP tool
    exit_code    PostToolUse of bash: `output.metadata.exit`
    error        PostToolUse: what the tool threw
    duration_ms  PostToolUse: how long it took
    last_assistant_message   Stop, SubagentStop: the last text of the assistant
    compact_summary          PostCompact: the summary

It gets `{"context": "…", "notice": "…", "hold": "…"}` back, each only where there is something to
say, or nothing at all; `hold` is why a call is not let through this once.
"""

from __future__ import annotations

from loremap.clients.payloads.adapter import Adapter
from loremap.clients.payloads.outcomes import of_opencode

OPENCODE = Adapter(
    client="opencode",
    event=("event", "hook_event_name"),
    said=("last_assistant_message", "compact_summary"),
    outcome=of_opencode,
)

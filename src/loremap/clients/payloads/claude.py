"""Claude Code."""

from __future__ import annotations

from loremap.clients.payloads.adapter import Adapter
from loremap.clients.payloads.outcomes import of_claude
from loremap.clients.payloads.payload import Raw, text
from loremap.model.hook import Moment

_NOTICE = "[SYSTEM NOTIFICATION - NOT USER INPUT]"


def _wanted(raw: Raw, moment: Moment) -> bool:
    """The compactor ends as a subagent without a kind, and the end of a background task comes as
    a prompt: neither is a part of the work."""
    if moment is Moment.SUBAGENT_STOP:
        return bool(text(raw, "agent_type"))
    if moment is Moment.PROMPT:
        return text(raw, "source") != "system" and _NOTICE not in text(raw, "prompt")[:200]
    return True


CLAUDE = Adapter(
    client="claude",
    session_env=("CLAUDE_CODE_SESSION_ID",),
    folder_env=("CLAUDE_PROJECT_DIR",),
    said=("last_assistant_message", "compact_summary"),
    outcome=of_claude,
    wanted=_wanted,
)

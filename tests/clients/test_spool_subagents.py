"""What a subagent did while nobody listened is read from its own transcript."""

from __future__ import annotations

import json
from pathlib import Path

from intake_tools import NOW
from transcript_tools import written

from loremap.agent.intake.spool import referred


def test_a_subagents_call_is_found_in_its_own_transcript(tmp_path: Path) -> None:
    session = tmp_path / "t.jsonl"
    session.write_text("{}\n" * 9)
    own = tmp_path / "t" / "subagents" / "agent-a8d1.jsonl"
    own.parent.mkdir(parents=True)
    written(own, "claude")
    kept = {
        "client": "claude",
        "event": "PostToolUse",
        "session_id": "s",
        "agent_id": "a8d1",
        "transcript_path": str(session),
        "offset": session.stat().st_size,
        "tool_use_id": "call-1",
        "tool_name": "Bash",
        "at": 1794809425142,
    }
    path = tmp_path / "1-1.json"
    path.write_text(json.dumps(kept))
    event = referred(path, now=NOW)
    assert event is not None
    assert event.tool is not None
    assert (event.tool.command, event.tool.success) == ("make x", False)

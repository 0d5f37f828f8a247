"""Sessions that Claude Code wrote down before Loremap was here."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any


@dataclass
class PastTranscript:
    """A session in a user's home, worked in a folder, beginning at a time."""

    home: Path
    folder: Path
    id: str
    at: datetime
    branch: str = "main"
    subagent_id: str = ""
    lines: list[dict[str, Any]] = field(default_factory=list)

    @property
    def path(self) -> Path:
        project = self.home / ".claude" / "projects" / "-a-project"
        if self.subagent_id:
            return project / self.id / "subagents" / f"agent-{self.subagent_id}.jsonl"
        return project / f"{self.id}.jsonl"

    def hands_on(self, task: str, *, role: str, to: str) -> PastTranscript:
        """The agent hands a task on to a subagent, whose transcript lies beside this."""
        self.used("Task", {"prompt": task, "subagent_type": role})
        inner = PastTranscript(self.home, self.folder, self.id, self.at, self.branch, to)
        return inner.typed(task)

    def typed(self, text: str) -> PastTranscript:
        """A person typed this."""
        return self._add("user", {"content": text})

    def said(self, text: str) -> PastTranscript:
        """The agent said this."""
        return self._add("assistant", {"content": [{"type": "text", "text": text}]})

    def ran(self, command: str, *, output: str = "", fails: bool = False) -> PastTranscript:
        """The agent ran a command."""
        given = {"command": command}
        return self.used("Bash", given, output=output, fails=fails)

    def used(
        self, tool: str, given: dict[str, Any], *, output: str = "", fails: bool = False
    ) -> PastTranscript:
        """The agent used a tool."""
        use_id = f"{self.id}-{self.subagent_id}{len(self.lines)}"
        use = {"type": "tool_use", "id": use_id, "name": tool, "input": given}
        came = {"type": "tool_result", "tool_use_id": use_id, "content": output, "is_error": fails}
        self._add("assistant", {"content": [use]})
        return self._add("user", {"content": [came]})

    def _add(self, kind: str, message: dict[str, Any]) -> PastTranscript:
        self.at += timedelta(seconds=30)
        told: dict[str, Any] = {"sessionId": self.id, "cwd": str(self.folder)}
        told |= {"gitBranch": self.branch, "isSidechain": bool(self.subagent_id)}
        line = {"type": kind, "message": message, "timestamp": self.at.isoformat(), **told}
        self.lines.append({**line, "uuid": f"{self.id}-{len(self.lines)}"})
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(self.lines[-1], separators=(",", ":")) + "\n")
        os.utime(self.path, (self.at.timestamp(), self.at.timestamp()))
        return self

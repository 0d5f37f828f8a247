"""The promise of it all: a session in one client hits something, two weeks later another client
begins a task there, and is told what was hit. As the resident does it, with a clock of its own."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from loremap.agent.intake.intake import EventIntake
from loremap.agent.session_agent import SessionAgent
from loremap.app.lore import Lore, open_workspaces
from loremap.config.folders import folders
from loremap.interfaces.hooks.answered import answered
from loremap.interfaces.resident.learner import Learner
from loremap.memory.workspaces import Workspaces

ASKED = "access tokens expire too early, fix it in the auth module"
DECIDED = (
    "no, never compare the expiry with the local clock, always allow thirty seconds of clock skew "
    "because the login servers drift"
)
LATER = "add a refresh endpoint to auth, tokens must be renewed before their expiry"


@dataclass
class Clock:
    """A clock that the test sets."""

    at: datetime = datetime(2026, 5, 4, 9, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.at += timedelta(milliseconds=1)
        return self.at


@dataclass
class Machine:
    """The parts of a resident, which hooks of clients reach with their bytes."""

    workspaces: Workspaces[Lore]
    agent: SessionAgent
    intake: EventIntake
    learner: Learner
    clock: Clock
    folder: Path

    def hook(self, client: str, session: str, event: str, **more: Any) -> dict[str, Any]:
        """What a hook of that client prints."""
        told = {"session_id": session, "cwd": str(self.folder), "hook_event_name": event}
        answer = answered(
            self.intake,
            client=client,
            name=event,
            payload=json.dumps(told | more).encode(),
            env={},
            now=self.clock(),
        )
        assert self.agent.settle()
        return dict(json.loads(answer.text)) if answer.text.strip() else {}


@pytest.fixture
def machine(home: Path, tmp_path: Path) -> Iterator[Machine]:
    """A shop's repository that was scanned, and what a resident is made of."""
    folder = tmp_path / "shop"
    for name, text in {
        "auth/__init__.py": '"""Logs customers in."""\n',
        "auth/tokens.py": '"""Access tokens and their expiry."""\n\n\ndef expired(token, now):\n'
        "    return token.expiry < now\n",
        "store/cart.py": '"""The cart of a customer."""\n\n\ndef total(cart):\n    return 0\n',
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    git = ("git", "-C", str(folder), "-c", "user.name=A", "-c", "user.email=a@example.org")
    for words in (("init", "-qb", "main"), ("add", "."), ("commit", "-qm", "The shop")):
        subprocess.run([*git, *words], check=True)
    clock = Clock()
    workspaces = open_workspaces(folders(), now=clock)
    workspaces.engine.slot.use(None)
    settings = workspaces.engine.settings
    values = {**settings.values, "inject.deadline_ms": 5_000, "embedding.provider": "none"}
    workspaces.engine.settings = replace(settings, values=values)
    with workspaces.at(folder) as lore:
        lore.init()
        lore.code.scan()
        lore.modules.map()
    agent = SessionAgent(workspaces)
    intake = EventIntake(workspaces, agent)
    yield Machine(workspaces, agent, intake, Learner(workspaces), clock, folder)
    intake.close()
    agent.close()
    workspaces.close()


def claude_session(machine: Machine, transcript: Path) -> None:
    """A session of Claude Code on auth: a wrong turn, a correction, a fix, a test that passes."""

    def writes(kind: str, content: object) -> None:
        line = {
            "type": kind,
            "message": {"role": kind, "content": content},
            "timestamp": machine.clock().isoformat(),
            "sessionId": "claude-1",
        }
        with transcript.open("a") as file:
            file.write(json.dumps(line) + "\n")

    def happens(event: str, **more: Any) -> None:
        more["transcript_path"] = str(transcript)
        machine.hook("claude", "claude-1", event, **more)

    def types(text: str) -> None:
        writes("user", text)
        happens("UserPromptSubmit", prompt=text)

    def calls(use_id: str, name: str, given: dict[str, str], result: str, *, fails: bool) -> None:
        writes("assistant", [{"type": "tool_use", "id": use_id, "name": name, "input": given}])
        told = {"type": "tool_result", "tool_use_id": use_id, "content": result}
        writes("user", [{**told, "is_error": fails}])
        event = "PostToolUseFailure" if fails else "PostToolUse"
        outcome = {"error": result} if fails else {"tool_response": result}
        happens(event, tool_name=name, tool_use_id=use_id, tool_input=given, **outcome)

    tokens = str(machine.folder / "auth/tokens.py")
    edit = {"file_path": tokens, "old_string": "token.expiry < now", "new_string": "now > expiry"}
    happens("SessionStart", source="startup")
    types(ASKED)
    calls("e1", "Edit", edit, "ok", fails=False)
    calls("b1", "Bash", {"command": "pytest tests/auth"}, "1 failed: clock skew", fails=True)
    types(DECIDED)
    calls("e2", "Edit", edit, "ok", fails=False)
    calls("b2", "Bash", {"command": "pytest tests/auth"}, "3 passed", fails=False)
    writes("assistant", [{"type": "text", "text": "Thirty seconds of skew are allowed now."}])
    happens("Stop")
    happens("SessionEnd", reason="other")


@pytest.fixture
def told(machine: Machine, tmp_path: Path) -> Callable[[str, str], str]:
    """What Codex is told at the first prompt of a session."""

    def first_prompt(session: str, prompt: str) -> str:
        machine.hook("codex", session, "SessionStart", source="startup")
        answer = machine.hook("codex", session, "UserPromptSubmit", prompt=prompt)
        return str(answer.get("hookSpecificOutput", {}).get("additionalContext", ""))

    return first_prompt


def test_two_weeks_later_another_client_is_told_what_was_hit(
    machine: Machine, tmp_path: Path, told: Callable[[str, str], str]
) -> None:
    claude_session(machine, tmp_path / "claude.jsonl")
    machine.learner.look(at_all=True)
    machine.clock.at += timedelta(days=14)
    brief = told("codex-1", LATER)
    assert "Files for this task:\n- auth/tokens.py" in brief
    assert "Noted, unverified:" in brief
    assert "always allow thirty seconds of clock skew because the login servers drift" in brief
    summary = brief.partition("Earlier sessions here")[2]
    assert "- 2026-05-04 Claude Code [on branch main]:" in summary
    assert f"Asked: “{ASKED}”" in summary
    assert "Done: changed auth/tokens.py; last to succeed: “pytest tests/auth”" in summary
    elsewhere = told("codex-2", "round the total of the cart to whole cents")
    assert "clock skew" not in elsewhere
    assert "Earlier sessions" not in elsewhere

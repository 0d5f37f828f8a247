"""`lore replay`: past sessions of a client, told to a person and to programs."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from cli_tools import Cli

from loremap.errors import BadInput
from loremap.interfaces.cli.since import since_when

NOW = datetime(2026, 11, 19, 12, tzinfo=UTC)


@pytest.fixture
def session(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A session of Claude Code in the project, tomorrow."""
    user = tmp_path / "user"
    monkeypatch.setenv("HOME", str(user))
    monkeypatch.setenv("USERPROFILE", str(user))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    read = {"type": "tool_use", "id": "t1", "name": "Read", "input": {"file_path": "app.py"}}
    came = {"type": "tool_result", "tool_use_id": "t1", "content": "def hello(): ..."}
    told: list[tuple[str, Any]] = [
        ("user", "what does the function hello_shop say to a customer?"),
        ("assistant", [read]),
        ("user", [came]),
    ]
    at = datetime.now(UTC) + timedelta(days=1)
    lines = [
        {
            "type": role,
            "message": {"role": role, "content": content},
            "timestamp": at.isoformat(),
            "cwd": str(cli.folder),
            "sessionId": "5f1c2b52",
        }
        for role, content in told
    ]
    path = user / ".claude" / "projects" / "-shop" / "5f1c2b52.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return "5f1c2b52"


def test_a_person_is_told_what_memory_would_have_been_worth(cli: Cli, session: str) -> None:
    cli("init", "--json")
    cli.remember("The function hello_shop greets a customer in the language of the shop")
    out = cli("replay").out
    assert "1 session of" in out
    assert session in out
    assert "finding files" in out
    assert "1 call" in out


def test_a_program_is_told_the_same(cli: Cli, session: str) -> None:
    cli("init", "--json")
    memory = cli.remember("The function hello_shop greets a customer in the language of the shop")
    data = cli.data("replay", "--agent", "claude", "--session", session[:4], "--since", "1h")
    assert (data["sessions"], data["prompts"], data["whole"]) == (1, 1, True)
    assert data["discovery"]["calls"] == 1
    (found,) = data["by_session"]
    assert found["session"] == session
    told = [id_ for each in found["told"] for id_ in each["memories"]]
    assert [id_[-8:] for id_ in told] == [memory["id"][-8:]]


def test_other_clients_and_times_are_left_out(cli: Cli, session: str) -> None:
    cli("init", "--json")
    assert cli.data("replay", "--agent", "codex")["sessions"] == 0
    assert cli("replay", "--agent", "codex").out.startswith("No session of this project")
    assert cli("replay", "--session", "nobody").code == 2
    assert cli("replay", "--agent", "zed").code == 2
    assert cli("replay", "--since", "soon").code == 2
    assert cli.data("replay")["sessions"] == 1
    assert session


@pytest.mark.parametrize(
    ("said", "at"),
    [
        ("2026-11-18T10:00+00:00", NOW - timedelta(days=1, hours=2)),
        ("12h", NOW - timedelta(hours=12)),
        ("14d", NOW - timedelta(days=14)),
        ("6w", NOW - timedelta(weeks=6)),
        ("1 day", NOW - timedelta(days=1)),
    ],
)
def test_a_time_is_named_or_how_long_ago(said: str, at: datetime) -> None:
    assert since_when(said, NOW) == at


@pytest.mark.parametrize("said", ["", "soon", "3x", "-1d", "99999d", "0001-01-01T00:00+14:00"])
def test_what_is_no_time_is_refused(said: str) -> None:
    with pytest.raises(BadInput):
        since_when(said, NOW)

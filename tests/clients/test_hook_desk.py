"""Whatever a hook sends, it is answered and nothing is raised."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some
from intake_tools import Desk, tool_use

from loremap.clients.registry import CLIENTS
from loremap.interfaces.hooks.answered import answered
from loremap.model.hook import HookEvent, Reply
from loremap.storage.caught import CAUGHT_FILE, caught_since

ANYTHING = some.recursive(
    some.none() | some.booleans() | some.integers() | some.floats() | some.text(max_size=20),
    lambda inner: (
        some.lists(inner, max_size=4) | some.dictionaries(some.text(max_size=10), inner, max_size=4)
    ),
    max_leaves=12,
)
FIELDS = some.sampled_from(
    "session_id sessionId conversation_id taskId cwd transcript_path hook_event_name hookName "
    "event prompt source tool_name toolName tool_input toolArgs tool_response toolResult "
    "tool_use_id tool_output postToolUse preToolUse userPromptSubmit error duration_ms agent_id "
    "agent_type last_assistant_message structuredPatch workspace_roots trigger".split()
)
NAMES = some.sampled_from(
    "SessionStart UserPromptSubmit PreToolUse PostToolUse Stop SessionEnd AfterTool BeforeAgent "
    "postToolUse agentStop SubagentStop PreCompress afterFileEdit x".split()
)
FUZZ = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def quiet(desk: Desk) -> None:
    """Nothing was caught on the way."""
    assert not (desk.home / CAUGHT_FILE).exists(), (desk.home / CAUGHT_FILE).read_text()


@FUZZ
@given(
    client=some.sampled_from(sorted(CLIENTS)),
    name=NAMES,
    payload=some.dictionaries(FIELDS, ANYTHING, max_size=8),
)
def test_fields_of_any_type(desk: Desk, client: str, name: str, payload: dict[str, Any]) -> None:
    said = desk.hook(client, payload, name=name)
    assert not said or isinstance(json.loads(said), dict)
    quiet(desk)


@FUZZ
@given(client=some.sampled_from(sorted(CLIENTS)), payload=some.binary(max_size=200))
def test_bytes_of_any_kind(desk: Desk, client: str, payload: bytes) -> None:
    assert desk.hook(client, payload, name="Stop") in (b"", b"{}")
    quiet(desk)


@FUZZ
@given(end=some.integers(0, 400))
def test_a_payload_cut_off(desk: Desk, end: int) -> None:
    whole = json.dumps(tool_use(desk.home.parent)).encode()
    desk.hook("claude", whole[: min(end, len(whole) - 1)], name="PostToolUse")
    quiet(desk)
    assert not desk.talker.heard


def test_ten_megabytes(desk: Desk, project: Path) -> None:
    large = tool_use(project, tool_response={"stdout": "all is well\n" * 900_000})
    assert json.loads(desk.hook("claude", large))
    [kept] = desk.kept()
    assert len(kept.result) < 2_000
    quiet(desk)


def test_ten_megabytes_of_prompt_leave_two_kilobytes(desk: Desk, project: Path) -> None:
    prompt = {"session_id": "s", "cwd": str(project), "prompt": "wörter " * 1_400_000}
    assert desk.hook("claude", prompt, name="UserPromptSubmit")
    [kept] = desk.kept()
    assert 1_900 < len(kept.text.encode()) <= 2_048


@pytest.mark.parametrize("depth", [100, 900, 20_000])
def test_what_is_nested_deeply(desk: Desk, depth: int) -> None:
    inner = '{"a":' * depth + "1" + "}" * depth
    fields = f'"session_id": "s", "tool_name": "x", "tool_input": {inner}, "tool_response": {inner}'
    desk.hook("claude", f"{{{fields}}}".encode(), name="PostToolUse")
    quiet(desk)


@pytest.mark.parametrize("cwd", ["relative", "/", "", "\0", "/no/such/folder", 7, None])
def test_folders_of_any_kind(desk: Desk, cwd: object) -> None:
    assert desk.hook("claude", {"session_id": "s", "cwd": cwd, "prompt": "p"}, name="Stop") == b""
    quiet(desk)
    assert len(desk.kept()) == 1


class Broken:
    """Raises whatever comes."""

    def __init__(self, home: Path) -> None:
        self.home = home

    def receive(self, event: HookEvent, *, ticket: str = "") -> Reply:
        """Never answers."""
        raise RuntimeError(f"secret words of {event.prompt}")


def test_what_goes_wrong_is_noted_without_what_was_said(home: Path) -> None:
    home.mkdir()
    payload = b'{"hook_event_name": "UserPromptSubmit", "prompt": "the-plan"}'
    now = datetime.now(UTC)
    for client, printed in (("claude", b""), ("cline", b"{}")):
        said = answered(Broken(home), client=client, name=None, payload=payload, env={}, now=now)
        assert said.text == printed
    notes = caught_since(home, datetime(2020, 1, 1, tzinfo=UTC))
    assert [note.fault for note in notes] == ["RuntimeError", "RuntimeError"]
    assert notes[0].lines[-1].startswith("test_hook_desk.py:")
    assert "the-plan" not in (home / CAUGHT_FILE).read_text()
    assert caught_since(home, datetime.now(UTC)) == []

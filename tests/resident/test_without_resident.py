"""The hook as a process, when no resident answers: it holds, it briefs, and it waits for one that
is being started."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from resident_tools import Hook

from loremap import app as memory
from loremap.interfaces.hooks import client as hook_client
from loremap.interfaces.resident.places import RunFolder, ensure_private_run
from loremap.model.memory import Trigger

LESSON = "Never force-push to main; it lost a week of work in May."


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with a confirmed warning."""
    root = tmp_path / "parcels"
    root.mkdir()
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    with memory.open(root) as lore:
        trigger = Trigger("literal", "git push --force", "command")
        lore.remember(LESSON, kind="warning", triggers=[trigger])
    return root


def starting(run: RunFolder) -> None:
    """Let it seem that somebody is starting a resident."""
    ensure_private_run(run)
    run.starting.write_bytes(b"")


def pushing(project: Path, session: str = "s1") -> dict[str, object]:
    return {
        "session_id": session,
        "cwd": str(project),
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_use_id": "t1",
        "tool_input": {"command": "git push -f"},
    }


def test_the_first_dangerous_command_is_held(hook: Hook, run: RunFolder, project: Path) -> None:
    for number in range(20):
        starting(run)
        ran = hook(pushing(project, f"s{number}"), "claude", "PreToolUse")
        assert (ran.code, ran.errors) == (0, b"")
        assert json.loads(ran.out)["hookSpecificOutput"]["permissionDecision"] == "deny"
    starting(run)
    assert hook(pushing(project, "s1"), "claude", "PreToolUse").out == b"", (
        "the second time it passes"
    )
    assert len(hook.spooled()) == 21, "the events are kept all the same"


def test_one_that_hangs_does_not_let_it_pass(
    hook: Hook, echo: Callable[[], int], project: Path
) -> None:
    pid = echo()
    os.kill(pid, signal.SIGSTOP)
    try:
        ran = [hook(pushing(project, f"s{number}"), "claude", "PreToolUse") for number in range(5)]
    finally:
        os.kill(pid, signal.SIGCONT)
    assert [LESSON.encode() in one.out for one in ran] == [True] * 5


def test_off_and_incognito(hook: Hook, run: RunFolder, project: Path, home: Path) -> None:
    starting(run)
    hidden = {**os.environ, "LOREMAP_INCOGNITO": "1"}
    assert LESSON.encode() in hook(pushing(project), "claude", "PreToolUse", env=hidden).out
    assert hook.spooled() == []
    (home / "off").touch()
    assert hook(pushing(project, "s2"), "claude", "PreToolUse").out == b""


def test_a_session_waits_for_a_resident_that_is_being_started(
    home: Path, run: RunFolder, echo: Callable[[], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hook_client, "BEGINNING_S", 30.0)  # this machine may be busy
    starting(run)
    header = {"kind": "hook", "client": "claude", "name": "SessionStart", "ticket": "t:1-1"}
    answers: list[tuple[bytes, bytes]] = []
    waiting = threading.Thread(
        target=lambda: answers.append(
            hook_client.awaited(str(home), str(run.path), {**header, "cwd": "/"}, b"{}")
        )
    )
    waiting.start()
    echo()
    waiting.join(30)
    assert answers[0][0] == hook_client.ANSWERED


def test_a_file_that_is_broken_costs_nothing(
    hook: Hook, run: RunFolder, project: Path, home: Path
) -> None:
    for broken in (b"", b"[]", b'{"version": 1}', b'{"version": 1, "clients": 3}', b"\xff"):
        starting(run)
        (home / "standby" / "guard.json").write_bytes(broken)
        ran = hook(pushing(project), "claude", "PreToolUse")
        assert (ran.code, ran.out, ran.errors) == (0, b"", b"")
    assert len(hook.spooled()) == 5

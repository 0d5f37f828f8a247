"""What a session taught is there in the next one, with nobody asking: hooks, resident, inbox."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from resident_tools import Client, Hook, wait_for

from loremap import app as memory
from loremap.interfaces.resident import reach
from loremap.model.memory import Memory, Origin

TEST = "pytest tests/test_prices.py"
ERROR = "TypeError: unsupported operand for +: 'float' and 'Decimal' in prices.total"
RULE = "no, we never use floats for money here, amounts are always integer cents because of audits"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A small repository."""
    root = tmp_path / "shop"
    root.mkdir()
    (root / "prices.py").write_text("TOTAL = 0.0\n")
    for line in (["init", "-q"], ["add", "."]):
        subprocess.run(["git", *line], cwd=root, check=True)
    return root


@pytest.fixture
def resident(hook: Hook, home: Path) -> Iterator[reach.Reached]:
    home.mkdir(mode=0o700)
    (home / "config.toml").write_text('[embedding]\nprovider = "none"\n')
    found = reach.ensure(home, wait_s=20)
    assert found, found.trouble
    yield found
    reach.stop(home)


def learned(project: Path) -> list[Memory]:
    with memory.open(project) as lore:
        return list(lore.sessions.inbox())


def test_what_was_taught_is_told_to_the_person_and_to_the_next_agent(
    resident: reach.Reached, hook: Hook, project: Path, tmp_path: Path
) -> None:
    first = Client(hook, project, tmp_path / "first.jsonl", "first")
    first.happens("SessionStart", source="startup")
    first.types("add a total to the prices")
    assert first.runs(TEST, f"{ERROR}\n1 failed", fails=True) == ""
    first.edits(project / "prices.py")
    first.types(RULE)
    first.edits(project / "prices.py")
    first.runs(TEST, "3 passed")
    first.writes("assistant", [{"type": "text", "text": "Switched to integer cents."}])
    first.happens("Stop")
    first.happens("SessionEnd", reason="other")
    wait_for(lambda: learned(project), seconds=40)
    (found,) = learned(project)
    assert "never use floats for money" in found.content
    assert (found.origin, found.session_id) == (Origin.CONVERSATION, "first")
    second = Client(hook, project, tmp_path / "second.jsonl", "second")
    told = second.happens("SessionStart", source="startup")
    assert "Loremap learned" in told.get("systemMessage", "")
    assert "never use floats for money" in told["systemMessage"]
    third = Client(hook, project, tmp_path / "third.jsonl", "third")
    assert "Loremap learned" not in third.happens("SessionStart", source="startup").get(
        "systemMessage", ""
    )
    said = third.happens("UserPromptSubmit", prompt="are amounts of money floats or cents here?")
    context = said["hookSpecificOutput"]["additionalContext"]
    assert "never use floats for money" in context
    assert "Noted" in context
    assert third.runs("make", "make: *** [all] Error 2", fails=True) == ""
    met = third.runs(f"{TEST} -q", f"{ERROR}\n1 failed in 2s", fails=True)
    assert "this error was met before" in met
    assert "passed after `0` in prices.py" in met
    assert third.runs(f"{TEST} -q", ERROR, fails=True) == ""


def test_commits_are_read_as_they_arrive(
    resident: reach.Reached, hook: Hook, project: Path, tmp_path: Path
) -> None:
    Client(hook, project, tmp_path / "s.jsonl", "s1").happens("SessionStart", source="startup")
    (project / "prices.py").write_text("TOTAL = 0\n")
    who = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "commit.gpgsign=false")
    message = (
        "fix: count prices in cents\n\nNever use floats for prices, because sums of them do not "
        "add up and every audit of ours has failed on that before."
    )
    subprocess.run(["git", *who, "commit", "-qam", message], cwd=project, check=True)
    with memory.open(project) as lore:
        wait_for(lore.sessions.inbox, seconds=20)
        (one,) = lore.sessions.inbox()
    assert (one.created_by, one.held_back) == ("rule:git", False)
    assert one.content.startswith("fix: count prices in cents. Never use floats")

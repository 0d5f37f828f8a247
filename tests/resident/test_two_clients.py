"""Two clients at once on one project, through their hooks and the resident: each knows within two
seconds what the other finds and changes."""

from __future__ import annotations

import itertools
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from resident_tools import Client, Hook, wait_for

from loremap import app as memory
from loremap.interfaces.resident import reach

WITHIN_S = 2.0
RULE = "no, we never use floats for money here, amounts are always integer cents because of audits"
NOTED = "The price service answers in cents although its documentation says euros"


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
    """A resident that is up and reads sessions."""
    home.mkdir(mode=0o700)
    (home / "config.toml").write_text('[embedding]\nprovider = "none"\n')
    found = reach.ensure(home, wait_s=20)
    assert found, found.trouble
    wait_for(lambda: "speaks MCP" in (home / "logs" / "resident.log").read_text(), seconds=30)
    yield found
    reach.stop(home)


def seconds_until(asker: Client, text: str, *happens: Callable[[], object]) -> float:
    """How long after the first of what happens a text is told to who asks again and again, each
    time in other words: what is said twice is heard once."""
    numbers = itertools.count()
    began = time.monotonic()
    for each in happens:
        each()
    while text not in asker.asks(f"hi there {next(numbers)}"):
        assert time.monotonic() - began < 20, "it was never told"
        time.sleep(0.1)
    return time.monotonic() - began


def test_two_clients_know_of_each_other_within_two_seconds(
    resident: reach.Reached, hook: Hook, project: Path, tmp_path: Path
) -> None:
    prices = project / "prices.py"
    one = Client(hook, project, tmp_path / "one.jsonl", "one")
    two = Client(hook, project, tmp_path / "two.jsonl", "two", "codex")
    one.happens("SessionStart", source="startup")
    two.happens("SessionStart", source="startup")
    one.types("add a total to the prices")
    two.asks("what is the shop about?")
    took = {}
    changed = "prices.py: changed at"
    took["file"] = seconds_until(two, changed, lambda: one.edits(prices))
    given = {"input": "*** Begin Patch\n*** Update File: prices.py\n@@\n-T\n+U\n*** End Patch\n"}
    held = two.happens("PreToolUse", tool_name="apply_patch", tool_use_id="p1", tool_input=given)
    assert "was changed at" in str(held)
    took["finding"] = seconds_until(
        two,
        "never use floats for money",
        lambda: one.types(RULE),
        lambda: one.edits(prices),
    )
    with memory.open(project) as lore:
        took["memory"] = seconds_until(
            one,
            NOTED,
            lambda: lore.as_session("two", "codex").remember(NOTED, kind="gotcha"),
        )
    assert all(seconds < WITHIN_S for seconds in took.values()), took

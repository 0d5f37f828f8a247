"""A resident that is killed while it reads a session: what was kept is there, nothing is doubled.
The session is that of a client, through its hooks and its transcript."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from resident_tools import Client, Hook, wait_for

from loremap import app as memory
from loremap.interfaces.resident import reach
from loremap.model.finding import KeptFinding
from loremap.model.memory import Memory, Status
from loremap.storage import findings

SPEAKS = "speaks MCP"
SYLLABLES = "ba ce di fo gu ha je ki lo mu na pe qui ro su ta ve wi xo zu".split()
EDITS = 10


def word(rng: random.Random) -> str:
    """A word that no other text has."""
    return "".join(rng.choice(SYLLABLES) for _ in range(4))


def rule(number: int) -> str:
    """Something that a person says holds, like nothing else that they say."""
    one, two, three, four = (word(random.Random(f"{number} {at}")) for at in range(4))
    return f"no, the {one} must never write to {two}, {three} always does that because of {four}"


@pytest.fixture
def project(home: Path, tmp_path: Path) -> Iterator[Path]:
    """A small repository, and a memory that needs no model."""
    root = tmp_path / "shop"
    root.mkdir()
    (root / "prices.py").write_text("TOTAL = 0.0\n")
    for line in (["init", "-q"], ["add", "."]):
        subprocess.run(["git", *line], cwd=root, check=True)
    home.mkdir(mode=0o700)
    (home / "config.toml").write_text('[embedding]\nprovider = "none"\n')
    yield root
    reach.stop(home)


def kept(project: Path) -> list[KeptFinding]:
    """What the session is known to have taught."""
    with memory.open(project) as lore, lore.store.read() as conn:
        return findings.of_session(conn, "s")


def learned(project: Path) -> list[Memory]:
    """What has become of it."""
    with memory.open(project) as lore:
        return list(lore.list(statuses=(Status.CANDIDATE,), limit=10_000))


def ready(home: Path) -> int:
    """The process of a resident that is about to read sessions."""
    log = home / "logs" / "resident.log"
    began = log.read_text().count(SPEAKS) if log.exists() else 0
    found = reach.ensure(home, wait_s=20)
    assert found, found.trouble
    wait_for(lambda: log.read_text().count(SPEAKS) > began, seconds=40)
    state = reach.status(home)
    assert state is not None
    return state.pid


def kill_while_it_reads(hook: Hook, project: Path, path: Path, *, times: int, seed: int) -> None:
    rng = random.Random(seed)
    session = Client(hook, project, path, "s")
    seen: set[str] = set()
    pid = ready(hook.home)
    for turn in range(times):
        session.types(rule(turn))
        for _ in range(EDITS):
            session.edits(project / "prices.py")
        if turn % 3 == 2:
            session.happens("SessionEnd", reason="other")
        os.kill(pid, signal.SIGKILL)
        wait_for(lambda: reach.status(hook.home) is None)
        pid = ready(hook.home)
        time.sleep(rng.random() ** 2 * 0.5)
        os.kill(pid, signal.SIGKILL)
        wait_for(lambda: reach.status(hook.home) is None)
        seen |= {one.fingerprint for one in kept(project)}
        pid = ready(hook.home)
    assert len(seen) >= times / 3
    session.happens("SessionEnd", reason="other")
    wait_for(lambda: len(kept(project)) == times, seconds=60)
    wait_for(lambda: not any(one.is_open for one in kept(project)), seconds=60)
    assert seen <= {one.fingerprint for one in kept(project)}
    said = Counter(one.content for one in learned(project))
    assert set(said.values()) == {1}
    assert all(one.repetitions == 0 for one in learned(project))
    assert {one.memory_id for one in kept(project)} == {one.id for one in learned(project)}


@pytest.mark.faults
@pytest.mark.timeout(1_200)
@pytest.mark.parametrize(("seed", "times"), [(2, 9), (3, 8), (4, 8)])  # two kills each time
def test_a_resident_is_killed_at_fifty_moments(
    seed: int, times: int, hook: Hook, project: Path, tmp_path: Path
) -> None:
    kill_while_it_reads(hook, project, tmp_path / "s.jsonl", times=times, seed=seed)

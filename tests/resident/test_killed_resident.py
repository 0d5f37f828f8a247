"""A resident that is killed at any moment: each event is recorded exactly once all the same."""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from resident_tools import Hook, wait_for

from loremap import app as memory
from loremap.interfaces.resident import reach
from loremap.storage.tables import events

KILLS = 4
WORKERS = 5
SEED = 4


@pytest.fixture
def project(home: Path, tmp_path: Path) -> Path:
    """A small repository, known already, and a memory that needs no model."""
    root = tmp_path / "parcels"
    root.mkdir()
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    home.mkdir(mode=0o700)
    (home / "config.toml").write_text('[embedding]\nprovider = "none"\n')
    with memory.open(root) as lore:
        lore.init()
    return root


def call(project: Path, name: str) -> dict[str, Any]:
    """A command that was run; the session tells events apart."""
    return {
        "session_id": name,
        "cwd": str(project),
        "hook_event_name": "PostToolUse",
        "tool_name": "Bash",
        "tool_use_id": name,
        "tool_input": {"command": f"make {name}"},
    }


def prompt(project: Path, name: str) -> dict[str, Any]:
    """A prompt, which has no id of its own."""
    told = {"session_id": name, "cwd": str(project), "prompt": f"make {name}"}
    return {**told, "hook_event_name": "UserPromptSubmit"}


@contextmanager
def busy(home: Path) -> Iterator[None]:
    """Nobody else can write into the store meanwhile."""
    with sqlite3.connect(home / "lore.db", timeout=20, isolation_level=None) as conn:
        conn.execute("BEGIN IMMEDIATE")
        yield
        conn.execute("ROLLBACK")
    conn.close()


def recorded(project: Path) -> Counter[str]:
    """How often each event is in the log."""
    told = events.select().with_only_columns(events.c.session_id)
    with memory.open(project) as lore, lore.store.read() as conn:
        return Counter(conn.execute(told).scalars())


def drained(home: Path) -> None:
    """Wait until what hooks left is taken up; who took it before and died is not waited for."""

    def is_empty() -> bool:
        left = list((home / "spool").iterdir())
        for path in left:
            if path.suffix != ".json":
                with suppress(OSError):
                    os.utime(path, (time.time() - 600, time.time() - 600))
        return not left

    wait_for(is_empty, seconds=60)


def ready(home: Path) -> int:
    """The process of a resident that can answer."""
    assert reach.ensure(home, wait_s=20)
    wait_for(lambda: (state := reach.status(home)) and state.ready, seconds=30)
    state = reach.status(home)
    assert state is not None
    return state.pid


@pytest.mark.parametrize("killed", [True, False])
@pytest.mark.parametrize("made", [call, prompt])
def test_what_the_resident_was_still_at_is_recorded_once(
    hurried: Hook, home: Path, project: Path, made: Any, killed: bool
) -> None:
    pid = ready(home)
    assert hurried(made(project, "first"), "claude").code == 0
    wait_for(lambda: recorded(project) == {"first": 1})
    with busy(home):
        ran = hurried(made(project, "second"), "claude")
        assert (ran.code, ran.out) == (0, b"")
        assert "second" in {left["session_id"] for left in hurried.spooled()}
        assert "make second" not in json.dumps(hurried.spooled())
        if killed:
            os.kill(pid, signal.SIGKILL)
            wait_for(lambda: reach.status(home) is None)
    ready(home)
    drained(home)
    assert recorded(project) == {"first": 1, "second": 1}


def test_killed_at_random_moments_under_load(hurried: Hook, home: Path, project: Path) -> None:
    chance = random.Random(SEED)
    over = threading.Event()
    ready(home)
    said: list[str] = []

    def work(worker: int) -> None:
        number = 0
        while not over.is_set():
            name, number = f"{worker}-{number}", number + 1
            said.append(name)
            assert hurried((call if number % 2 else prompt)(project, name), "claude").code == 0

    workers = [threading.Thread(target=work, args=(worker,)) for worker in range(WORKERS)]
    for worker in workers:
        worker.start()
    for _ in range(KILLS):
        pid = ready(home)
        time.sleep(chance.uniform(0.0, 0.6))
        with busy(home):
            time.sleep(chance.uniform(0.0, 0.6))
            os.kill(pid, signal.SIGKILL)
    over.set()
    for worker in workers:
        worker.join()
    ready(home)
    drained(home)
    assert len(said) >= 20
    assert recorded(project) == Counter(said)

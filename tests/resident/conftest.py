"""Residents for tests: started as real processes, always ended."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from resident_tools import Hook, wait_for

from loremap.interfaces.resident import places, reach
from loremap.interfaces.resident.places import RunFolder, run_folder

ECHO = Path(__file__).with_name("echo_resident.py")


@pytest.fixture
def hook(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hook]:
    """The hook client of a home of its own; a resident that it started is ended."""
    monkeypatch.setenv("LOREMAP_IDLE_SECONDS", "60")
    monkeypatch.setenv("LOREMAP_HOOK_MS", "4000")  # this machine may be busy
    yield Hook(home)
    while reach.stop(home):
        time.sleep(0.1)  # one that was started at the same time may have waited for the lock


@pytest.fixture
def hurried(hook: Hook, monkeypatch: pytest.MonkeyPatch) -> Hook:
    """The hook client that waits no longer than by default."""
    monkeypatch.delenv("LOREMAP_HOOK_MS")
    return hook


@pytest.fixture
def run(home: Path) -> RunFolder:
    """Where the resident of this test is reached."""
    return run_folder(home)


@pytest.fixture
def echo(home: Path) -> Iterator[Callable[[], int]]:
    """Starts a resident that only says what it was given; returns its process id."""
    started: list[subprocess.Popen[bytes]] = []

    def start(**env: str) -> int:
        process = subprocess.Popen([sys.executable, str(ECHO), str(home)], env=os.environ | env)
        started.append(process)
        wait_for(lambda: (found := reach.status(home)) and found.pid == process.pid)
        return process.pid

    yield start
    for process in started:
        process.kill()
        process.wait()
    assert places.holder(run_folder(home)) is None

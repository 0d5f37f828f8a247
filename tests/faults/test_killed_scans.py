"""A scan killed at any moment leaves no process behind, also none that hangs in a parser."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

KILLS = int(os.environ.get("LOREMAP_SCAN_KILLS", "10"))
GONE_WITHIN_S = 5.0
HANGS = ("'" * 199 + "\n") * 2500
"""JavaScript over which the parser takes minutes, in code that lets no other thread run."""


def left(group: int) -> list[str]:
    """The processes of a group that still run."""
    listed = subprocess.run(
        ["ps", "-axww", "-o", "pid=,pgid=,stat=,args="], capture_output=True, text=True, check=True
    ).stdout
    rows = [line.split(maxsplit=3) for line in listed.splitlines()]
    return [" ".join(row) for row in rows if int(row[1]) == group and not row[2].startswith("Z")]


def await_workers(scan: subprocess.Popen[bytes]) -> None:
    while not any("code.scan.worker" in one for one in left(scan.pid)):
        assert scan.poll() is None
        time.sleep(0.05)


def assert_none_left(group: int) -> None:
    deadline = time.monotonic() + GONE_WITHIN_S
    while (running := left(group)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert running == []


@pytest.mark.faults
@pytest.mark.timeout(600)
@pytest.mark.skipif(sys.platform == "win32", reason="has neither SIGKILL nor ps")
@pytest.mark.parametrize("verb", [["init", "--no-encrypt", "--keep", "none"], ["scan"]])
def test_no_process_outlives_a_killed_scan(
    verb: list[str], project: Path, hashing_home: Path
) -> None:
    subprocess.run(["git", "init", "-q", project], check=True)
    for number in range(600):
        text = "".join(f"def f{number}_{n}():\n    return f{number}_{n + 1}()\n" for n in range(40))
        (project / f"m{number:03}.py").write_text(text)
    for number in (0, 100, 200, 300, 400, 500):
        (project / f"m{number:03}.js").write_text(HANGS)
    dice = random.Random(7)
    for turn in range(KILLS):
        command = [sys.executable, "-m", "loremap", *verb]
        scan = subprocess.Popen(
            command, cwd=project, start_new_session=True, stdout=subprocess.DEVNULL
        )
        if turn % 3:  # else while it starts
            await_workers(scan)
        with pytest.raises(subprocess.TimeoutExpired):  # it is at work still
            scan.wait(dice.uniform(0.0, 2.0))
        os.kill(scan.pid, signal.SIGKILL)
        scan.wait()
        assert_none_left(scan.pid)

"""A day in a hostile repository: nothing in it runs, nothing is sent anywhere, no file is left."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from foreign_repository import foreign_repository
from watched_sockets import CAN_WATCH, Sent, watched

from loremap.config.folders import folders

JOURNEY = Path(__file__).with_name("journey.py")
pytestmark = [
    pytest.mark.skipif(not CAN_WATCH, reason="needs Linux to watch what is sent"),
    pytest.mark.timeout(600),
]


@dataclass(frozen=True)
class Day:
    """What came of it."""

    done: subprocess.CompletedProcess[str]
    sent: list[Sent]
    marks: str
    strays: list[str]


@pytest.fixture(scope="module")
def day(tmp_path_factory: pytest.TempPathFactory) -> Day:
    """Every kind of our processes has been at work in a hostile repository, once."""
    top = tmp_path_factory.mktemp("day")
    marked = top / "marked"
    folder = foreign_repository(top / "app", top / "mark", marked)
    others = {name: top / name for name in ("user", "tmp", "settings", "state")}
    for place in others.values():
        place.mkdir()
    env = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("LOREMAP_", "XDG_", "GIT_", "ORT_"))
    }
    env |= {
        "PATH": os.pathsep.join((".", env["PATH"])),  # as a careless user has it
        "HOME": str(others["user"]),
        "TMPDIR": str(others["tmp"]),
        "XDG_CONFIG_HOME": str(others["settings"]),
        "XDG_STATE_HOME": str(others["state"]),
        "LOREMAP_HOME": str(top / "home"),
        "LOREMAP_KEYS": str(top / "keys"),
        "LOREMAP_CACHE": str(folders().cache),
        "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring",
    }
    line = [sys.executable, "-P", str(JOURNEY), str(folder)]
    done, sent = watched(line, env=env, cwd=folder, seconds=500)
    strays = [str(path) for place in others.values() for path in place.rglob("*")]
    return Day(done, sent, marked.read_text() if marked.exists() else "", strays)


def test_every_step_of_the_day_was_done(day: Day) -> None:
    assert day.done.returncode == 0, day.done.stdout + day.done.stderr


def test_nothing_of_the_repository_ran(day: Day) -> None:
    assert day.marks == ""


def test_nothing_was_sent_but_to_the_users_own_socket(day: Day) -> None:
    assert day.sent, "the hooks speak to the resident"
    assert [one for one in day.sent if not one.is_local] == []


def test_no_file_is_left_outside_of_our_folders(day: Day) -> None:
    assert day.strays == []


@pytest.mark.parametrize(("port", "is_local"), [(7777, True), (53, False)])
def test_the_watch_sees_what_is_sent(port: int, is_local: bool, tmp_path: Path) -> None:
    send = f"import socket; socket.socket(type=2).sendto(b'x', ('127.0.0.1', {port}))"
    start = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {send!r}])"
    _, sent = watched([sys.executable, "-c", start], env=os.environ, cwd=tmp_path, seconds=60)
    assert [(one.port, one.is_local) for one in sent] == [(port, is_local)]

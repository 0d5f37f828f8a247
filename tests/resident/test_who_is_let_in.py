"""The resident hears its own user, who knows the key, and nobody else."""

from __future__ import annotations

import asyncio
import os
import socket
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from loremap.interfaces.hooks.client import MAC_BYTES, NONCE_BYTES, described, frame, proof
from loremap.interfaces.resident import reach
from loremap.interfaces.resident.places import RunFolder
from loremap.interfaces.resident.requests import NotOurs
from loremap.interfaces.resident.server import _check_owner

NOBODY = 65534
OTHER_USER = """
import os, socket, sys
os.setuid(int(sys.argv[2]))
found = socket.socket(socket.AF_UNIX)
found.connect(sys.argv[1])
found.recv(1)
"""


@pytest.mark.parametrize(
    ("said", "is_answered"),
    [
        (lambda key, ours, theirs: proof(key, b"client", theirs, ours), True),
        (lambda key, ours, theirs: proof(key, b"resident", theirs, ours), False),
        (lambda key, ours, theirs: proof(b"x" * len(key), b"client", theirs, ours), False),
        (lambda key, ours, theirs: bytes(MAC_BYTES), False),
        (lambda key, ours, theirs: proof(key, b"client", ours, theirs), False),
    ],
    ids=["the key", "an echo", "another key", "nothing", "turned around"],
)
def test_who_does_not_know_the_key_is_not_heard(
    home: Path,
    run: RunFolder,
    echo: Callable[[], int],
    said: Callable[[bytes, bytes, bytes], bytes],
    is_answered: bool,
) -> None:
    echo()
    key = (run.path / "key").read_bytes()
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(20)
        line.connect(str(run.socket))
        ours = os.urandom(NONCE_BYTES)
        line.sendall(ours)
        answer = b""
        while len(answer) < NONCE_BYTES + MAC_BYTES:
            answer += line.recv(NONCE_BYTES + MAC_BYTES - len(answer))
        line.sendall(said(key, ours, answer[:NONCE_BYTES]) + _request("ping"))
        try:
            heard = line.recv(1)
        except ConnectionResetError:  # it hung up on what we were saying
            heard = b""
    assert bool(heard) is is_answered
    assert reach.status(home) is not None


def _request(asked: str) -> bytes:
    """A question how it is, as the program itself sends it."""
    return frame(described("control", "", ""), asked.encode())


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells who connects")
@pytest.mark.skipif(os.geteuid() != 0, reason="needs a process of another user")
@pytest.mark.parametrize(("user", "is_let_in"), [(0, True), (NOBODY, False)])
def test_another_user_is_not_let_in(user: int, is_let_in: bool) -> None:
    with tempfile.TemporaryDirectory() as top:
        Path(top).chmod(0o755)
        assert asyncio.run(_is_let_in(Path(top) / "line", user)) is is_let_in


async def _is_let_in(place: Path, user: int) -> bool:
    verdict: asyncio.Future[bool] = asyncio.get_running_loop().create_future()

    async def connected(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            _check_owner(writer)
            verdict.set_result(True)
        except NotOurs:
            verdict.set_result(False)
        writer.close()

    async with await asyncio.start_unix_server(connected, place):
        place.chmod(0o777)
        line = [sys.executable, "-c", OTHER_USER, str(place), str(user)]
        other = await asyncio.create_subprocess_exec(*line, cwd="/")
        found = await asyncio.wait_for(verdict, 30)
        await other.wait()
    return found


def test_what_is_kept_is_for_the_user_alone(
    home: Path, run: RunFolder, echo: Callable[[], int]
) -> None:
    echo()
    for words in (("remember", "A note"), ("backup", "now")):
        subprocess.run([sys.executable, "-P", "-m", "loremap", *words], check=True, cwd=home)
    kept = (home, run.path, *home.rglob("*"), *run.path.rglob("*"))
    assert {"lore.db", "key", "hook.sock"} <= {path.name for path in kept}
    assert [str(path) for path in kept if stat.S_IMODE(path.lstat().st_mode) & 0o077] == []

"""The life of a resident: one at a time, gone when it should be, back when it is needed."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from resident_tools import ENTER, Hook, wait_for

from loremap.interfaces.hooks import client
from loremap.interfaces.resident import reach
from loremap.interfaces.resident.places import (
    ResidentState,
    RunFolder,
    ensure_private_run,
    held,
    holder,
    run_folder,
)

ECHO = Path(__file__).with_name("echo_resident.py")


def test_of_ten_that_start_at_once_one_stays(home: Path, run: RunFolder) -> None:
    line = [sys.executable, str(ECHO), str(home)]
    started = [subprocess.Popen(line) for _ in range(10)]
    wait_for(lambda: sum(one.poll() is None for one in started) == 1, seconds=20)
    (stays,) = [one for one in started if one.poll() is None]
    assert holder(run) == stays.pid
    assert [one.returncode for one in started if one is not stays] == [0] * 9
    found = reach.status(home)
    assert found is not None
    assert found.pid == stays.pid
    assert reach.stop(home)
    assert stays.wait(5) == 0


def test_ten_hooks_at_once_start_one(hook: Hook, home: Path, run: RunFolder) -> None:
    started = [
        subprocess.Popen([*hook.line, "hook", "claude", "Stop"], stdin=subprocess.DEVNULL)
        for _ in range(10)
    ]
    assert [one.wait(10) for one in started] == [0] * 10
    wait_for(lambda: reach.status(home))
    wait_for(lambda: _residents(home) == [holder(run)])


def _residents(home: Path) -> list[int | None]:
    """The residents of a home that run, by what the system says."""
    listed = subprocess.run(
        ["ps", "-wweo", "pid=,args="], capture_output=True, text=True, check=True
    )
    rows = (row.split(None, 1) for row in listed.stdout.splitlines())
    return [
        int(pid)
        for pid, line in rows
        if "loremap.interfaces.resident" in line and line.endswith(str(home))
    ]


def test_after_a_crash_the_next_one_begins_at_once(
    echo: Callable[[], int], hook: Hook, run: RunFolder
) -> None:
    os.kill(echo(), signal.SIGKILL)
    assert run.socket.exists(), "what a crash leaves behind"
    assert run.state.exists()
    wait_for(lambda: holder(run) is None)
    second = echo()
    assert holder(run) == second
    assert hook().out.startswith(b"claude")


def test_it_ends_clean_when_asked(echo: Callable[[], int], home: Path, run: RunFolder) -> None:
    os.kill(echo(), signal.SIGTERM)
    wait_for(lambda: holder(run) is None)
    assert not run.socket.exists()
    assert not run.state.exists()
    assert reach.status(home) is None


def test_work_at_hand_is_finished_before_it_ends(
    echo: Callable[[], int], hurried: Hook, home: Path, run: RunFolder
) -> None:
    pid = echo()
    assert hurried(b"sleep 2").code == 0
    os.kill(pid, signal.SIGTERM)
    wait_for(lambda: holder(run) is None)
    assert (home / "recorded").read_bytes() == b"sleep 2\nlost\n", "the hook had gone by then"


def test_one_that_hangs_is_ended_by_force(
    echo: Callable[[], int], home: Path, run: RunFolder
) -> None:
    os.kill(echo(), signal.SIGSTOP)
    assert reach.stop(home)
    assert holder(run) is None
    assert not reach.stop(home), "there is none to end"


def test_it_ends_by_itself_when_nobody_speaks(
    echo: Callable[..., int], hook: Hook, run: RunFolder
) -> None:
    echo(LOREMAP_IDLE_SECONDS="1.5")
    for _ in range(4):
        time.sleep(0.6)
        assert hook().out.startswith(b"claude"), "who speaks keeps it"
    wait_for(lambda: holder(run) is None, seconds=5)


def test_an_open_relay_keeps_it(echo: Callable[..., int], hook: Hook, run: RunFolder) -> None:
    echo(LOREMAP_IDLE_SECONDS="1")
    with subprocess.Popen(
        [*hook.line, "mcp", "claude"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as relay:
        assert relay.stdin is not None
        assert relay.stdout is not None
        relay.stdin.write(b'{"id": 1, "method": "ping"}\n')
        relay.stdin.flush()
        assert b'"pid"' in relay.stdout.readline()
        time.sleep(2.0)
        assert holder(run) is not None
        relay.stdin.close()
        assert relay.wait(5) == 0
    wait_for(lambda: holder(run) is None, seconds=5)


def test_it_ends_when_its_folder_is_removed(echo: Callable[[], int], home: Path) -> None:
    pid = echo()
    shutil.rmtree(home)
    wait_for(lambda: _has_ended(pid))
    assert not run_folder(home).socket.exists()


def _has_ended(pid: int) -> bool:
    return "\nState:\tZ" in Path(f"/proc/{pid}/status").read_text()


@pytest.mark.skipif(sys.platform != "linux", reason="asks /proc")
def test_the_key_is_in_no_process_list_and_no_log(
    echo: Callable[[], int], hook: Hook, run: RunFolder
) -> None:
    pid = echo()
    said = "something nobody else may read"
    hook({"prompt": said})
    key = (run.path / "key").read_bytes()
    assert (run.path / "key").stat().st_mode & 0o777 == 0o600
    assert run.socket.stat().st_mode & 0o777 == 0o600
    shown = Path(f"/proc/{pid}/cmdline").read_bytes() + Path(f"/proc/{pid}/environ").read_bytes()
    for written in (shown, run.log.read_bytes(), run.state.read_bytes()):
        assert key not in written
        assert key.hex().encode() not in written
        assert said.encode() not in written


def test_a_newer_client_takes_the_place_of_an_older_resident(
    echo: Callable[[], int], hook: Hook, home: Path, run: RunFolder, tmp_path: Path
) -> None:
    older = echo()
    newer = tmp_path / "newer" / "loremap"
    shutil.copytree(ENTER.parent, newer / "interfaces" / "hooks")
    (newer / "model").mkdir()
    (newer / "model" / "version.py").write_text('VERSION = "99.0.0"\n')
    line = [*hook.line, "hook", "claude", "Stop"]
    line[3] = str(newer / "interfaces" / "hooks" / "enter.py")
    done = subprocess.run(line, input=b"{}", capture_output=True, check=False)
    assert done.stdout.startswith(b"claude Stop"), "it still answers"
    wait_for(lambda: (found := reach.status(home)) and found.pid != older, seconds=20)
    assert holder(run) not in (None, older)


@pytest.mark.parametrize(
    ("version", "stamp", "gives_way"),
    [
        ("0.1.0", 5, False),  # the same
        ("0.1.0", 6, True),  # installed again
        ("0.1.0", 4, False),
        ("0.0.9", 9, False),  # an older one never takes over
        ("0.1.1", 1, True),
        ("0.10.0", 1, True),  # numbers, not text
        ("", 0, False),  # who says nothing
    ],
)
def test_who_gives_way(version: str, stamp: int, gives_way: bool) -> None:
    state = ResidentState(pid=1, version="0.1.0", stamp=5, started="")
    assert state.older_than(version, stamp) is gives_way


def test_a_lock_that_was_left_is_no_hindrance(home: Path, run: RunFolder) -> None:
    ensure_private_run(run)
    run.lock.write_text("999999")
    assert holder(run) is None
    lock = held(run)
    assert lock is not None
    assert holder(run) == os.getpid()
    assert held(run) is None
    lock.release()
    assert holder(run) is None


def test_a_stream_of_events_is_acknowledged_when_it_is_safe(
    echo: Callable[[], int], home: Path, run: RunFolder
) -> None:
    echo()
    clock = client.Clock(10)
    sock = client.connect(str(run.path), clock, hello_s=5)
    client.send(sock, client.frame({"kind": "events", "client": "claude"}, b""), clock)
    assert client.answer_of(sock, clock) == (client.ANSWERED, b"")
    for number in range(700):
        said = json.dumps({"n": number}).encode()
        client.send(sock, len(said).to_bytes(4, "big") + said, clock)
    safe = 0
    while safe < 700:
        safe = int.from_bytes(client.receive(sock, 4, clock), "big")
        assert len((home / "recorded").read_bytes().splitlines()) >= safe
    sock.close()
    kept = (home / "recorded").read_bytes().splitlines()
    assert [json.loads(line)["n"] for line in kept] == list(range(700))


def test_a_long_home_has_its_socket_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    far = tmp_path / ("long" * 30) / "home"
    run = run_folder(far)
    assert run.path != far / "run"
    assert len(os.fsencode(run.socket)) <= client.UNIX_PATH_BYTES
    ensure_private_run(run)
    assert run.path.stat().st_mode & 0o777 == 0o700
    process = subprocess.Popen([sys.executable, str(ECHO), str(far)])
    wait_for(lambda: reach.status(far))
    assert Hook(far)().out.startswith(b"claude")
    assert reach.stop(far)
    process.wait(5)
    shutil.rmtree(run.path)

"""The hook client: hands over, stays silent, never hangs and never fails, whatever it meets."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from resident_tools import Hook, Ran, wait_for

from loremap.interfaces.resident import reach
from loremap.interfaces.resident.places import RunFolder, ensure_private_run

MOST_MS = 300.0
SAID = "the words of a prompt"
EVENT = {"session_id": "s-1", "cwd": "/", "tool_use_id": "t-1", "prompt": SAID}


def middle(ran: list[Ran]) -> float:
    """The middle of the times, in ms: one may meet a busy machine. `bench.speed.hooks` looks at
    the longest."""
    return sorted(one.ms for one in ran)[len(ran) // 2]


def test_an_event_is_answered(hook: Hook, echo: Callable[[], int]) -> None:
    echo()
    ran = hook(EVENT, "claude", "UserPromptSubmit")
    assert (ran.code, ran.errors) == (0, b"")
    assert ran.out.startswith(b"claude UserPromptSubmit ")
    assert hook.spooled() == []


def test_places_are_passed_on_and_keys_are_not(hook: Hook, echo: Callable[[], int]) -> None:
    echo()
    given = {"CLAUDE_PROJECT_DIR": "/here", "CLAUDE_CODE_OAUTH_TOKEN": "x", "GEMINI_API_KEY": "y"}
    told = hook(EVENT, env={**os.environ, **given}).out.decode()
    assert "CLAUDE_PROJECT_DIR=/here" in told
    assert "TOKEN" not in told
    assert "KEY" not in told


def test_no_resident_leaves_a_reference_and_starts_one(hook: Hook, home: Path) -> None:
    ran = hook(EVENT, "gemini", "BeforeAgent")
    assert (ran.code, ran.out, ran.errors) == (0, b"{}", b"")
    (left,) = hook.spooled()
    assert left["session_id"] == "s-1"
    assert left["tool_use_id"] == "t-1"
    assert SAID not in str(left)
    wait_for(lambda: reach.status(home))


def test_a_resident_that_hangs_costs_no_more_than_the_budget(
    hook: Hook, echo: Callable[[], int]
) -> None:
    pid = echo()
    os.kill(pid, signal.SIGSTOP)
    try:
        ran = [hook(EVENT) for _ in range(5)]
    finally:
        os.kill(pid, signal.SIGCONT)
    assert [one.code for one in ran] == [0] * 5
    assert middle(ran) < MOST_MS
    assert len(hook.spooled()) == 5
    assert min(one.ms for one in ran[3:]) < min(one.ms for one in ran[:3]) - 50, (
        "after three failures nobody is asked for a while"
    )


def test_a_slow_answer_is_not_waited_for_nor_is_the_event_lost(
    hook: Hook, echo: Callable[[], int], home: Path
) -> None:
    echo()
    ran = [hook(b"sleep 0.5") for _ in range(3)]
    assert [(one.code, one.out) for one in ran] == [(0, b"")] * 3
    assert middle(ran) < MOST_MS
    assert hook.spooled() == [], "the resident said that it has it"
    wait_for(lambda: (home / "recorded").exists())


def test_a_killed_resident_costs_little(hook: Hook, echo: Callable[[], int]) -> None:
    os.kill(echo(), signal.SIGKILL)
    ran = [hook(EVENT) for _ in range(3)]
    assert [(one.code, one.out) for one in ran] == [(0, b"")] * 3
    assert middle(ran) < MOST_MS


def test_a_stranger_gets_a_nonce_and_nothing_else(hook: Hook, run: RunFolder) -> None:
    key = ensure_private_run(run)
    heard: list[bytes] = []
    with socket.socket(socket.AF_UNIX) as stranger:
        stranger.bind(str(run.socket))
        stranger.listen()
        thread = threading.Thread(target=_listen, args=(stranger, heard))
        thread.start()
        ran = hook(EVENT)
        thread.join(5)
    (said,) = heard
    assert ran.code == 0
    assert len(said) == 32
    assert SAID.encode() not in said
    assert key not in said


def _listen(stranger: socket.socket, heard: list[bytes]) -> None:
    connection, _ = stranger.accept()
    with connection:
        first = connection.recv(1 << 16)
        connection.sendall(bytes(64))
        connection.settimeout(2)
        while more := connection.recv(1 << 16):
            first += more
        heard.append(first)


@pytest.mark.parametrize("wrong", ["open", "link", "file"])
def test_a_run_folder_that_is_not_ours_alone_is_not_used(
    hook: Hook, echo: Callable[[], int], run: RunFolder, tmp_path: Path, wrong: str
) -> None:
    echo()
    if wrong == "open":
        run.path.chmod(0o755)
    else:
        aside = run.path.rename(tmp_path / "aside")
        if wrong == "link":
            run.path.symlink_to(aside)
        else:
            run.path.write_text("")
    ran = hook(EVENT)
    assert (ran.code, ran.out) == (0, b"")
    assert len(hook.spooled()) == 1
    if run.path.is_symlink() or run.path.is_file():
        run.path.unlink()
        aside.rename(run.path)
    run.path.chmod(0o700)


@pytest.mark.parametrize("how", ["file", "variable"])
def test_off_is_silent_and_leaves_nothing(
    hook: Hook, echo: Callable[[], int], home: Path, how: str
) -> None:
    echo()
    if how == "file":
        (home / "off").touch()
    env = {**os.environ, **({"LOREMAP_OFF": "1"} if how == "variable" else {})}
    ran = hook(b"x" * 1_000_000, env=env)
    assert (ran.code, ran.out, ran.errors) == (0, b"", b"")
    assert not (home / "recorded").exists()
    assert hook.spooled() == []


def test_incognito_leaves_no_reference(hook: Hook) -> None:
    assert hook(EVENT, env={**os.environ, "LOREMAP_INCOGNITO": "1"}).code == 0
    assert hook.spooled() == []


def test_ten_megabytes_arrive(hook: Hook, echo: Callable[[], int]) -> None:
    echo()
    ran = hook(b'{"session_id": "s", "x": "' + b"y" * (10 << 20) + b'"}')
    assert ran.code == 0
    assert b"1048578" in ran.out or hook.spooled()  # a busy machine may take longer than allowed


def test_of_too_much_a_reference_is_left(hook: Hook, echo: Callable[[], int]) -> None:
    echo()
    ran = hook(b'{"session_id": "s-9", "x": "' + b"y" * (17 << 20) + b'"}')
    assert (ran.code, ran.out) == (0, b"")
    (left,) = hook.spooled()
    assert left["session_id"] == "s-9"


@pytest.mark.parametrize("payload", [b"", b"{", b"[1]", b"\xff\xfe", b"nul\0", b"[" * 100_000])
def test_what_is_no_event_is_harmless(hook: Hook, payload: bytes) -> None:
    ran = hook(payload)
    assert (ran.code, ran.out, ran.errors) == (0, b"", b"")
    assert len(hook.spooled()) == 1


def test_no_home_and_a_deleted_folder_are_harmless(
    hook: Hook, echo: Callable[[], int], tmp_path: Path
) -> None:
    echo()
    gone = tmp_path / "gone"
    gone.mkdir()
    script = f'rmdir "{gone}"; exec "$@"'
    done = subprocess.run(
        ["sh", "-c", script, "sh", *hook.line, "hook", "claude", "Stop"],
        input=b"{}",
        capture_output=True,
        cwd=gone,
        env={"PATH": os.environ["PATH"]},
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"claude Stop 2")


def test_an_input_that_is_left_open_is_not_waited_for_forever(
    hook: Hook, echo: Callable[[], int]
) -> None:
    echo()
    with subprocess.Popen([*hook.line, "hook", "claude"], stdin=subprocess.PIPE) as process:
        assert process.wait(timeout=6) == 0


@pytest.mark.parametrize("words", [(), ("hook",), ("nonsense", "x"), ("--home",)])
def test_a_wrong_command_line_is_harmless(hook: Hook, words: tuple[str, ...]) -> None:
    done = subprocess.run([*hook.line, *words], input=b"{}", capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_home_that_cannot_be_written_is_harmless(hook: Hook, home: Path) -> None:
    home.write_text("no folder")
    ran = hook(EVENT)
    assert (ran.code, ran.out, ran.errors) == (0, b"", b"")
    home.unlink()


def test_nothing_heavy_is_imported(hook: Hook, echo: Callable[[], int]) -> None:
    echo()
    line = [sys.executable, "-X", "importtime", *hook.line[1:], "hook", "claude"]
    done = subprocess.run(line, input=b"{}", capture_output=True, check=False)
    assert done.stdout.startswith(b"claude None 2")
    loaded = {row.rpartition("|")[2].strip() for row in done.stderr.decode().splitlines()}
    assert "client" in loaded
    assert not loaded & {"os", "re", "json", "socket", "subprocess", "pathlib", "hashlib", "site"}


def test_what_went_wrong_is_noted_without_what_was_said(
    hook: Hook, run: RunFolder, home: Path
) -> None:
    ensure_private_run(run)
    shutil.rmtree(run.path)
    run.path.write_text("no folder")
    assert hook(EVENT).code == 0
    run.path.unlink()
    noted = [json.loads(line) for line in (home / "caught.jsonl").read_text().splitlines()]
    assert {note["fault"] for note in noted} == {"Unproven"}
    assert all(note["where"] == "hook" and note["lines"] for note in noted)
    assert SAID not in str(noted)


def test_what_nobody_has_begun_with_is_not_called_taken(
    hook: Hook, echo: Callable[[], int], home: Path
) -> None:
    echo()
    said = [f"sleep 1.{number:02}".encode() for number in range(14)]
    threads = [threading.Thread(target=hook, args=(each,)) for each in said]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    def begun() -> list[bytes]:
        record = home / "recorded"
        lines = record.read_bytes().splitlines() if record.exists() else []
        return [line for line in lines if line != b"lost"]

    wait_for(lambda: len(begun()) + len(hook.spooled()) >= len(said))
    assert hook.spooled(), "there are fewer threads than hooks"
    assert len(begun()) + len(hook.spooled()) == len(said), "each in one place"

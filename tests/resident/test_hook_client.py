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
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from resident_tools import ENTER, Hook, Ran, wait_for

from loremap.clients.hook_events import hook_event
from loremap.interfaces.hooks import client as hook_client
from loremap.interfaces.resident import reach
from loremap.interfaces.resident.core import hello_of
from loremap.interfaces.resident.places import RunFolder, ensure_private_run
from loremap.interfaces.resident.requests import Request
from loremap.interfaces.resident.server import MAX_AT_ONCE

MAX_MS = 1_500.0
"""A hook's budget and the start of a process on a slow machine; those who hang take longer."""
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
    hurried: Hook, echo: Callable[[], int]
) -> None:
    pid = echo()
    os.kill(pid, signal.SIGSTOP)
    try:
        ran = [hurried(EVENT) for _ in range(5)]
    finally:
        os.kill(pid, signal.SIGCONT)
    assert [one.code for one in ran] == [0] * 5
    assert middle(ran) < MAX_MS
    assert len(hurried.spooled()) == 5
    assert min(one.ms for one in ran[3:]) < min(one.ms for one in ran[:3]) - 50, (
        "after three failures nobody is asked for a while"
    )


def test_a_slow_answer_is_not_waited_for_nor_is_the_event_lost(
    hurried: Hook, echo: Callable[[], int], home: Path
) -> None:
    echo()
    ran = [hurried(b"sleep 2") for _ in range(3)]
    assert [(one.code, one.out) for one in ran] == [(0, b"")] * 3
    assert middle(ran) < MAX_MS
    assert len(hurried.spooled()) == 3, "should the resident die at it, this is all there is"
    wait_for(lambda: (home / "recorded").exists())


def test_a_killed_resident_costs_little(hook: Hook, echo: Callable[[], int]) -> None:
    os.kill(echo(), signal.SIGKILL)
    ran = [hook(EVENT) for _ in range(3)]
    assert [(one.code, one.out) for one in ran] == [(0, b"")] * 3
    assert middle(ran) < MAX_MS


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


@pytest.mark.parametrize(
    ("payload", "session", "tool"),
    [
        ({"tool_input": {"session_id": "inner"}, "session_id": "outer"}, "outer", None),
        ({"sessionId": 'with "quotes" and ü', "toolName": "a\nb"}, 'with "quotes" and ü', "a\nb"),
        (b'\n {"session_id": "s", "x": NaN, "y": [1e5, -2, true, null]} ', "s", None),
        (b'{"session_id": "s", "tool_name": "line\nbreak", "x": 1} and more', "s", "line\nbreak"),
        (b'{"session_id": "cut", "tool_name": "Bash", "prompt": "and th', "cut", "Bash"),
        (b'{"session_id": "' + b"y" * 5_000 + b'", "cut', None, None),
        (b'{"session_id": 7, "tool_name": ["x"]}', None, None),
        (b'{"session_id": "\xff", "tool_name": "x"}', "\ufffd", "x"),
    ],
)
def test_the_names_of_an_event_are_found_in_whatever_was_said(
    payload: bytes | dict[str, object], session: str | None, tool: str | None
) -> None:
    data = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    script = "import sys; sys.path.insert(0, sys.argv[1]); import client, spool; "
    script += "head = {'ticket': client.ticket_for(b''), 'client': 'c', 'name': 'n', 'cwd': '/'}; "
    script += "print(spool.written(spool.reference(head, sys.stdin.buffer.read())))"
    line = [sys.executable, "-I", "-S", "-c", script, str(ENTER.parent)]
    told = json.loads(subprocess.run(line, input=data, capture_output=True, check=True).stdout)
    assert (told["session_id"], told["tool_name"]) == (session, tool)


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
    hurried: Hook, echo: Callable[[], int], home: Path
) -> None:
    echo()
    said = [f"sleep 1.{number:02}".encode() for number in range(14)]
    threads = [threading.Thread(target=hurried, args=(each,)) for each in said]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    def begun() -> list[bytes]:
        record = home / "recorded"
        lines = record.read_bytes().splitlines() if record.exists() else []
        return [line for line in lines if line != b"lost"]

    wait_for(lambda: len(begun()) + len(hurried.spooled()) >= len(said))
    assert len(hurried.spooled()) == len(said), "none of them was finished in time"
    time.sleep(2.0)  # as long as those that were begun with take
    assert 0 < len(begun()) < len(said), "there are fewer threads than hooks"


def test_where_too_many_wait_an_event_is_refused_at_once(
    hook: Hook, echo: Callable[[], int], run: RunFolder
) -> None:
    echo()
    answers: list[tuple[float, bytes]] = []

    def ask() -> None:
        began = time.monotonic()
        clock = hook_client.Clock(20)
        sock = hook_client.connect(str(run.path), clock, hello_s=10)
        header = {"kind": "hook", "client": "claude", "budget_ms": "4000"}
        hook_client.send(sock, hook_client.frame(header, b"sleep 6"), clock)
        how, _ = hook_client.answer_of(sock, clock)
        sock.close()
        answers.append((time.monotonic() - began, how))

    threads = [threading.Thread(target=ask) for _ in range(MAX_AT_ONCE + 20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    at_once = [how for seconds, how in answers if seconds < 3]
    assert at_once == [hook_client.REFUSED] * 20


def test_a_stream_of_events_whose_teller_has_gone_is_recorded(
    home: Path, echo: Callable[[], int], run: RunFolder
) -> None:
    echo()
    clock, told = hook_client.Clock(20), [f"event-{number}".encode() for number in range(400)]
    sock = hook_client.connect(str(run.path), clock, hello_s=10)
    hook_client.send(sock, hook_client.frame({"kind": "events", "client": "claude"}, b""), clock)
    hook_client.answer_of(sock, clock)
    said = b"".join(len(each).to_bytes(4, "big") + each for each in told)
    for part in (said[:14], said[14:]):
        hook_client.send(sock, part, clock)
    sock.close()
    record = home / "recorded"
    wait_for(lambda: record.exists() and record.read_bytes().splitlines() == told)


def test_an_agent_that_no_longer_listens_costs_no_event(hook: Hook) -> None:
    reads, writes = os.pipe()
    os.close(reads)
    line = [*hook.line, "hook", "gemini", "AfterTool"]
    done = subprocess.run(line, input=b"{}", stdout=writes, stderr=subprocess.PIPE, check=False)
    os.close(writes)
    assert (done.returncode, done.stderr) == (0, b"")
    assert len(hook.spooled()) == 1


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        *((off, False) for off in (None, "", "0", "no", "No", "off", "OFF", "false")),
        *((on, True) for on in ("1", "yes", "on", "true", "anything")),
    ],
)
def test_incognito_means_the_same_to_every_door(said: str | None, expected: bool) -> None:
    env = {} if said is None else {"LOREMAP_INCOGNITO": said}
    now = datetime(2026, 11, 16, tzinfo=UTC)
    event = hook_event(b'{"prompt": "x"}', client="claude", name="Stop", env=env, now=now)
    assert event is not None
    assert event.incognito is expected, "to a hook"
    assert hello_of(Request(kind="mcp", env=env)).incognito is expected, "to a session of MCP"
    assert hook_client.is_incognito(env) is expected, "to the spool"

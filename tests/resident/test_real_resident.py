"""The whole resident: memory, map and protocol, as hooks and relays meet them."""

from __future__ import annotations

import http.client
import json
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

import pytest
from resident_tools import Hook, Session, wait_for

from loremap import app as memory
from loremap.interfaces.resident import reach
from loremap.interfaces.resident.places import RunFolder, holder
from loremap.storage.caught import Caught, caught_since

CODE = '''"""Sends parcels."""\n\ndef send(parcel: str) -> None:\n    """Hand it over."""\n'''


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A small repository."""
    root = tmp_path / "parcels"
    (root / "src").mkdir(parents=True)
    (root / "src" / "send.py").write_text(CODE)
    for line in (["init", "-q"], ["add", "."]):
        subprocess.run(["git", *line], cwd=root, check=True)
    return root


@pytest.fixture
def resident(hook: Hook, home: Path) -> Iterator[reach.Reached]:
    """A resident with everything loaded."""
    found = reach.ensure(home, wait_s=20)
    assert found, found.trouble
    wait_for(lambda: (state := reach.status(home)) and state.speaks_mcp, seconds=60)
    yield found
    reach.stop(home)


def test_a_day_with_the_resident(
    resident: reach.Reached, hook: Hook, home: Path, run: RunFolder, project: Path
) -> None:
    base = {"session_id": "day", "cwd": str(project)}
    start = {**base, "hook_event_name": "SessionStart", "source": "startup"}
    assert hook(start, "claude").code == 0

    # The project is read in the background and kept true while files come.
    wait_for(lambda: _symbols(home, project, "send"), seconds=30)
    (project / "src" / "track.py").write_text("def track_parcel() -> None: ...\n")
    wait_for(lambda: _symbols(home, project, "track_parcel"), seconds=30)

    # What another process writes is known at once.
    with memory.open(project) as lore:
        lore.remember("Never run make deploy on Fridays", kind="warning", tags=["deploy"])
        lore.remember("Parcels are tracked by their barcode, never by name", kind="decision")
    asked = "How are parcels tracked?"
    told = {**base, "hook_event_name": "UserPromptSubmit", "prompt": asked}
    sessions = (f"asks-{number}" for number in count())
    wait_for(  # a machine that is too busy for one prompt is not for all
        lambda: b"barcode" in hook({**told, "session_id": next(sessions)}, "claude").out, seconds=30
    )

    # The protocol is spoken over the relay, in the same memory.
    session = Session([*hook.line, "mcp", "claude"])
    hello = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }
    session.say(id=1, method="initialize", params=hello)
    assert session.heard()["result"]["serverInfo"]
    session.say(method="notifications/initialized")
    session.say(id=2, method="tools/list")
    assert "recall" in {tool["name"] for tool in session.heard()["result"]["tools"]}

    # HTTP is spoken in the run folder, to its owner only.
    assert run.http.stat().st_mode & 0o777 == 0o600
    assert _posted(run.http, {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello})

    # A setting for a resident's whole life makes it give way; the session goes on.
    old = holder(run)
    (home / "config.toml").write_text('[embedding]\nprovider = "none"\n')
    wait_for(lambda: holder(run) != old, seconds=15)
    session.say(id=3, method="tools/list")
    assert session.heard(seconds=30)["id"] == 3
    session.close()
    state = reach.status(home)
    assert state is not None
    assert state.pid != old


def _posted(door: Path, message: dict[str, object]) -> bool:
    """Whether a message was answered over HTTP."""
    body = json.dumps(message).encode()
    head = (
        "POST /mcp HTTP/1.1\r\nHost: loremap\r\nContent-Type: application/json\r\n"
        "Accept: application/json, text/event-stream\r\nConnection: close\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    with socket.socket(socket.AF_UNIX) as sock:
        sock.settimeout(20)
        sock.connect(str(door))
        sock.sendall(head.encode() + body)
        said = b""
        while part := sock.recv(1 << 16):
            said += part
    return said.startswith(b"HTTP/1.1 200") and b"serverInfo" in said


def _symbols(home: Path, project: Path, name: str) -> bool:
    """Whether the graph on disk has a symbol; nothing is scanned for the question."""
    import sqlite3

    from loremap.storage.graph.file import graph_path

    file = graph_path(home / "graphs", project)
    if not file.exists():
        return False
    with sqlite3.connect(f"file:{file}?mode=ro", uri=True) as conn:
        try:
            found = conn.execute("SELECT 1 FROM symbols WHERE name = ?", (name,)).fetchone()
        except sqlite3.OperationalError:
            found = None
    conn.close()
    return found is not None


def test_events_that_found_nobody_are_taken_up(hook: Hook, home: Path, project: Path) -> None:
    told = {
        "session_id": "lost",
        "cwd": str(project),
        "hook_event_name": "PostToolUse",
        "tool_name": "Bash",
        "tool_use_id": "lost-1",
        "tool_input": {"command": "make test"},
    }
    assert hook(told, "claude").code == 0
    assert len(hook.spooled()) == 1
    wait_for(lambda: not any((home / "spool").iterdir()), seconds=60)
    from loremap.storage import events

    with memory.open(project) as lore, lore.store.read() as conn:
        kept = events.of_session(conn, "lost")
    assert [event.tool for event in kept] == ["Bash"]


def test_the_service_from_the_command_line(hook: Hook) -> None:
    def service(*words: str) -> str:
        program = "from loremap.interfaces.cli import service; service.service()"
        line = [sys.executable, "-c", program, *words]
        return subprocess.run(line, capture_output=True, text=True, check=True).stdout

    assert "No resident" in service("status")
    assert json.loads(service("status", "--json")) == {"running": False}
    started = json.loads(service("start", "--json"))
    assert f"process {started['pid']}" in service("status")
    assert "listening" in service("logs")
    assert "has ended" in service("stop")
    assert json.loads(service("stop", "--json")) == {"stopped": False}


def test_a_store_is_encrypted_while_the_resident_runs(
    resident: reach.Reached, hook: Hook, home: Path, project: Path
) -> None:
    start = {"session_id": "k", "cwd": str(project), "hook_event_name": "SessionStart"}
    assert hook(start, "claude").code == 0
    done = subprocess.run(
        (sys.executable, "-m", "loremap", "key", "encrypt"), capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert reach.status(home) is None, "the next event starts another"


@pytest.fixture
def port(home: Path) -> int:
    """A free port of this machine, on which the resident is told to speak HTTP."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        found = int(free.getsockname()[1])
    home.mkdir(mode=0o700, exist_ok=True)
    (home / "config.toml").write_text(f"[service]\nhttp_port = {found}\n")
    return found


def test_no_page_of_a_browser_gets_in_by_the_port(
    port: int, resident: reach.Reached, run: RunFolder
) -> None:
    file = run.path / "token"
    wait_for(lambda: file.exists() and file.read_text())
    token = file.read_text()
    assert (run.path / "token").stat().st_mode & 0o777 == 0o600
    here, known = f"127.0.0.1:{port}", {"Authorization": f"Bearer {token}"}
    asked = {
        "without the token": ({"Host": here}, 401),
        "with a wrong one": ({"Host": here, "Authorization": "Bearer x"}, 401),
        "after DNS rebinding": ({"Host": f"evil.example:{port}", **known}, 421),
        "from another page": ({"Host": here, "Origin": "https://evil.example", **known}, 403),
        "from a page without origin": ({"Host": here, "Origin": "null", **known}, 403),
        "by its user": ({"Host": here, **known}, 200),
    }
    for who, (headers, status) in asked.items():
        answer = _asked_at(port, headers)
        assert answer.status == status, who
        assert answer.getheader("Access-Control-Allow-Origin") is None, who
    assert token not in run.log.read_text("utf-8")


def _asked_at(port: int, headers: dict[str, str]) -> http.client.HTTPResponse:
    params = {"protocolVersion": "2025-11-25", "capabilities": {}}
    params["clientInfo"] = {"name": "test", "version": "1"}
    message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    usual = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    line.request("POST", "/mcp", json.dumps(message), usual | headers)
    answer = line.getresponse()
    answer.read()
    line.close()
    return answer


def test_a_backup_is_made_when_the_resident_ends(
    resident: reach.Reached, home: Path, run: RunFolder, project: Path
) -> None:
    with memory.open(project) as lore:
        for text in ("Parcels are blue.", "Parcels are weighed twice."):
            lore.remember(text)
    assert reach.stop(home)
    wait_for(lambda: holder(run) is None, seconds=30)
    db = sqlite3.connect(home / "backups" / "lore.db.bak.1")
    held = {content for (content,) in db.execute("SELECT content FROM memories")}
    db.close()
    assert held == {"Parcels are blue.", "Parcels are weighed twice."}


def test_hooks_fail_open_where_the_store_is_gone_and_the_doctor_finds_it(
    hook: Hook, home: Path, project: Path
) -> None:
    with memory.open(project) as lore:
        lore.remember("Parcels are blue.")
    (home / "lore.db").unlink()
    start = {"session_id": "gone", "cwd": str(project), "hook_event_name": "SessionStart"}
    try:
        assert hook(start, "claude").code == 0
        wait_for(lambda: "Gone" in {one.fault for one in _caught(home)}, seconds=60)
        assert not (home / "lore.db").exists()
        state = reach.status(home)
        assert state is not None
        assert "lore backup restore" in state.trouble
    finally:
        reach.stop(home)


def _caught(home: Path) -> list[Caught]:
    return caught_since(home, datetime(2020, 1, 1, tzinfo=UTC))

"""The sessions that clients have written down: found where each keeps them, by head alone."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from transcript_tools import AT, TRANSCRIPTS

from loremap.clients import past

SHOP = "/home/me/shop"
ID = "5f1c2b52-0000-4000-8000-000000000001"
AT_TIME = datetime(2026, 11, 16, 2, 25, 7, tzinfo=UTC)


def lines(path: Path, *every: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(one) + "\n" for one in every), encoding="utf-8")
    return path


def _claude(user: Path, id_: str = ID, folder: str = SHOP) -> Path:
    told = {"cwd": folder, "gitBranch": "main", "sessionId": id_, "timestamp": AT}
    first, *others = ({**line, **told} for line in TRANSCRIPTS["claude"])
    path = user / ".claude" / "projects" / "-home-me-shop" / f"{id_}.jsonl"
    return lines(path, {"type": "queue-operation"}, first, *others)


def _codex(user: Path, id_: str = ID, folder: str = SHOP) -> Path:
    meta = {"id": id_, "session_id": id_, "cwd": folder, "timestamp": AT, "git": {"branch": "main"}}
    path = user / ".codex" / "sessions" / "2026" / "11" / "16" / f"rollout-2026-{id_}.jsonl"
    return lines(path, {"type": "session_meta", "payload": meta}, *TRANSCRIPTS["codex"])


def _gemini(user: Path, id_: str = ID, folder: str = SHOP) -> Path:
    project = user / ".gemini" / "tmp" / "shop"
    (project / "chats").mkdir(parents=True, exist_ok=True)
    (project / ".project_root").write_text(folder)
    meta = {"sessionId": id_, "startTime": AT, "kind": "main"}
    return lines(project / "chats" / f"session-{id_}.jsonl", meta, *TRANSCRIPTS["gemini"][1:])


def _copilot(user: Path, id_: str = ID, folder: str = SHOP) -> Path:
    about = {"sessionId": id_, "startTime": AT, "context": {"cwd": folder, "branch": "main"}}
    path = user / ".copilot" / "session-state" / id_ / "events.jsonl"
    return lines(path, {"type": "session.start", "data": about}, *TRANSCRIPTS["copilot"])


def _cline(user: Path, id_: str = ID, folder: str = SHOP) -> Path:
    about = {"session_id": id_, "cwd": folder, "started_at": AT, "metadata": {"git": {}}}
    below = user / ".cline" / "data" / "sessions" / id_
    lines(below / f"{id_}.json", about)
    message = {"role": "user", "content": [{"type": "text", "text": "fix the cart"}]}
    told = json.dumps({"messages": [message]}, indent=2)
    (below / f"{id_}.messages.json").write_text(told)
    return below / f"{id_}.messages.json"


def _opencode(user: Path, id_: str = ID, folder: str = SHOP) -> Path:
    path = user / ".local" / "share" / "opencode" / "opencode.db"
    path.parent.mkdir(parents=True, exist_ok=True)
    at = int(AT_TIME.timestamp() * 1000)
    part = json.dumps({"type": "text", "text": "fix the cart"})
    put_in = json.dumps({"type": "text", "text": "a file", "synthetic": True})
    with sqlite3.connect(path) as held:
        held.executescript(
            "create table session (id, parent_id, directory, time_created, time_updated);"
            "create table message (id, session_id, time_created, data);"
            "create table part (id, message_id, time_created, data);"
        )
        held.execute("insert into session values (?, null, ?, ?, ?)", (id_, folder, at, at))
        held.execute("insert into session values ('inner', ?, ?, ?, ?)", (id_, folder, at, at))
        held.execute("insert into message values ('m', ?, ?, ?)", (id_, at, '{"role": "user"}'))
        held.execute("insert into part values ('p', 'm', ?, ?)", (at, part))
        held.execute("insert into part values ('q', 'm', ?, ?)", (at, put_in))
    held.close()
    return path


KEPT: dict[str, Callable[..., Path]] = {
    "claude": _claude,
    "codex": _codex,
    "gemini": _gemini,
    "opencode": _opencode,
    "copilot": _copilot,
    "cline": _cline,
}
every_client = pytest.mark.parametrize("client", KEPT)


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's home, to which no variable leads elsewhere."""
    home = tmp_path / "user"
    home.mkdir()
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "COPILOT_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name in ("XDG_DATA_HOME", "CLINE_DIR", "CLINE_DATA_DIR", "CLINE_SESSION_DATA_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    return home


def test_all_that_can_be_read_are_tried_here() -> None:
    assert set(past.past_clients()) == set(KEPT)


@every_client
def test_a_session_is_found_with_its_folder_and_its_words(
    client: str, user: Path, tmp_path: Path
) -> None:
    path = KEPT[client](user)
    (found,) = past.listing(tmp_path).sessions
    assert (found.client, found.id, found.paths) == (client, ID, (path,))
    assert found.folder == Path(SHOP)
    assert found.began == AT_TIME
    said = [record.text for record in past.records_of(found) if record.role == "user"]
    assert said == ["fix the cart"]


@pytest.mark.parametrize("client", ["claude", "codex", "copilot"])
def test_the_branch_is_read_where_it_is_written(client: str, user: Path, tmp_path: Path) -> None:
    KEPT[client](user)
    assert [one.branch for one in past.listing(tmp_path).sessions] == ["main"]


@pytest.mark.parametrize(
    ("client", "variable", "moved"),
    [
        ("claude", "CLAUDE_CONFIG_DIR", ".claude"),
        ("codex", "CODEX_HOME", ".codex"),
        ("gemini", "GEMINI_CLI_HOME", ""),
        ("opencode", "XDG_DATA_HOME", ".local/share"),
        ("copilot", "COPILOT_HOME", ".copilot"),
        ("cline", "CLINE_DIR", ".cline"),
    ],
)
def test_a_client_that_was_moved_is_found_there(
    client: str, variable: str, moved: str, user: Path, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    elsewhere = tmp_path / "elsewhere"
    KEPT[client](elsewhere)
    assert past.listing(tmp_path).sessions == ()
    monkeypatch.setenv(variable, str(elsewhere / moved))
    assert [one.client for one in past.listing(tmp_path).sessions] == [client]


@pytest.mark.parametrize("client", ["claude", "codex", "gemini", "copilot", "cline"])
def test_a_link_out_of_the_clients_folder_is_not_followed(
    client: str, user: Path, tmp_path: Path
) -> None:
    path = KEPT[client](user)
    outside = tmp_path / "outside"
    path.parent.rename(outside)
    path.parent.symlink_to(outside, target_is_directory=True)
    assert past.listing(tmp_path).sessions == ()


@every_client
def test_what_is_no_session_is_passed_over(client: str, user: Path, tmp_path: Path) -> None:
    path = KEPT[client](user)
    for broken in (b"", b"\0" * 5_000, b"[" * 200_000, b'{"type": "session_meta"', b"{}\n[]\n7\n"):
        path.write_bytes(broken)
        assert past.listing(tmp_path).sessions == () or client == "cline"


def test_a_file_that_cannot_be_read_is_named(user: Path, tmp_path: Path) -> None:
    path = _claude(user)
    path.unlink()
    os.mkfifo(path)
    found = past.listing(tmp_path, clients=("claude",))
    assert (found.sessions, found.unreadable) == ((), ())  # a pipe is nobody's session
    path.unlink()
    database = _opencode(user)
    database.write_bytes(b"no database" * 500)
    assert past.listing(tmp_path).unreadable == (database,)


def test_only_what_goes_on_since_then_is_listed(user: Path, tmp_path: Path) -> None:
    _copilot(user)
    path = _claude(user)
    old = datetime(2026, 1, 2, tzinfo=UTC)
    os.utime(path, (old.timestamp(), old.timestamp()))
    found = past.listing(tmp_path, since=datetime(2026, 1, 3, tzinfo=UTC))
    assert [one.client for one in found.sessions] == ["copilot"]


def test_a_session_that_went_on_in_another_file_is_one(user: Path, tmp_path: Path) -> None:
    first = _codex(user)
    then = first.with_name("rollout-2026-later.jsonl")
    then.write_bytes(first.read_bytes().replace(AT.encode(), b"2026-11-17T02:25:07.000Z"))
    (found,) = past.listing(tmp_path).sessions
    assert found.paths == (first, then)


def test_no_longer_is_taken_than_was_given(user: Path, tmp_path: Path) -> None:
    _claude(user)
    found = past.listing(tmp_path, within_s=-1.0)
    assert (found.sessions, found.is_whole) == ((), False)


def test_no_more_of_a_file_is_read_than_is_asked_for(user: Path, tmp_path: Path) -> None:
    path = _claude(user)
    with path.open("ab") as file:
        file.write(b"x" * (2 << 20))
    (found,) = past.listing(tmp_path).sessions
    assert (found.folder, found.bytes) == (Path(SHOP), path.stat().st_size)

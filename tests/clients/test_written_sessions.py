"""Sessions that the real clients wrote down against a scripted model, read again: the same work in
each, with a word of ours put in and a compaction. `tests/real_clients` makes such sessions anew."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from loremap.clients.registry import CLIENTS
from loremap.clients.transcript import session_records
from loremap.model.turn import Speaker, Turn
from loremap.sessions.turns import turns_of

WRITTEN = Path(__file__).parent / "written"
ASKED = "Why does the export fail? Always run the checks with make check, never pytest directly."
PASTED = "Good. Next please:\n```\nTraceback pasted\n```\nfix that."
LAST = "And now count the gnus."
EACH = ("claude", "codex", "gemini", "opencode", "copilot")
INJECTED = ("integer cents", "project memory", "The user asked and the agent answered", "<command")


def _database(path: Path) -> tuple[Path, str]:
    """The rows of OpenCode's database as one, and the session in it."""
    told = (WRITTEN / "opencode.jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in told]
    with sqlite3.connect(path) as held:
        for row in rows:
            table = row.pop("table")
            held.execute(f"create table if not exists {table} ({', '.join(row)})")
            marks = ", ".join("?" * len(row))
            held.execute(f"insert into {table} values ({marks})", list(row.values()))
    held.close()
    return path, rows[0]["id"]


def turns_in(client: str, tmp_path: Path) -> list[Turn]:
    past = CLIENTS[client].past
    if past is not None and past.records is not None:
        return turns_of(past.records(*_database(tmp_path / "opencode.db")))
    return turns_of(session_records([WRITTEN / f"{client}.jsonl"], client))


@pytest.mark.parametrize("client", EACH)
def test_all_that_was_said_is_read_and_nothing_else(client: str, tmp_path: Path) -> None:
    turns = turns_in(client, tmp_path)
    said = [(turn.speaker, turn.text) for turn in turns if turn.call is None]
    assert said == [
        (Speaker.PERSON, ASKED),
        (Speaker.AGENT, "I changed the sum."),
        (Speaker.PERSON, PASTED),
        (Speaker.AGENT, "Done that."),
        (Speaker.PERSON, LAST),
        (Speaker.AGENT, "Three gnus."),
    ]
    assert not [words for words in INJECTED if words in repr(turns)]
    assert all(turn.at is not None for turn in turns)


@pytest.mark.parametrize("client", EACH)
def test_all_that_was_done_is_read_with_what_came_of_it(client: str, tmp_path: Path) -> None:
    calls = [turn.call for turn in turns_in(client, tmp_path) if turn.call is not None]
    failed, worked = calls[:2]
    assert (failed.command, failed.success) == ("echo no rule; exit 3", False)
    assert "no rule" in failed.result
    assert "3" in failed.error
    assert (worked.command, worked.success, worked.error) == ("printf fine", True, "")
    assert "fine" in worked.result
    changed = [use.path for call in calls for use in call.files if use.operation == "edit"]
    assert [path.endswith("shop/billing.py") for path in changed] == [True]
    # It was not allowed to in one of them.
    assert calls[-1].success is (client != "claude")


def test_cline_on_the_command_line_is_read_too() -> None:
    turns = turns_of(session_records([WRITTEN / "cline.messages.json"], "cline"))
    asked, failed, worked, edited, said = turns
    assert asked.text == "Why does the export fail? Always run make check."
    assert said.text == "I changed the sum."
    calls = [turn.call for turn in (failed, worked, edited) if turn.call is not None]
    assert [call.success for call in calls] == [False, True, True]

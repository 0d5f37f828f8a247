"""`history FILE`, `tasks`, `task`, `session`: what was done here, as a person asks for it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from cli_tools import Cli

from loremap import app
from loremap.model.clock import new_id
from loremap.model.event import Event
from loremap.model.hook import FileUse, Moment, Operation
from loremap.model.session import Session
from loremap.storage import events, sessions

PROMPT = "fix the login timeout in the auth service"


@pytest.fixture
def worked(cli: Cli) -> Cli:
    """A project in which an agent has fixed something."""
    with app.open(cli.folder) as lore:
        lore.init()
        at = datetime.now(UTC) - timedelta(hours=2)
        session = Session(
            id="session-one",
            client="claude",
            created_at=at,
            project_id=lore.project_id,
            folder=str(cli.folder),
            ended_at=at + timedelta(minutes=9),
            branch="main",
        )

        def event(minute: int, moment: Moment, **more: object) -> Event:
            return Event(
                id=new_id(),
                at=at + timedelta(minutes=minute),
                client="claude",
                moment=moment,
                session_id=session.id,
                project_id=lore.project_id,
                **more,  # type: ignore[arg-type]
            )

        def edit(minute: int, path: str) -> Event:
            use = FileUse(path=path, operation=Operation.EDIT, lines=(3, 9), changed="+1: timeout")
            return event(minute, Moment.AFTER_TOOL, tool="Edit", success=True, files=(use,))

        run = {"tool": "Bash", "success": True, "parameters": '{"command": "make test"}'}
        made = [
            event(0, Moment.PROMPT, text=PROMPT),
            *(edit(minute, path) for minute in (1, 2, 3) for path in ("auth.py", "store.py")),
            event(5, Moment.AFTER_TOOL, duration_ms=40, **run),
        ]
        with lore.store.append() as conn:
            sessions.upsert(conn, session)
            events.append(conn, made)
        lore.sessions.learn(session.id)
    return cli


def test_the_history_of_a_file(worked: Cli) -> None:
    found = worked.data("history", "auth.py")
    assert len(found["interactions"]) == 3
    assert found["interactions"][0]["task"]["description"] == PROMPT
    assert [one["files"] for one in found["together"]] == [["auth.py", "store.py"]]
    said = worked("history", "auth.py").out
    assert "+1: timeout" in said
    assert f"for: {PROMPT}" in said
    assert "changes together with store.py, 3 times" in said
    assert "No session has worked with other.py." in worked("history", "other.py").out


def test_what_was_last_done_about_a_word(worked: Cli) -> None:
    found = worked.data("history", "--about", "AUTH", "-n", "2")
    assert [one["file"] for one in found["interactions"]] == ["auth.py"] * 2
    assert [one["description"] for one in found["tasks"]] == [PROMPT]
    assert "No session has done anything" in worked("history", "--about", "zebra").out


def test_which_files_change_together(worked: Cli) -> None:
    (pair,) = worked.data("history", "--together")["together"]
    assert (pair["files"], pair["times"]) == (["auth.py", "store.py"], 3)
    assert "auth.py" in worked("history", "--together").out
    assert worked.data("history", "--together", "x.py") == {"together": []}


def test_a_memory_still_has_its_history_and_nothing_is_refused(worked: Cli) -> None:
    memory = worked.remember("Prices are in cents")
    assert worked.data("history", memory["id"])["history"][0]["action"] == "add"
    assert worked("history").code == 2


def test_tasks_and_a_persons_word_on_them(worked: Cli) -> None:
    assert worked.data("tasks") == {"tasks": []}
    (done,) = worked.data("tasks", "--all")["tasks"]
    assert (done["status"], done["intent"]) == ("completed", "CodeWriting")
    assert done["outcome"] == "changed store.py, auth.py; `make test` passed"
    assert worked.data("tasks", "--like", "login timeout")["tasks"][0]["id"] == done["id"]
    assert worked.data("tasks", "--like", "paint the shed") == {"tasks": []}
    begun = worked.data("task", "start", "Release", "week")
    assert (begun["status"], begun["set_by"]) == ("active", "person")
    assert "Release week" in worked("tasks").out
    assert worked.data("task", "pause")["status"] == "paused"
    assert worked.data("task", "start", begun["id"][-8:])["status"] == "active"
    assert worked.data("task", "done")["id"] == begun["id"]
    assert worked.data("task", "fail", done["id"][-8:])["status"] == "failed"
    assert worked("task", "done").code == 2
    assert "Only a person" in worked("task", "start", "x", "--agent", "claude").err


def test_what_was_done_in_a_session(worked: Cli) -> None:
    found = worked.data("session")
    assert found["session"] == "session-one"
    assert [one["command"] for one in found["commands"]] == ["make test"]
    assert [one["file"] for one in found["files"]] == ["store.py", "auth.py"]
    assert worked.data("session", "session-o") == found
    said = worked("session").out
    assert "Tasks (1)" in said
    assert "make test" in said
    assert worked("session", "nothing").code == 2


def test_a_context_is_noted_down_when_asked(worked: Cli) -> None:
    (seen,) = worked.data("session", "--snapshot")["contexts"]
    assert (seen["reason"], seen["items"]) == ("manual_snapshot", [])
    assert "manual_snapshot" in worked("session").out

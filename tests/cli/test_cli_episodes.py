"""`history FILE`, `tasks`, `task`, `session`: what was done here, as a person asks for it."""

from __future__ import annotations

from pathlib import Path

from cli_tools import Cli, repository_in

PROMPT = "fix the login timeout in the auth service"


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


def test_a_session_of_another_project_is_not_shown_and_not_learned_from(
    worked: Cli, tmp_path: Path
) -> None:
    other = Cli(repository_in(tmp_path / "other"))
    other("init")
    for line in (("session", "session-one"), ("learn", "session-one"), ("learn", "--dry-run")):
        ran = other(*line)
        assert (ran.code, ran.out) == (2, ""), line
    assert "Session 'session-one' is of another project." in other("learn", "session-one").err
    assert worked.data("learn", "--dry-run", "session-o")["session"] == "session-one"
    assert "No session 'nothing'" in worked("learn", "nothing").err


def test_each_line_of_a_history_names_its_file(worked: Cli) -> None:
    said = worked("history", "auth.py").out
    assert said.count("edit    auth.py:3–9  +1: timeout") == 3

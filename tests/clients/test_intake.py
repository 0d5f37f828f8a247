"""What is recorded of sessions, what is not, and what is answered."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from intake_tools import NOW, Desk, desk_open, repository, tool_use

from loremap.agent.switches import switch, switch_project
from loremap.clients.hook_events import hook_event
from loremap.config.settings import defaults
from loremap.errors import LoremapError
from loremap.model.hook import FileUse, Moment, Operation
from loremap.storage import modules

SECRET = "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
PASSWORD = "hun" + "ter2-Qx9"


def prompt(folder: Path, words: str = "fix the cart", **fields: Any) -> dict[str, Any]:
    return {
        "session_id": "s1",
        "cwd": str(folder),
        "hook_event_name": "UserPromptSubmit",
        "prompt": words,
    } | fields


def test_an_event_is_kept_with_all_that_was_told(desk: Desk, project: Path) -> None:
    (project / "src").mkdir()
    (project / "src" / "a.py").write_text("x")
    edit = tool_use(
        project,
        tool_name="Edit",
        tool_input={
            "file_path": str(project / "src" / "a.py"),
            "old_string": "x",
            "new_string": "y\nz",
            "description": "rename it",
        },
        tool_response={"filePath": "a", "content": "edited"},
        duration_ms=12,
        agent_id="sub-1",
    )
    assert json.loads(desk.hook("claude", edit))["hookSpecificOutput"]
    [kept] = desk.kept()
    assert (kept.tool, kept.success, kept.duration_ms) == ("Edit", True, 12)
    assert (kept.why, kept.result, kept.subagent_id) == ("rename it", "edited", "sub-1")
    assert json.loads(kept.parameters)["new_string"] == "y\nz"
    assert kept.project_id is not None
    assert kept.files == (FileUse(path="src/a.py", operation=Operation.EDIT, changed="+2 −1: y"),)


@pytest.mark.parametrize(
    ("name", "moment"),
    [
        ("SessionStart", Moment.SESSION_START),
        ("UserPromptSubmit", Moment.PROMPT),
        ("PreToolUse", None),  # what comes of it will be an event
        ("Stop", Moment.STOP),
        ("PostCompact", Moment.AFTER_COMPACT),
        ("Notification", None),
        ("SessionEnd", Moment.SESSION_END),
    ],
)
def test_which_moments_leave_an_event(
    desk: Desk, project: Path, name: str, moment: Moment | None
) -> None:
    desk.hook("claude", prompt(project, hook_event_name=name))
    assert [kept.moment for kept in desk.kept()] == ([] if moment is None else [moment])
    assert len(desk.talker.heard) == 1


def test_a_call_fired_twice_counts_once_and_is_answered_once(desk: Desk, project: Path) -> None:
    assert desk.hook("claude", tool_use(project))
    assert desk.hook("claude", tool_use(project), after_s=600) == b""
    assert desk.hook("claude", tool_use(project, "toolu_2"))
    assert len(desk.kept()) == len(desk.talker.heard) == 2


def test_a_call_is_known_again_by_another_resident(home: Path, project: Path) -> None:
    for _ in range(2):
        with desk_open() as desk:
            desk.hook("claude", tool_use(project))
            assert len(desk.kept()) == 1


@pytest.mark.parametrize(("after_s", "count"), [(1, 1), (4, 1), (6, 2), (300, 2)])
def test_the_same_words_later_are_said_anew(
    desk: Desk, project: Path, after_s: float, count: int
) -> None:
    first = desk.hook("claude", prompt(project))
    second = desk.hook("claude", prompt(project), after_s=after_s)
    assert len(desk.kept()) == count
    assert first
    assert bool(second) is (count == 2)


def test_the_same_words_in_another_turn_are_said_anew_however_soon(
    desk: Desk, project: Path
) -> None:
    for step, name in enumerate(["UserPromptSubmit", "Stop"] * 2):
        for _ in range(2):
            desk.hook("gemini", prompt(project, hook_event_name=name), after_s=step / 10)
    assert [kept.moment for kept in desk.kept()] == [Moment.PROMPT, Moment.STOP] * 2


def test_a_call_without_an_id_that_is_made_again_counts_again(desk: Desk, project: Path) -> None:
    call = {
        "sessionId": "s1",
        "cwd": str(project),
        "toolName": "bash",
        "toolArgs": {"command": "x"},
    }
    for step in range(3):
        for name in ("preToolUse", "postToolUse"):
            for _ in range(2):  # two settings files name the same hook
                desk.hook("copilot", call, name=name, after_s=step / 10)
    assert len(desk.kept()) == 3
    assert len(desk.talker.heard) == 6


def test_nothing_is_recorded_or_said_while_off(desk: Desk, project: Path) -> None:
    switch(desk.home, on=False)
    assert desk.hook("claude", prompt(project)) == b""
    event = hook_event(
        json.dumps(tool_use(project)).encode(), client="claude", name=None, env={}, now=NOW
    )
    assert event is not None
    assert desk.intake.record([event]) == 0
    assert (desk.kept(), desk.talker.heard) == ([], [])
    switch(desk.home, on=True)
    assert desk.hook("claude", prompt(project, "again"))
    assert len(desk.kept()) == 1


def test_nothing_is_recorded_or_said_in_a_project_that_is_off(
    desk: Desk, project: Path, tmp_path: Path
) -> None:
    other = repository(tmp_path / "other")
    with desk.workspaces.at(project) as lore:
        switch_project(lore, on=False)
    assert desk.hook("claude", prompt(project)) == b""
    assert desk.hook("claude", prompt(other, session_id="s2"))
    assert [kept.text for kept in desk.kept()] == ["fix the cart"]
    assert [event.folder for event in desk.talker.heard] == [other]


def test_an_incognito_session_is_answered_and_leaves_nothing(desk: Desk, project: Path) -> None:
    env = {"LOREMAP_INCOGNITO": "1"}
    assert desk.hook("claude", prompt(project, "a-hidden-plan"), env=env)
    assert desk.kept() == []
    with desk.workspaces.at(project) as lore:
        assert lore.project is None
        switch_project(lore, on=False)
    assert desk.hook("claude", prompt(project, "another"), env=env) == b""
    assert not desk.said_on_disk("a-hidden-plan")


def test_no_days_to_keep_means_nothing_is_kept(desk: Desk, project: Path) -> None:
    values = {**defaults().values, "events.keep_days": 0}
    desk.workspaces.engine.settings = type(defaults())(values)
    assert desk.hook("claude", prompt(project))
    assert desk.kept() == []


@pytest.mark.parametrize(
    "fields",
    [
        {"tool_input": {"command": f"curl -H 'Authorization: Bearer {SECRET}' x"}},
        {"tool_input": {"command": "x", "env": {"nested": [SECRET]}}},
        {"tool_input": {"command": "x", "password": PASSWORD}},
        {"tool_input": {"command": "x", "description": f"uses {SECRET}"}},
        {"tool_input": {SECRET: "as a name"}},
        {"tool_response": {"stdout": f"token={SECRET}\n", "stderr": ""}},
        {"tool_response": {"stdout": "line\n" * 9_000 + f"key {SECRET}", "stderr": ""}},
        {"hook_event_name": "PostToolUseFailure", "error": f"password={PASSWORD} refused"},
        {"session_id": SECRET},
        {"agent_id": SECRET},
        {"tool_name": f"mcp__{SECRET}__x"},
        {"tool_name": "Read", "tool_input": {"file_path": f"/x/{SECRET}.py"}},
        {"hook_event_name": "UserPromptSubmit", "prompt": f"the password is {PASSWORD}, use it"},
        {"hook_event_name": "Stop", "last_assistant_message": f"I set TOKEN={SECRET}"},
        {"tool_input": {"command": "y " * 993 + f"GITHUB {SECRET}"}},  # where a value is cut
        {"tool_response": {"stdout": "y " * 4_085 + f"GITHUB {SECRET} " + "z " * 9_000}},
        {"hook_event_name": "Stop", "last_assistant_message": "y " * 1_010 + f"GITHUB {SECRET}"},
    ],
)
def test_secrets_never_reach_the_disk(desk: Desk, project: Path, fields: dict[str, Any]) -> None:
    desk.hook("claude", tool_use(project, "u1") | fields)
    desk.intake.close()
    assert len(desk.kept()) == 1
    assert not desk.said_on_disk(SECRET)
    assert not desk.said_on_disk(SECRET[8:20])
    assert not desk.said_on_disk(PASSWORD)


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("Read", {"file_path": ".env"}),
        ("Read", {"file_path": "deploy/id_rsa"}),
        ("Write", {"file_path": "private/plan.txt", "content": "the-word"}),
        ("Edit", {"file_path": ".env", "old_string": "a", "new_string": "the-word"}),
    ],
)
def test_a_file_of_secrets_leaves_its_name_alone(
    desk: Desk, project: Path, tool: str, given: dict[str, str]
) -> None:
    (project / ".secretsignore").write_text("private/\n")
    desk.hook(
        "claude",
        tool_use(project, tool_name=tool, tool_input=given, tool_response="the-word is it"),
    )
    [kept] = desk.kept()
    assert [use.path for use in kept.files] == [given["file_path"]]
    assert (kept.result, kept.parameters, kept.files[0].changed) == ("", "{}", "")
    assert not desk.said_on_disk("the-word")


def test_a_command_that_names_a_file_of_secrets_leaves_no_output(desk: Desk, project: Path) -> None:
    used = tool_use(
        project, tool_input={"command": "cat .env"}, tool_response={"stdout": "the-word"}
    )
    desk.hook("claude", used)
    [kept] = desk.kept()
    assert (kept.result, json.loads(kept.parameters)) == ("", {"command": "cat .env"})


def test_what_our_own_tools_answer_is_not_learned_again(desk: Desk, project: Path) -> None:
    for number, name in enumerate(["mcp__loremap__recall", "loremap-recall", "mcp_loremap_list"]):
        used = tool_use(project, f"u{number}", tool_name=name, tool_response="an-old-memory")
        desk.hook("claude", used)
    assert {kept.result for kept in desk.kept()} == {""}
    assert len(desk.kept()) == 3


def test_long_inputs_and_results_are_cut(desk: Desk, project: Path) -> None:
    used = tool_use(
        project,
        tool_input={f"field{number}": "word " * 400 for number in range(40)},
        tool_response={"stdout": "first line\n" + "more\n" * 5_000 + "the error at the end"},
    )
    desk.hook("claude", used)
    [kept] = desk.kept()
    assert len(kept.parameters.encode()) <= 4_096
    assert max(map(len, map(str, json.loads(kept.parameters).values()))) <= 500
    assert kept.result.startswith("first line")
    assert kept.result.endswith("the error at the end")
    assert len(kept.result) < 1_300


def test_a_folder_that_went_is_still_the_sessions_project(desk: Desk, project: Path) -> None:
    desk.hook("claude", prompt(project))
    desk.hook("claude", prompt(project / "gone", "and now"))
    first, second = desk.kept()
    assert first.project_id == second.project_id is not None


def test_files_a_session_worked_in_make_their_module_known_better(
    desk: Desk, project: Path
) -> None:
    (project / "cart").mkdir()
    for name in ("a.py", "b.py"):
        (project / "cart" / name).write_text(f"def in_{name[0]}():\n    return 1\n")
    with desk.workspaces.at(project) as lore:
        before = lore.modules.map()
        project_id = lore.project_id
    assert project_id is not None
    read = tool_use(project, tool_name="Read", tool_input={"file_path": "cart/a.py"})
    desk.hook("claude", read)
    desk.hook("claude", prompt(project, hook_event_name="Stop"))
    desk.intake.close()
    with desk.workspaces.engine.store.read() as conn:
        after = modules.read_map(conn, project_id)
    touched = [module.confidence for module in after.modules]
    assert touched != [module.confidence for module in before.modules]


WRITER = """
import json, os, sys, threading
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from intake_tools import desk_open, tool_use

def bring(desk, folder, thread):
    for number in range(100_000):
        use_id = f"{thread}-{number}"
        told = tool_use(folder, use_id, tool_input={"command": use_id})
        desk.hook("claude", told)
        os.write(1, f"{use_id}\\n".encode())

with desk_open() as desk:
    for thread in range(8):
        threading.Thread(target=bring, args=(desk, Path(sys.argv[2]), thread), daemon=True).start()
    threading.Event().wait()
"""


def test_what_was_answered_is_there_after_the_process_is_killed(home: Path, project: Path) -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(Path(__file__).parent), str(project)],
        stdout=subprocess.PIPE,
        env={**os.environ},
    )
    assert child.stdout is not None
    answered = [child.stdout.readline() for _ in range(300)]
    child.send_signal(signal.SIGKILL)
    answered += child.stdout.read().splitlines(keepends=True)
    child.stdout.close()
    child.wait()
    whole = {line.decode().strip() for line in answered if line.endswith(b"\n")}
    assert len(whole) >= 300
    with desk_open() as desk, desk.workspaces.engine.store.read() as conn:
        found = conn.exec_driver_sql("SELECT parameters FROM events").scalars().all()
    assert whole <= {json.loads(given)["command"] for given in found}


def test_many_threads_at_once_lose_nothing(desk: Desk, project: Path) -> None:
    def bring(thread: int) -> None:
        for number in range(25):
            desk.hook("claude", tool_use(project, f"{thread}-{number}", session_id=f"s{thread}"))

    threads = [Thread(target=bring, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(desk.kept()) == 500


def test_a_stream_of_events_that_could_not_be_written_is_taken_when_it_is_told_again(
    desk: Desk, project: Path
) -> None:
    told = [json.dumps(tool_use(project, f"u{number}")).encode() for number in range(3)]
    read = [hook_event(each, client="claude", name=None, env={}, now=NOW) for each in told]
    events = [event for event in read if event is not None]
    desk.workspaces.engine.store.read_only = True
    with pytest.raises((LoremapError, RuntimeError)):
        desk.intake.record(events)
    desk.workspaces.engine.store.read_only = False
    assert desk.intake.record(events) == 3
    assert desk.intake.record(events) == 0
    assert len(desk.kept()) == 3


def test_what_could_not_be_written_is_said_to_be_lost_and_taken_when_it_comes_again(
    desk: Desk, project: Path
) -> None:
    store = desk.workspaces.engine.store
    assert desk.hook("claude", tool_use(project, tool_use_id="first"))
    fields = tool_use(project, tool_use_id="second")
    event = hook_event(json.dumps(fields).encode(), client="claude", name=None, env={}, now=NOW)
    assert event is not None
    store.read_only = True
    reply = desk.intake.receive(event)
    assert not reply.recorded
    assert reply.context, "it costs no answer"
    store.read_only = False
    assert desk.intake.receive(event).recorded
    assert [one.key for one in desk.kept()].count(event.key) == 1
    assert len(desk.kept()) == 2

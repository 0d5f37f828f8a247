"""Cline as its command line really is, and as its extension is documented."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cline_tools import AGENT, ASKED, ROOT, TASK, asked, call, came, result, sent, step, written
from intake_tools import NOW, Desk

from loremap.agent.intake.spool import referred
from loremap.clients.hook_events import hook_event
from loremap.clients.surroundings import surrounded
from loremap.clients.transcript import Wanted, call_of, records, tail
from loremap.clients.transcripts.record import Role
from loremap.interfaces.cli.canary import hook_of
from loremap.interfaces.hooks.spool import reference
from loremap.model.hook import Beginning, FileUse, HookEvent, Moment, Operation


def told(
    payload: dict[str, Any], name: str = "PreToolUse", *, own: Path | None = None
) -> HookEvent:
    """The event, with Cline's own folder where the environment says."""
    env = {} if own is None else {"CLINE_DIR": str(own)}
    raw = json.dumps(payload).encode()
    event = hook_event(raw, client="cline", name=name, env=env, now=NOW)
    assert event is not None
    return event


@pytest.mark.parametrize(
    ("hook_name", "name", "moment"),
    [
        ("agent_start", "TaskStart", Moment.SESSION_START),
        ("agent_resume", "TaskResume", Moment.SESSION_START),
        ("prompt_submit", "UserPromptSubmit", Moment.PROMPT),
        ("tool_call", "PreToolUse", Moment.BEFORE_TOOL),
        ("tool_result", "PostToolUse", Moment.AFTER_TOOL),
        ("agent_end", "TaskComplete", Moment.STOP),
        ("agent_abort", "TaskCancel", Moment.STOP),
        ("agent_error", "TaskError", Moment.STOP),
        ("pre_compact", "PreCompact", Moment.BEFORE_COMPACT),
        ("session_shutdown", "SessionShutdown", Moment.SESSION_END),
        ("TaskStart", "TaskStart", Moment.SESSION_START),  # the extension
        ("PostToolUse", "PostToolUse", Moment.AFTER_TOOL),
    ],
)
def test_what_it_calls_each_moment(hook_name: str, name: str, moment: Moment) -> None:
    event = told(sent(hook_name), name)
    assert (event.moment, event.session_id, event.subagent_id) == (moment, ROOT, None)
    assert event.beginning == (
        None
        if moment is not Moment.SESSION_START
        else Beginning.RESUME
        if "esume" in hook_name
        else Beginning.STARTUP
    )


@pytest.mark.parametrize(
    ("hook_name", "moment"),
    [
        ("agent_start", Moment.SUBAGENT_START),
        ("tool_result", Moment.AFTER_TOOL),
        ("agent_end", Moment.SUBAGENT_STOP),
        ("session_shutdown", Moment.OTHER),
    ],
)
def test_an_agent_that_another_has_started_is_a_subagent(hook_name: str, moment: Moment) -> None:
    inner: dict[str, Any] = {"agent_id": "agent_2", "parent_agent_id": AGENT, "taskId": "conv_2"}
    event = told(sent(hook_name, **inner), "x")
    assert (event.moment, event.subagent_id, event.session_id) == (moment, "agent_2", ROOT)


TICKET = f"{'a' * 16}:1794809425142000000-7"
COMMANDS = {"commands": ["cat src/a.py", "git push"]}


@pytest.mark.parametrize(
    "payload",
    [
        call("run_commands", COMMANDS),
        sent(  # only as texts
            "PreToolUse",
            preToolUse={
                "toolName": "run_commands",
                "parameters": {"commands": json.dumps(COMMANDS["commands"])},
            },
        ),
    ],
)
def test_commands_and_the_files_they_read(payload: dict[str, Any]) -> None:
    tool = told(payload).tool
    assert tool is not None
    assert tool.command == "cat src/a.py\ngit push"
    assert tool.files == (FileUse(path="src/a.py", operation=Operation.READ),)


@pytest.mark.parametrize(
    ("payload", "uses"),
    [
        (
            call("read_files", {"files": [{"path": "/p/a.py"}, {"path": "/p/b.py"}]}),
            [FileUse(path=f"/p/{name}.py", operation=Operation.READ) for name in "ab"],
        ),
        (
            call("editor", {"path": "/p/a.py", "old_text": "old()", "new_text": "new()\nmore()"}),
            [FileUse(path="/p/a.py", operation=Operation.EDIT, changed="+2 −1: new()")],
        ),
        (call("search_codebase", {"queries": ["main"]}), []),
        (
            sent(  # a file that happens to be JSON is a text
                "PreToolUse",
                preToolUse={
                    "toolName": "write_to_file",
                    "parameters": {"path": "a.json", "content": '["x"]'},
                },
            ),
            [FileUse(path="a.json", operation=Operation.WRITE, changed='+1: ["x"]')],
        ),
    ],
)
def test_the_files_of_its_tools(payload: dict[str, Any], uses: list[FileUse]) -> None:
    tool = told(payload).tool
    assert tool is not None
    assert list(tool.files) == uses


WORKED = {"query": "ls", "result": "a.py", "success": True}
WRONG = {
    "query": "false",
    "result": "[Command exited with code 1]",
    "error": "Command exited with code 1",
    "success": False,
}


@pytest.mark.parametrize(
    ("output", "success", "error", "words"),
    [
        ([WORKED], True, "", "a.py"),
        ([WORKED, WRONG], False, "Command exited with code 1", "a.py\n[Command"),
        (WORKED, True, "", "a.py"),
        ("plain words", True, "", "plain words"),
    ],
)
def test_what_came_of_a_call(output: Any, success: bool, error: str, words: str) -> None:
    tool = told(result("run_commands", COMMANDS, output), "PostToolUse").tool
    assert tool is not None
    assert (tool.success, tool.error, tool.use_id) == (success, error, "call_0")
    assert tool.duration_ms == 99
    assert tool.result.startswith(words)


def test_its_last_words() -> None:
    payload = sent("agent_end", turn={"outputText": "Done.", "status": "completed"})
    assert told(payload, "TaskComplete").said == "Done."


@pytest.mark.parametrize("session", ["../../etc", "a/b", "", "."])
def test_no_file_is_looked_for_outside_its_folder(tmp_path: Path, session: str) -> None:
    payload = sent("tool_call", sessionContext={"rootSessionId": session})
    assert told(payload, own=tmp_path).transcript is None


def test_the_extension_knows_only_its_task() -> None:
    payload = {"taskId": TASK, "hookName": "PreToolUse", "workspaceRoots": []}
    event = told(payload)
    assert (event.session_id, event.transcript) == (TASK, None)


def test_a_session_is_read_from_its_file(tmp_path: Path) -> None:
    path = written(
        tmp_path, asked(), step("call_0", words="Let me look."), *came("call_0", [WRONG])
    )
    found = list(records(path, "cline"))
    assert [record.role for record in found] == [Role.USER, Role.AGENT, Role.CALL, Role.RESULT]
    assert (found[0].text, found[1].text) == (ASKED, "Let me look.")
    made = call_of(path, "cline", "call_0")
    assert made is not None
    assert (made.command, made.success, made.error) == ("make", False, WRONG["error"])
    end = tail(path, "cline", Wanted.SAID | Wanted.TOKENS)
    assert (end.said, end.context_tokens) == ("Let me look.", 5_605)


@pytest.mark.parametrize(
    ("messages", "prompt"),
    [
        ([asked(), step("call_0")], ASKED),
        ([asked(), step("call_0"), *came("call_0", [WORKED]), step("call_1")], ""),
        ([asked("one"), step("call_0"), *came("call_0", []), asked("two"), step("call_1")], "two"),
        ([], ""),
    ],
)
def test_the_first_tool_of_a_turn_knows_what_was_asked(
    tmp_path: Path, messages: list[dict[str, Any]], prompt: str
) -> None:
    written(tmp_path, *messages)
    event = surrounded(told(call("run_commands", COMMANDS), own=tmp_path))
    assert (event.moment, event.prompt) == (Moment.BEFORE_TOOL, prompt)


def test_a_turn_that_begins_is_no_new_session(tmp_path: Path) -> None:
    written(tmp_path)
    begun = told(sent("agent_start"), "TaskStart", own=tmp_path)
    assert surrounded(begun).beginning is Beginning.STARTUP
    written(tmp_path, asked(), step("call_0"))
    assert surrounded(begun).beginning is Beginning.RESUME


def test_why_and_how_full_from_the_file(desk: Desk, project: Path, tmp_path: Path) -> None:
    written(tmp_path / "cline", asked(), step("call_0", words="Let me look."))
    (project / "src").mkdir()
    (project / "src" / "a.py").write_text("x")
    payload = result("run_commands", COMMANDS, [WORKED], workspaceRoots=[str(project)])
    desk.hook("cline", payload, name="PostToolUse", env={"CLINE_DIR": str(tmp_path / "cline")})
    [kept] = desk.kept()
    assert (kept.tool, kept.why, kept.context_tokens) == ("run_commands", "Let me look.", 5_605)
    assert kept.files == (FileUse(path="src/a.py", operation=Operation.READ),)


def test_the_doctors_canary_has_the_shape_of_the_command_line(tmp_path: Path) -> None:
    found = hook_of("cline", session_id="s", folder=tmp_path, line="lore-canary")
    assert found is not None
    name, payload = found
    real = call("run_commands", {"commands": ["lore-canary"]})
    assert name == "PreToolUse"
    assert payload["hookName"] == real["hookName"]
    assert payload.keys() <= real.keys()
    event = told(payload, name)
    assert event.tool is not None
    assert (event.tool.command, event.subagent_id) == ("lore-canary", None)


def test_a_reference_in_the_spool_is_filled_from_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    written(
        tmp_path / ".cline", asked(), step("call_0", words="Let me look."), *came("call_0", [WRONG])
    )
    payload = result("run_commands", COMMANDS, [WRONG])
    header = {"client": "cline", "name": "PostToolUse", "cwd": str(tmp_path), "ticket": TICKET}
    path = tmp_path / "1-1.json"
    path.write_text(json.dumps(reference(header, json.dumps(payload).encode())))
    event = referred(path, now=NOW)
    assert event is not None
    live = told(payload, "PostToolUse")
    assert (event.moment, event.key) == (Moment.AFTER_TOOL, live.key)
    assert event.tool is not None
    assert (event.tool.command, event.tool.success) == ("make", False)
    assert event.tool.why == "Let me look."

"""What each client sends, and the event it tells of."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from intake_tools import NOW

from loremap.clients.hook_events import hook_event
from loremap.model.hook import Beginning, FileUse, HookEvent, Moment, Operation, ToolCall

PATCH = """*** Begin Patch
*** Update File: src/app.py
@@ def main():
-    old()
+    new()
+    more()
*** Add File: docs/new.md
+one line
*** End Patch"""


def told(
    client: str,
    payload: dict[str, Any],
    *,
    name: str | None = None,
    env: dict[str, str] | None = None,
) -> HookEvent | None:
    raw = json.dumps(payload).encode()
    return hook_event(raw, client=client, name=name, env=env or {}, now=NOW)


def told_of(client: str, payload: dict[str, Any], **more: Any) -> HookEvent:
    event = told(client, payload, **more)
    assert event is not None
    return event


def tool_of(client: str, payload: dict[str, Any], **more: Any) -> ToolCall:
    tool = told_of(client, payload, **more).tool
    assert tool is not None
    return tool


@pytest.mark.parametrize(
    ("client", "name", "moment"),
    [
        ("claude", "SessionStart", Moment.SESSION_START),
        ("claude", "UserPromptSubmit", Moment.PROMPT),
        ("claude", "PreToolUse", Moment.BEFORE_TOOL),
        ("claude", "PostToolUse", Moment.AFTER_TOOL),
        ("claude", "PostToolUseFailure", Moment.AFTER_TOOL),
        ("claude", "PostToolBatch", Moment.OTHER),
        ("claude", "UserPromptExpansion", Moment.OTHER),
        ("claude", "Stop", Moment.STOP),
        ("claude", "PreCompact", Moment.BEFORE_COMPACT),
        ("claude", "PostCompact", Moment.AFTER_COMPACT),
        ("claude", "SubagentStart", Moment.SUBAGENT_START),
        ("claude", "SessionEnd", Moment.SESSION_END),
        ("codex", "SubagentStop", Moment.SUBAGENT_STOP),
        ("gemini", "BeforeAgent", Moment.PROMPT),
        ("gemini", "BeforeTool", Moment.BEFORE_TOOL),
        ("gemini", "AfterTool", Moment.AFTER_TOOL),
        ("gemini", "AfterAgent", Moment.STOP),
        ("gemini", "PreCompress", Moment.OTHER),  # before every call of the model
        ("copilot", "userPromptSubmitted", Moment.PROMPT),
        ("copilot", "agentStop", Moment.STOP),
        ("copilot", "permissionRequest", Moment.OTHER),
        ("cline", "TaskStart", Moment.SESSION_START),
        ("cursor", "beforeSubmitPrompt", Moment.PROMPT),
        ("cursor", "afterFileEdit", Moment.AFTER_TOOL),
        ("somebody", "SomethingElse", Moment.OTHER),
    ],
)
def test_a_clients_name_for_a_moment(client: str, name: str, moment: Moment) -> None:
    event = told_of(client, {"session_id": "s"}, name=name)
    assert (event.moment, event.name, event.client) == (moment, name, client)


def test_compression_a_user_asked_for_is_one() -> None:
    event = told_of("gemini", {"hook_event_name": "PreCompress", "trigger": "manual"})
    assert event.moment is Moment.BEFORE_COMPACT


@pytest.mark.parametrize(
    ("client", "name", "source", "beginning"),
    [
        ("claude", "SessionStart", "startup", Beginning.STARTUP),
        ("claude", "SessionStart", "fork", Beginning.FORK),
        ("codex", "SessionStart", "compact", Beginning.COMPACT),
        ("gemini", "SessionStart", "clear", Beginning.CLEAR),
        ("copilot", "sessionStart", "new", Beginning.STARTUP),
        ("copilot", "sessionStart", "resume", Beginning.RESUME),
        ("vscode", "SessionStart", "new", Beginning.STARTUP),
        ("cline", "TaskResume", "", Beginning.RESUME),
        ("claude", "Stop", "resume", None),
    ],
)
def test_how_a_session_begins(
    client: str, name: str, source: str, beginning: Beginning | None
) -> None:
    assert told_of(client, {"source": source}, name=name).beginning is beginning


@pytest.mark.parametrize(
    ("client", "payload"),
    [
        ("claude", {"session_id": "s7", "hook_event_name": "Stop"}),
        ("codex", {"session_id": "s7", "hook_event_name": "Stop"}),
        ("copilot", {"sessionId": "s7"}),
        ("cline", {"taskId": "s7", "hookName": "TaskStart"}),
        ("cursor", {"conversation_id": "s7", "hook_event_name": "stop"}),
        ("vscode", {"sessionId": "s7", "hookEventName": "Stop"}),
        ("opencode", {"session_id": "s7", "event": "Stop"}),
    ],
)
def test_the_session_of_each_client(client: str, payload: dict[str, Any]) -> None:
    event = told_of(client, payload)
    assert (event.session_id, event.client) == ("s7", client)


def test_a_session_without_an_id_is_the_same_each_time_in_its_folder(tmp_path: Path) -> None:
    here, there = tmp_path / "a", tmp_path / "b"
    here.mkdir()
    there.mkdir()
    ids = [
        told_of(client, {"cwd": str(folder)}, name="Stop").session_id
        for client, folder in [("claude", here), ("claude", here), ("claude", there), ("x", here)]
    ]
    assert ids[0] == ids[1]
    assert len(set(ids)) == 3


def test_the_environment_names_the_session_where_the_payload_does_not() -> None:
    env = {"GEMINI_SESSION_ID": "from-env"}
    assert told_of("gemini", {}, name="Stop", env=env).session_id == "from-env"


@pytest.mark.parametrize(
    ("client", "payload", "prompt"),
    [
        ("claude", {"hook_event_name": "UserPromptSubmit", "prompt": "fix it"}, "fix it"),
        (
            "gemini",
            {
                "hook_event_name": "BeforeAgent",
                "prompt": "<hook_context>what we said</hook_context>\n\nfix it",
            },
            "fix it",
        ),
        ("copilot", {"prompt": "fix it"}, "fix it"),
        (
            "cline",
            {"hookName": "UserPromptSubmit", "userPromptSubmit": {"prompt": "fix it"}},
            "fix it",
        ),
        ("cursor", {"hook_event_name": "beforeSubmitPrompt", "prompt": "fix it"}, "fix it"),
        ("opencode", {"event": "UserPromptSubmit", "prompt": "fix it"}, "fix it"),
    ],
)
def test_the_prompt_without_what_we_put_into_it(
    client: str, payload: dict[str, Any], prompt: str
) -> None:
    assert told_of(client, payload, name="userPromptSubmitted").prompt == prompt


@pytest.mark.parametrize(
    "payload",
    [
        {"hook_event_name": "SubagentStop", "agent_id": "a", "agent_type": ""},  # the compactor
        {
            "hook_event_name": "UserPromptSubmit",
            "prompt": "<system-reminder>\n[SYSTEM NOTIFICATION - NOT USER INPUT]\nit ended",
        },
        {"hook_event_name": "UserPromptSubmit", "source": "system", "prompt": "x"},
    ],
)
def test_what_claude_says_to_itself_is_no_event(payload: dict[str, Any]) -> None:
    assert told("claude", payload) is None


AFTER = {"hook_event_name": "PostToolUse", "session_id": "s"}


@pytest.mark.parametrize(
    ("client", "payload", "success", "error"),
    [
        (
            "claude",
            AFTER | {"tool_name": "Bash", "tool_response": {"stdout": "x", "stderr": ""}},
            True,
            "",
        ),
        (
            "claude",
            {"hook_event_name": "PostToolUseFailure", "tool_name": "Bash", "error": "Exit code 1"},
            False,
            "Exit code 1",
        ),
        (
            "claude",
            AFTER | {"tool_name": "Bash", "tool_response": {"stdout": "", "interrupted": True}},
            False,
            "interrupted",
        ),
        ("claude", AFTER | {"tool_name": "mcp__db__ask", "tool_response": "rows"}, True, ""),
        ("codex", AFTER | {"tool_name": "Bash", "tool_response": ""}, None, ""),
        ("codex", AFTER | {"tool_name": "Bash", "tool_response": "some output"}, None, ""),
        (
            "codex",
            AFTER | {"tool_name": "Bash", "tool_response": "Process exited with code 2\nOutput:\n"},
            False,
            "exit code 2",
        ),
        (
            "codex",
            AFTER
            | {"tool_name": "shell", "tool_response": '{"output":"","metadata":{"exit_code":0}}'},
            True,
            "",
        ),
        (
            "gemini",
            {
                "hook_event_name": "AfterTool",
                "tool_name": "run_shell_command",
                "tool_response": {"llmContent": "Output: (empty)\nExit Code: 1\n"},
            },
            False,
            "exit code 1",
        ),
        (
            "gemini",
            {
                "hook_event_name": "AfterTool",
                "tool_name": "read_file",
                "tool_response": {"llmContent": "", "error": {"message": "no such file"}},
            },
            False,
            "no such file",
        ),
        (
            "gemini",
            {
                "hook_event_name": "AfterTool",
                "tool_name": "run_shell_command",
                "tool_response": {"llmContent": "Output: b\nProcess Group PGID: 3"},
            },
            True,
            "",
        ),
        (
            "copilot",
            {
                "toolName": "bash",
                "toolResult": {
                    "resultType": "success",
                    "textResultForLlm": "\n<shellId: 1 completed with exit code 1>",
                },
            },
            False,
            "exit code 1",
        ),
        (
            "copilot",
            {
                "toolName": "view",
                "toolResult": {"resultType": "failure", "textResultForLlm": "gone"},
            },
            False,
            "gone",
        ),
        (
            "copilot",
            AFTER
            | {
                "tool_name": "Bash",
                "tool_result": {"result_type": "success", "text_result_for_llm": "fine"},
            },
            True,
            "",
        ),
        (
            "cline",
            {
                "hookName": "PostToolUse",
                "postToolUse": {"toolName": "execute_command", "result": "no", "success": False},
            },
            False,
            "no",
        ),
        (
            "cursor",
            {
                "hook_event_name": "postToolUseFailure",
                "conversation_id": "c",
                "tool_name": "Shell",
                "error_message": "denied",
            },
            False,
            "denied",
        ),
        (
            "cursor",
            {
                "hook_event_name": "postToolUse",
                "tool_name": "Shell",
                "tool_output": '{"exitCode": 3, "stdout": "x"}',
            },
            False,
            "exit code 3",
        ),
        (
            "vscode",
            {
                "hookEventName": "PostToolUse",
                "sessionId": "v",
                "tool_name": "runInTerminal",
                "tool_response": "done",
            },
            True,
            "",
        ),
        (
            "opencode",
            {"event": "PostToolUse", "tool_name": "bash", "tool_output": "x", "exit_code": 1},
            False,
            "exit code 1",
        ),
        ("opencode", {"event": "PostToolUse", "tool_name": "read", "tool_output": "x"}, True, ""),
    ],
)
def test_whether_it_worked_by_each_clients_own_truth(
    client: str, payload: dict[str, Any], success: bool | None, error: str
) -> None:
    tool = tool_of(client, payload, name="postToolUse")
    assert (tool.success, tool.error) == (success, error)


def test_before_a_tool_has_run_nothing_is_known_of_its_success() -> None:
    tool = tool_of("claude", {"hook_event_name": "PreToolUse", "tool_name": "Bash"})
    assert tool.success is None


@pytest.mark.parametrize(
    ("name", "given", "command"),
    [
        ("Bash", {"command": "make test"}, "make test"),
        ("exec_command", {"cmd": "make test"}, "make test"),
        ("shell", {"command": ["bash", "-lc", "make test"]}, "make test"),
        ("run_shell_command", {"command": "make test"}, "make test"),
        ("execute_command", {"command": "make test"}, "make test"),
        ("Read", {"file_path": "a"}, None),
        ("mcp__db__query", {"command": "drop"}, None),
    ],
)
def test_the_command_a_tool_runs(name: str, given: dict[str, Any], command: str | None) -> None:
    payload = {"hook_event_name": "PreToolUse", "tool_name": name, "tool_input": given}
    assert tool_of("claude", payload).command == command


@pytest.mark.parametrize(
    ("name", "given", "uses"),
    [
        ("Read", {"file_path": "a.py"}, [FileUse(path="a.py", operation=Operation.READ)]),
        (
            "Read",
            {"file_path": "a.py", "offset": 10, "limit": 5},
            [FileUse(path="a.py", operation=Operation.READ, lines=(10, 14))],
        ),
        (
            "str_replace_based_edit_tool",
            {"command": "view", "path": "a.py", "view_range": [3, 9]},
            [FileUse(path="a.py", operation=Operation.READ, lines=(3, 9))],
        ),
        (
            "Edit",
            {"file_path": "a.py", "old_string": "x\ny", "new_string": "x\nz\nw"},
            [FileUse(path="a.py", operation=Operation.EDIT, changed="+2 −1: z")],
        ),
        (
            "MultiEdit",
            {
                "file_path": "a.py",
                "edits": [
                    {"old_string": "a", "new_string": "b"},
                    {"old_string": "", "new_string": "c\nd"},
                ],
            },
            [FileUse(path="a.py", operation=Operation.EDIT, changed="+3 −1: b")],
        ),
        (
            "Write",
            {"file_path": "a.py", "content": "1\n2\n3\n"},
            [FileUse(path="a.py", operation=Operation.WRITE, changed="+3: 1")],
        ),
        (
            "replace",
            {"file_path": "a.py", "old_string": "x", "new_string": ""},
            [FileUse(path="a.py", operation=Operation.EDIT, changed="−1: x")],
        ),
        (
            "apply_patch",
            {"input": PATCH},
            [
                FileUse(path="src/app.py", operation=Operation.EDIT, changed="+2 −1: new()"),
                FileUse(path="docs/new.md", operation=Operation.WRITE, changed="+1: one line"),
            ],
        ),
        (
            "shell",
            {"command": ["apply_patch", PATCH]},
            [
                FileUse(path="src/app.py", operation=Operation.EDIT, changed="+2 −1: new()"),
                FileUse(path="docs/new.md", operation=Operation.WRITE, changed="+1: one line"),
            ],
        ),
        (
            "Grep",
            {"pattern": "x", "path": "src"},
            [FileUse(path="src", operation=Operation.SEARCH)],
        ),
        ("Grep", {"pattern": "x"}, []),
        (
            "read_many_files",
            {"paths": ["a", "b"]},
            [FileUse(path=path, operation=Operation.READ) for path in ("a", "b")],
        ),
        ("mcp__fs__read_file", {"path": "a"}, [FileUse(path="a", operation=Operation.READ)]),
        ("WebFetch", {"url": "x", "path": "a"}, []),
        (
            "editor",
            {"path": "/p/a.py", "old_text": "x", "new_text": "y"},
            [FileUse(path="/p/a.py", operation=Operation.EDIT, changed="+1 −1: y")],
        ),
        (
            "Bash",
            {"command": "cd src && cat a.py | head -3; rg -n total b.py"},
            [
                FileUse(path="src/a.py", operation=Operation.READ),
                FileUse(path="src/b.py", operation=Operation.SEARCH),
            ],
        ),
        (
            "shell",
            {"command": ["bash", "-lc", "sed -n 1,9p a.py"], "workdir": "/p"},
            [FileUse(path="/p/a.py", operation=Operation.READ)],
        ),
        ("Bash", {"command": "make test"}, []),
    ],
)
def test_the_files_a_tool_works_with(name: str, given: dict[str, Any], uses: list[FileUse]) -> None:
    payload = {"hook_event_name": "PreToolUse", "tool_name": name, "tool_input": given}
    assert list(tool_of("claude", payload).files) == uses


def test_claudes_own_patch_tells_the_lines() -> None:
    payload = AFTER | {
        "tool_name": "Edit",
        "tool_input": {"file_path": "a.py", "old_string": "b", "new_string": "c"},
        "tool_response": {
            "structuredPatch": [
                {"newStart": 7, "newLines": 4, "lines": [" a", "-b", "-b", "+c", " d"]},
                {"newStart": 30, "newLines": 2, "lines": [" a", "+c"]},
            ]
        },
    }
    use = FileUse(path="a.py", operation=Operation.EDIT, lines=(7, 31), changed="+2 −2: c")
    assert tool_of("claude", payload).files == (use,)


@pytest.mark.parametrize(
    ("name", "given", "text"),
    [
        ("Write", {"file_path": "a", "content": "whole"}, "whole"),
        ("Edit", {"file_path": "a", "old_string": "x", "new_string": "part"}, "part"),
        ("apply_patch", {"input": PATCH}, "    new()\n    more()\none line"),
        ("Read", {"file_path": "a", "content": "not written"}, None),
    ],
)
def test_the_text_that_is_about_to_be_written(
    name: str, given: dict[str, Any], text: str | None
) -> None:
    payload = {"hook_event_name": "PreToolUse", "tool_name": name, "tool_input": given}
    assert tool_of("claude", payload).text == text


@pytest.mark.parametrize(
    ("name", "given", "task"),
    [
        ("Agent", {"prompt": "look", "description": "d"}, "look"),
        ("Task", {"prompt": "look"}, "look"),
        ("spawn_agent", {"message": "look"}, "look"),
        ("Bash", {"command": "x", "prompt": "y"}, None),
    ],
)
def test_the_task_given_to_a_subagent(name: str, given: dict[str, Any], task: str | None) -> None:
    payload = {"hook_event_name": "PreToolUse", "tool_name": name, "tool_input": given}
    assert tool_of("claude", payload).task == task


def test_a_tools_arguments_may_come_as_text() -> None:
    payload = {"toolName": "bash", "toolArgs": '{"command": "ls", "description": "look"}'}
    tool = tool_of("copilot", payload, name="preToolUse")
    assert (tool.command, tool.why) == ("ls", "look")


@pytest.mark.parametrize(
    ("named", "payload", "env", "client"),
    [
        ("claude", {"hook_event_name": "Stop", "session_id": "s"}, {}, "claude"),
        ("claude", {"hookEventName": "Stop", "sessionId": "s"}, {}, "vscode"),
        ("claude", {"hook_event_name": "stop", "conversation_id": "s"}, {}, "cursor"),
        ("plugin", {"hook_event_name": "Stop", "turn_id": "t"}, {"CLAUDECODE": "1"}, "codex"),
        ("plugin", {"hook_event_name": "Stop"}, {"COPILOT_PLUGIN_ROOT": "/p"}, "copilot"),
        ("plugin", {"hook_event_name": "Stop"}, {"CLAUDECODE": "1"}, "claude"),
        (
            "plugin",
            {"hook_event_name": "SessionStart", "transcript_path": "/x/rollout-1.jsonl"},
            {},
            "codex",
        ),
        ("gemini", {"hook_event_name": "Stop"}, {"CLAUDECODE": "1"}, "gemini"),
        ("nobody", {"hook_event_name": "Stop"}, {}, "nobody"),
    ],
)
def test_who_is_speaking(
    named: str, payload: dict[str, Any], env: dict[str, str], client: str
) -> None:
    assert told_of(named, payload, env=env).client == client


@pytest.mark.parametrize(("value", "incognito"), [("1", True), ("yes", True), ("0", False)])
def test_an_incognito_session(value: str, incognito: bool) -> None:
    event = told_of("claude", {}, name="Stop", env={"LOREMAP_INCOGNITO": value})
    assert event.incognito is incognito


def test_a_folder_that_has_gone_is_no_folder(tmp_path: Path) -> None:
    gone = told_of("claude", {"cwd": str(tmp_path / "gone")}, name="Stop")
    here = told_of("claude", {"cwd": str(tmp_path)}, name="Stop")
    assert (gone.folder, here.folder) == (None, tmp_path)


@pytest.mark.parametrize(
    "payload", [b"", b"[1]", b'"text"', b"{", b"\xff\xfe", b"null", b"[" * 100_000]
)
def test_what_is_no_object_is_no_event(payload: bytes) -> None:
    assert hook_event(payload, client="claude", name="Stop", env={}, now=NOW) is None


def test_halves_of_signs_are_no_text() -> None:
    raw = b'{"session_id": "a\\ud800b\\u0000c", "hook_event_name": "Stop"}'
    event = hook_event(raw, client="claude", name=None, env={}, now=NOW)
    assert event is not None
    assert event.session_id == "a?bc"


def test_halves_of_signs_in_json_within_json_are_no_text() -> None:
    inner = json.dumps({"command": "echo \ud800"})
    raw = {"session_id": "s", "hook_event_name": "PreToolUse", "tool_name": "Bash"}
    payload = json.dumps({**raw, "tool_input": inner}).encode()
    event = hook_event(payload, client="claude", name=None, env={}, now=NOW)
    assert event is not None
    assert event.tool is not None
    assert event.tool.command == "echo ?"


def test_one_event_has_one_key_in_both_shapes_of_copilot() -> None:
    own = told_of(
        "copilot",
        {
            "sessionId": "s",
            "timestamp": 5,
            "toolName": "bash",
            "toolArgs": {"command": "x"},
            "toolResult": {"resultType": "success", "textResultForLlm": "y"},
        },
        name="postToolUse",
    )
    claudes = told_of(
        "copilot",
        {
            "session_id": "s",
            "hook_event_name": "PostToolUse",
            "tool_name": "Bash",
            "tool_input": {"command": "x"},
            "tool_result": {"result_type": "success", "text_result_for_llm": "y"},
        },
    )
    assert own.key == claudes.key

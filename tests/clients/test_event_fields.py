"""What the log keeps of a call: whose turn, whose words, which files, and no secret."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from intake_tools import Desk, tool_use
from transcript_tools import written

from loremap.clients.payloads.parameters import parameters
from loremap.model.event import Event
from loremap.model.hook import FileUse, Operation

PASSWORD = "quiet" + "-" + "Horse7" + "battery!"
AWS = "AKIA" + "QYLPMN5HHHFPZAM2"


def only(desk: Desk) -> Event:
    [kept] = desk.kept()
    return kept


@pytest.mark.parametrize("client", ["claude", "codex", "gemini"])
def test_how_full_the_context_is_at_a_tool(
    desk: Desk, project: Path, tmp_path: Path, client: str
) -> None:
    path = written(tmp_path / "t.jsonl", client)
    name = "AfterTool" if client == "gemini" else "PostToolUse"
    desk.hook(client, tool_use(project, "call-9", transcript_path=str(path), hook_event_name=name))
    assert only(desk).context_tokens == 1_020


@pytest.mark.parametrize(
    ("client", "field"),
    [("claude", "prompt_id"), ("codex", "turn_id"), ("cursor", "generation_id")],
)
def test_the_turn_is_kept(desk: Desk, project: Path, client: str, field: str) -> None:
    desk.hook(client, tool_use(project, **{field: "turn-7"}))
    assert only(desk).turn_id == "turn-7"


def test_without_a_turn_none_is_kept(desk: Desk, project: Path) -> None:
    desk.hook("claude", tool_use(project))
    assert only(desk).turn_id is None


def edit(project: Path, **fields: Any) -> dict[str, Any]:
    given = {"file_path": str(project / "a.py"), "old_string": "b", "new_string": "c\nd"}
    hunk = {"newStart": 7, "newLines": 3, "lines": [" def f():", "-b", "+c", "+d"]}
    told = {"filePath": str(project / "a.py"), "structuredPatch": [hunk]}
    return tool_use(project, tool_name="Edit", tool_input=given, tool_response=told) | fields


def test_what_came_of_an_edit_in_a_line(desk: Desk, project: Path) -> None:
    desk.hook("claude", edit(project))
    kept = only(desk)
    assert kept.result == "a.py +2 −1: c"
    use = FileUse(path="a.py", operation=Operation.EDIT, lines=(7, 9), changed="+2 −1: c")
    assert kept.files == (use,)


def test_what_was_written_is_not_told_again_as_a_result(desk: Desk, project: Path) -> None:
    given = {"file_path": str(project / "a.py"), "content": "one\ntwo\n"}
    told = {"type": "create", "filePath": "a.py", "content": "one\ntwo\n"}
    desk.hook("claude", tool_use(project, tool_name="Write", tool_input=given, tool_response=told))
    assert only(desk).result == "a.py +2: one"


def test_a_changed_line_with_a_secret_is_kept_without_it(desk: Desk, project: Path) -> None:
    given = {
        "file_path": str(project / "a.py"),
        "old_string": "",
        "new_string": f"password = '{PASSWORD}'",
    }
    desk.hook("claude", tool_use(project, tool_name="Edit", tool_input=given, tool_response={}))
    kept = only(desk)
    assert kept.files[0].changed.startswith("+1")
    assert not desk.said_on_disk(PASSWORD)


def test_files_read_through_the_shell_are_files_read(desk: Desk, project: Path) -> None:
    (project / "src").mkdir()
    for name in ("a.py", "b.py", "c.py"):
        (project / "src" / name).write_text("x")
    line = "cd src && cat a.py gone.py | head; rg -n x c.py; sed -n 1,3p b.py"
    desk.hook("claude", tool_use(project, tool_input={"command": line}))
    assert only(desk).files == (
        FileUse(path="src/a.py", operation=Operation.READ),
        FileUse(path="src/b.py", operation=Operation.READ),
        FileUse(path="src/c.py", operation=Operation.SEARCH),
    )


def test_a_file_of_secrets_that_the_shell_prints_leaves_only_its_name(
    desk: Desk, project: Path
) -> None:
    (project / ".env").write_text("x")
    said = {"stdout": "ordinary words", "stderr": ""}
    desk.hook("claude", tool_use(project, tool_input={"command": "cat .env"}, tool_response=said))
    kept = only(desk)
    assert [use.path for use in kept.files] == [".env"]
    assert (kept.result, json.loads(kept.parameters)) == ("", {"command": "cat .env"})


INNER = {"agent_id": "a8d1", "agent_type": "reviewer"}


def subagents_file(session: Path, words: str, task: str = "Review the cart") -> Path:
    """A subagent's own transcript beside the session's, as Claude Code writes it."""
    path = session.with_suffix("") / "subagents" / f"agent-{INNER['agent_id']}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    usage = {"input_tokens": 70, "output_tokens": 7}
    block = {"type": "text", "text": words}
    told = [
        {"type": "user", "isSidechain": True, "message": {"role": "user", "content": task}},
        {
            "type": "assistant",
            "isSidechain": True,
            "message": {"role": "assistant", "content": [block], "usage": usage},
        },
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in told))
    return path


def test_a_subagents_reason_is_its_own(desk: Desk, project: Path, tmp_path: Path) -> None:
    session = written(tmp_path / "t.jsonl", "claude")
    subagents_file(session, "I check the sum.")
    given = {"command": "make test"}
    desk.hook("claude", tool_use(project, transcript_path=str(session), tool_input=given, **INNER))
    kept = only(desk)
    assert (kept.why, kept.context_tokens) == ("I check the sum.", 77)
    assert (kept.subagent_id, kept.subagent_kind) == ("a8d1", "reviewer")


def test_a_subagent_of_which_nothing_is_written_has_nobody_elses_reason(
    desk: Desk, project: Path, tmp_path: Path
) -> None:
    session = written(tmp_path / "t.jsonl", "claude")
    given = {"command": "make test"}
    desk.hook("claude", tool_use(project, transcript_path=str(session), tool_input=given, **INNER))
    assert only(desk).why == ""


@pytest.mark.parametrize("agent_id", ["../../x", "a/b", ""])
def test_a_subagents_id_leads_nowhere_else(
    desk: Desk, project: Path, tmp_path: Path, agent_id: str
) -> None:
    session = written(tmp_path / "t.jsonl", "claude", most=8)
    fields = INNER | {"agent_id": agent_id}
    given = {"command": "make test"}
    desk.hook("claude", tool_use(project, transcript_path=str(session), tool_input=given, **fields))
    assert only(desk).why == ("" if agent_id else "Let me look first.")


def started(project: Path, session: Path) -> dict[str, Any]:
    return {
        "session_id": "s1",
        "cwd": str(project),
        "transcript_path": str(session),
        "hook_event_name": "SubagentStart",
    } | INNER


def asked_of(session: Path, *tasks: tuple[str, str]) -> None:
    """Add to a session's transcript that subagents are started."""
    with session.open("a") as file:
        for number, (kind, task) in enumerate(tasks):
            given = {"subagent_type": kind, "prompt": task}
            block = {"type": "tool_use", "id": f"t{number}", "name": "Agent", "input": given}
            message = {"role": "assistant", "content": [block]}
            file.write(json.dumps({"type": "assistant", "message": message}) + "\n")


@pytest.mark.parametrize(
    ("tasks", "text"),
    [
        ([("reviewer", "Review it")], "Review it"),
        ([("reviewer", "Review it"), ("coder", "Write it")], "Review it"),
        ([("reviewer", "Review a"), ("reviewer", "Review b")], ""),  # which of them?
        ([("coder", "Write it")], ""),
    ],
)
def test_the_task_of_a_subagent_that_starts(
    desk: Desk, project: Path, tmp_path: Path, tasks: list[tuple[str, str]], text: str
) -> None:
    session = written(tmp_path / "t.jsonl", "claude")
    asked_of(session, *tasks)
    desk.hook("claude", started(project, session))
    kept = only(desk)
    assert (kept.text, kept.subagent_kind) == (text, "reviewer")


def test_a_subagent_that_ends_says_what_it_was_for(
    desk: Desk, project: Path, tmp_path: Path
) -> None:
    session = written(tmp_path / "t.jsonl", "claude")
    own = subagents_file(session, "All is well.")
    ended = started(project, session) | {
        "hook_event_name": "SubagentStop",
        "agent_transcript_path": str(own),
        "last_assistant_message": "All is well.",
    }
    desk.hook("claude", ended)
    kept = only(desk)
    assert (kept.text, kept.why) == ("", "Review the cart")  # no words of a model's answer


@pytest.mark.parametrize(
    "given",
    [
        {"command": ["curl", "-u", f"bob:{PASSWORD}"]},
        {"args": ["--password", PASSWORD]},
        {"command": "curl", "args": ["-u", f"bob:{PASSWORD}"]},
        {"steps": [{"run": ["curl", "-u", f"bob:{PASSWORD}"]}]},
        {"env": [{"name": "DB_PASSWORD", "value": PASSWORD}]},
        {"commands": ["ls", f"curl -u bob:{PASSWORD} https://x.example"]},
    ],
)
def test_a_secret_in_pieces_is_one(given: dict[str, Any]) -> None:
    kept, _ = parameters(given)
    assert PASSWORD not in kept
    assert "REDACTED" in kept


@pytest.mark.parametrize(
    "given",
    [
        {"command": ["git", "log", "-p", "--", "a.py"]},
        {"env": [{"name": "LANG", "value": "C"}]},
        {"command": "ls", "args": ["-l", "src"]},
    ],
)
def test_what_is_no_secret_stays_as_it_is(given: dict[str, Any]) -> None:
    assert json.loads(parameters(given)[0]) == given


@pytest.mark.parametrize("sign", ["\u200b", "\u2060", "\ufeff", "\u00ad", "\u200d", "\U000e0041"])
def test_a_sign_without_width_hides_no_key(desk: Desk, project: Path, sign: str) -> None:
    split = AWS[:9] + sign + AWS[9:]
    given = {"command": f"echo {split}", "description": f"use {split}"}
    said = {"stdout": f"key {split}", "stderr": ""}
    desk.hook("claude", tool_use(project, tool_input=given, tool_response=said))
    kept = only(desk)
    for text in (kept.parameters, kept.why, kept.result):
        assert "REDACTED" in text
        assert AWS[:9] not in text
        assert AWS[9:] not in text


def test_a_number_that_json_has_not_is_kept_as_a_word() -> None:
    kept, _ = parameters({"a": float("nan"), "b": [float("-inf"), 1e30]})
    assert json.loads(kept, parse_constant=pytest.fail) == {"a": "nan", "b": ["-inf", 1e30]}

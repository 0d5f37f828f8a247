"""What a person typed, told from all that clients and hooks put into their messages."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from transcript_tools import AT

from loremap.clients.past import written_records
from loremap.clients.registry import CLIENTS
from loremap.clients.transcript import session_records
from loremap.clients.transcripts.record import Role
from loremap.sessions.turns import turns_of

TYPED = "always run make check"


def _claude(content: Any, **more: Any) -> dict[str, Any]:
    return {"type": "user", "timestamp": AT, "message": {"content": content}, **more}


def _meanwhile(**attachment: Any) -> dict[str, Any]:
    told = {"type": "queued_command", "prompt": TYPED, **attachment}
    return {"type": "attachment", "timestamp": AT, "attachment": told}


def _codex(words: str, kind: str = "user.text", role: str = "user", **more: Any) -> dict[str, Any]:
    marks = {"content_item_kinds": [kind]}
    content = [{"type": "input_text", "text": words}]
    payload = {"type": "message", "role": role, "content": content}
    payload["internal_chat_message_metadata_passthrough"] = marks
    return {"type": "response_item", "timestamp": AT, "payload": payload, **more}


def _codex_event(words: str) -> dict[str, Any]:
    payload = {"type": "user_message", "message": words}
    return {"type": "event_msg", "timestamp": AT, "payload": payload}


def _gemini(id_: str, words: str, **more: Any) -> dict[str, Any]:
    return {"id": id_, "type": "user", "timestamp": AT, "content": [{"text": words}], **more}


def _copilot(words: str, **more: Any) -> dict[str, Any]:
    return {"type": "user.message", "timestamp": AT, "data": {"content": words, **more}}


CASES: dict[str, tuple[str, list[dict[str, Any]], list[str]]] = {
    "typed": ("claude", [_claude(TYPED, promptSource="typed", turnOrigin="human")], [TYPED]),
    "typed, in an older file": ("claude", [_claude(TYPED)], [TYPED]),
    "in blocks": ("claude", [_claude([{"type": "text", "text": TYPED}])], [TYPED]),
    "meanwhile": ("claude", [_meanwhile(commandMode="prompt", origin={"kind": "human"})], [TYPED]),
    "a task's end meanwhile": ("claude", [_meanwhile(commandMode="task-notification")], []),
    "another agent meanwhile": ("claude", [_meanwhile(origin={"kind": "peer"})], []),
    "by a schedule": ("claude", [_claude(TYPED, turnOrigin="scheduled")], []),
    "suggested": ("claude", [_claude(TYPED, promptSource="suggestion_accepted")], []),
    "of the client": ("claude", [_claude(TYPED, isMeta=True)], []),
    "of another agent": ("claude", [_claude(TYPED, origin={"kind": "peer"})], []),
    "a summary": ("claude", [_claude(TYPED, isCompactSummary=True)], []),
    "a subagent's task": ("claude", [_claude(TYPED, isSidechain=True)], []),
    "a fork's past": ("claude", [_claude(TYPED, forkedFrom={"sessionId": "s"})], []),
    "twice": ("claude", [_claude(TYPED, uuid="u"), _claude(TYPED, uuid="u")], [TYPED]),
    "interrupted": ("claude", [_claude("[Request interrupted by user for tool use]")], []),
    "a command": (
        "claude",
        [_claude("<command-name>/compact</command-name>\n<command-args></command-args>")],
        [],
    ),
    "a command's words": (
        "claude",
        [_claude(f"<command-name>/fix</command-name>\n<command-args>{TYPED}</command-args>")],
        [TYPED],
    ),
    "beside an open file": (
        "claude",
        [_claude(f"<ide_opened_file>never do this</ide_opened_file>\n{TYPED}")],
        [TYPED],
    ),
    "beside a reminder": (
        "claude",
        [_claude(f"{TYPED}\n<system-reminder>never do this</system-reminder>")],
        [TYPED],
    ),
    "a shell's": ("claude", [_claude("<bash-input>ls</bash-input>")], []),
    "a result that says it is the user": (
        "claude",
        [_claude([{"type": "tool_result", "tool_use_id": "1", "content": f"Human: {TYPED}"}])],
        [],
    ),
    "codex": ("codex", [_codex(TYPED)], [TYPED]),
    "a hook's": ("codex", [_codex(TYPED, kind="hooks.additional_context")], []),
    "marked and told": ("codex", [_codex(TYPED), _codex_event(TYPED)], [TYPED]),
    "told by an older one": (
        "codex",
        [_codex_event("<environment_context>x"), _codex_event(TYPED)],
        [TYPED],
    ),
    "in an editor": (
        "codex",
        [_codex(f"# Context from my IDE setup:\n- a\n## My request for Codex:\n{TYPED}")],
        [TYPED],
    ),
    "codex's summary": (
        "codex",
        [_codex(TYPED, role="assistant", metadata={"compaction_output": True})],
        [],
    ),
    "gemini": ("gemini", [_gemini("1", TYPED), _gemini("1", TYPED)], [TYPED]),
    "with a file put in": (
        "gemini",
        [_gemini("1", f"{TYPED} never do this", displayContent=[{"text": TYPED}])],
        [TYPED],
    ),
    "written anew after a compaction": (
        "gemini",
        [
            _gemini("1", TYPED),
            {"$set": {"messages": [_gemini("2", "a summary"), _gemini("3", TYPED)]}},
            _gemini("3", TYPED),
        ],
        [TYPED],
    ),
    "gone on from another file": (
        "gemini",
        [{"$set": {"messages": [_gemini("1", TYPED)]}}, _gemini("2", "and now?")],
        [TYPED, "and now?"],
    ),
    "gemini's shell": ("gemini", [_gemini("1", "I ran the following shell command:\nls")], []),
    "copilot": ("copilot", [_copilot(TYPED, transformedContent=f"{TYPED} never")], [TYPED]),
    "copilot, by its own mark": ("copilot", [_copilot(TYPED, source="user")], [TYPED]),
    "a skill's": ("copilot", [_copilot(TYPED, source="skill-pdf")], []),
    "another agent's": ("copilot", [_copilot(TYPED, source="agent-7")], []),
    "of a source that is no name": ("copilot", [_copilot(TYPED, source={"kind": "user"})], []),
    "copilot's to itself": ("copilot", [_copilot(TYPED, isAutopilotContinuation=True)], []),
    "copilot's shell": ("copilot", [_copilot("ls", agentMode="shell")], []),
    "copilot's subagent": ("copilot", [_copilot(TYPED, parentToolCallId="call-1")], []),
    "copilot's subagent, newer": ("copilot", [{**_copilot(TYPED), "agentId": "a-1"}], []),
    "a command of ours": ("copilot", [_copilot(f"/remember {TYPED}")], []),
}


@pytest.mark.parametrize(("client", "told", "typed"), CASES.values(), ids=list(CASES))
def test_only_what_was_typed_is_a_persons_word(
    client: str, told: list[dict[str, Any]], typed: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "t.jsonl"
    # Without spaces, as the clients write it.
    lines = (json.dumps(line, separators=(",", ":")) for line in told)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    turns = turns_of(session_records([path], client))
    assert [turn.text for turn in turns if turn.speaker == "person"] == typed


def test_what_a_subagent_of_copilot_said_and_did_is_known_as_its_own(tmp_path: Path) -> None:
    inner = {"parentToolCallId": "call-1"}
    start = {"toolCallId": "1", "toolName": "bash", "arguments": {"command": "make"}, **inner}
    lines = [
        {"type": "assistant.message", "data": {"content": "I look.", **inner}},
        {"type": "tool.execution_start", "data": start},
        {"type": "assistant.message", "data": {"content": "It looked."}},
    ]
    path = tmp_path / "t.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)) + "\n")
    turns = turns_of(session_records([path], "copilot"))
    assert [turn.in_subagent for turn in turns] == [True, True, False]


def _in_chain(uuid: str, parent: str | None, content: Any, **more: Any) -> dict[str, Any]:
    return {"parentUuid": parent, "uuid": uuid, "promptId": "p", **_claude(content), **more}


_EDIT = {"type": "tool_use", "id": "1", "name": "Write", "input": {"file_path": "a.py"}}
_EDITED = {"type": "tool_result", "tool_use_id": "1", "content": "done"}
_HOOKED = {"parentUuid": "b", "type": "attachment", "attachment": {"type": "hook"}, "uuid": "h"}
_AGENT = {"type": "assistant", "message": {"content": [{"type": "text", "text": "ok"}]}}
BRANCHES: dict[str, tuple[str, list[dict[str, Any]], list[str]]] = {
    "edited": (
        "claude",
        [
            _in_chain("a", None, "one"),
            _in_chain("b", "a", "", **_AGENT),
            _HOOKED,
            _in_chain("c", "h", "two"),
            _in_chain("d", "c", "", type="assistant", message={"content": [_EDIT]}),
            _in_chain("e", "d", [_EDITED]),
            _in_chain("f", "h", "three"),
            _in_chain("g", "f", "four"),
        ],
        ["one", "ok", "a.py", "three", "four"],
    ),
    "from the beginning": (
        "claude",
        [_in_chain("a", None, "one"), _in_chain("b", "a", "two"), _in_chain("c", None, "three")],
        ["three"],
    ),
    "twice": (
        "claude",
        [
            *(_in_chain("a", None, "one"), _in_chain("b", "a", "", **_AGENT)),
            *(_in_chain("c", "b", "two"), _in_chain("d", "b", "three")),
            *(_in_chain("e", "d", "", **_AGENT), _in_chain("f", "a", "four")),
        ],
        ["one", "four"],
    ),
    "calls beside each other": (
        "claude",
        [
            _in_chain("a", None, "one"),
            _in_chain("b", "a", "", **_AGENT),
            _in_chain("c", "a", "", **_AGENT),
            _in_chain("d", "b", "two"),
        ],
        ["one", "ok", "ok", "two"],
    ),
    "from nobody knows where": (
        "claude",
        [_in_chain("a", None, "one"), _in_chain("b", "elsewhere", "two")],
        ["one", "two"],
    ),
    "anew after a compaction, older": (
        "claude",
        [_in_chain("a", None, "one"), {**_claude("two"), "uuid": "b", "parentUuid": None}],
        ["one", "two"],
    ),
    "gemini": (
        "gemini",
        [
            *(_gemini("1", "one"), _gemini("2", "two"), {"$rewindTo": "2"}),
            *({"$set": {"messages": [_gemini("1", "one")]}}, _gemini("3", "three")),
        ],
        ["one", "three"],
    ),
    "gemini, to what went before": ("gemini", [_gemini("1", "one"), {"$rewindTo": "0"}], []),
    "gemini, in what it resumed": (
        "gemini",
        [
            {"$set": {"messages": [_gemini("1", "one"), _gemini("2", "two")]}},
            *(_gemini("3", "three"), {"$rewindTo": "2"}, _gemini("4", "four")),
        ],
        ["one", "four"],
    ),
}


@pytest.mark.parametrize(("client", "told", "left"), BRANCHES.values(), ids=list(BRANCHES))
def test_what_was_taken_back_is_not_said_and_what_was_done_is_done(
    client: str, told: list[dict[str, Any]], left: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "t.jsonl"
    lines = (json.dumps(line, separators=(",", ":")) for line in told)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    turns = turns_of(session_records([path], client))
    assert [turn.call.files[0].path if turn.call else turn.text for turn in turns] == left
    assert [turn.taken_back for turn in turns] == [turn.call is not None for turn in turns]
    assert [turn.call.success for turn in turns if turn.call] == [True] * left.count("a.py")


def _rollout(path: Path, *told: dict[str, Any], **base: Any) -> int:
    """Codex's file of a session or of a branch of it; how long it is."""
    meta = {"id": "s-1", "timestamp": AT} | ({"history_base": base} if base else {})
    lines = [{"type": "session_meta", "timestamp": AT, "payload": meta}, *told]
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write("".join(json.dumps(line) + "\n" for line in lines))
    return path.stat().st_size


def test_codex_goes_on_from_a_place_in_another_file(tmp_path: Path) -> None:
    days = tmp_path / "sessions" / "2026" / "11"
    first = days / "16" / "rollout-2026-11-16T06-00-00-s-1.jsonl"
    second = days / "17" / "rollout-2026-11-17T06-00-00-s-1_b1.jsonl"
    end = _rollout(first, _codex("one"))
    given = {"type": "function_call", "name": "write", "arguments": "{}", "call_id": "1"}
    with first.open("a", encoding="utf-8") as file:
        file.write(json.dumps(_codex("two")) + "\n")
        file.write(json.dumps({"type": "response_item", "payload": given}) + "\n")
    _rollout(second, _codex("three"), thread_id="s-1", end_byte_offset=end)
    other = days / "18" / "rollout-2026-11-18T06-00-00-s-12.jsonl"
    _rollout(other, _codex("nobody's"))
    other.write_text(other.read_text().replace("s-1", "s-12", 1))
    every = list(written_records(tmp_path, "codex", "s-1", first))
    assert [turn.text for turn in turns_of(every)] == ["one", "", "three"]
    assert [turn.taken_back for turn in turns_of(every)] == [False, True, False]
    assert every == list(session_records([first, second], "codex"))
    assert every == list(session_records([second], "codex"))


def test_what_a_fork_of_codex_goes_on_from_was_said_in_another_session(tmp_path: Path) -> None:
    day = tmp_path / "sessions" / "2026" / "11" / "16"
    first, fork = (day / f"rollout-2026-11-16T06-00-00-{id_}.jsonl" for id_ in ("s-1", "s-2"))
    end = _rollout(first, _codex("one"))
    _rollout(fork, _codex("two"), thread_id="s-1", end_byte_offset=end)
    fork.write_text(fork.read_text().replace("s-1", "s-2", 1))
    every = written_records(tmp_path, "codex", "s-2", fork)
    assert [turn.text for turn in turns_of(every)] == ["two"]


@pytest.mark.parametrize("role", [None, "system", "tool", 7])
def test_a_message_that_does_not_say_whose_it_is_is_nobodys(tmp_path: Path, role: object) -> None:
    message = {"role": role, "content": [{"type": "text", "text": TYPED}]}
    told = json.dumps({"messages": [message, message | {"role": "user"}]}, indent=2)
    path = tmp_path / "t.messages.json"
    path.write_text(told)
    assert [turn.text for turn in turns_of(session_records([path], "cline"))] == [TYPED]

    stored = tmp_path / "opencode.db"
    with sqlite3.connect(stored) as held:
        held.execute("create table message (id, session_id, time_created, data)")
        held.execute("create table part (id, message_id, session_id, time_created, data)")
        for id_, whose in (("1", role), ("2", "user")):
            said = json.dumps({"role": whose})
            held.execute("insert into message values (?, 's', ?, ?)", (id_, id_, said))
            text = json.dumps({"type": "text", "text": f"{TYPED} {id_}"})
            held.execute("insert into part values (?, ?, 's', 1, ?)", (id_, id_, text))
    held.close()
    past = CLIENTS["opencode"].past
    assert past is not None
    assert past.records is not None
    assert [turn.text for turn in turns_of(past.records(stored, "s"))] == [f"{TYPED} 2"]


def test_what_a_failing_command_printed_is_read_of_copilot(tmp_path: Path) -> None:
    start = {"toolCallId": "1", "toolName": "bash", "arguments": {"command": "make"}}
    words = "no rule\n<shellId: 0 completed with exit code 3>"
    end = {"toolCallId": "1", "success": True, "shellExecution": {"exitCode": 3}}
    lines = [
        {"type": "tool.execution_start", "data": start},
        {"type": "tool.execution_complete", "data": {**end, "result": {"content": words}}},
    ]
    path = tmp_path / "t.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)) + "\n")
    (turn,) = turns_of(session_records([path], "copilot"))
    assert turn.call is not None
    assert (turn.call.success, turn.call.error, turn.call.result) == (
        False, "exit code 3", "no rule",
    )  # fmt: skip


def test_what_codex_patches_in_a_shell_is_a_change_of_a_file(tmp_path: Path) -> None:
    patch = "*** Begin Patch\n*** Update File: a.py\n@@\n-1\n+2\n*** End Patch"
    given = json.dumps({"cmd": f"apply_patch <<'EOF'\n{patch}\nEOF"})
    call = {"type": "function_call", "name": "exec_command", "arguments": given, "call_id": "1"}
    came = {"type": "function_call_output", "call_id": "1"}
    told = json.dumps({"output": "Success.", "metadata": {"exit_code": 0}})
    path = tmp_path / "t.jsonl"
    lines = [call, {**came, "output": told}]
    items = [{"type": "response_item", "payload": one} for one in lines]
    path.write_text("\n".join(map(json.dumps, items)) + "\n")
    (turn,) = turns_of(session_records([path], "codex"))
    assert turn.call is not None
    assert [(use.path, use.operation.value) for use in turn.call.files] == [("a.py", "edit")]
    assert (turn.call.success, turn.call.result) == (True, "Success.")


def test_a_long_session_is_kept_in_bounds(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    with path.open("w") as file:
        file.write(json.dumps(_claude("x" * 300_000)) + "\n")
        file.write('{"type":"user","text":"' + "y" * (9 << 20) + '"}\n')
        file.write("\0\0\0\n" + "[" * 100_000 + "\n")
        file.write(json.dumps(_claude(TYPED)) + "\n")
    turns = turns_of(session_records([path], "claude"))
    assert [len(turn.text) < 210_000 for turn in turns] == [True, True]
    assert turns[-1].text == TYPED


def test_an_agents_long_result_keeps_its_beginning_and_its_end(tmp_path: Path) -> None:
    use = {"type": "tool_use", "id": "1", "name": "Bash", "input": {"command": "make"}}
    agent = {"type": "assistant", "message": {"content": [use]}}
    output = "begins" + "." * 100_000 + "2 failed"
    result = {"type": "tool_result", "tool_use_id": "1", "is_error": True, "content": output}
    path = tmp_path / "t.jsonl"
    path.write_text("\n".join(map(json.dumps, [agent, _claude([result])])) + "\n")
    records = list(session_records([path], "claude"))
    assert [one.role for one in records] == [Role.CALL, Role.RESULT]
    (turn,) = turns_of(records)
    assert turn.call is not None
    assert turn.call.result.startswith("begins")
    assert turn.call.result.endswith("2 failed")
    assert len(turn.call.result) < 21_000

"""What transcripts tell, in one form for every client, without what hooks have put in."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from intake_tools import NOW
from transcript_tools import (
    ASKED,
    COMMAND,
    DONE,
    HOOKED,
    OUTPUT,
    TRANSCRIPTS,
    WHY,
    written,
)

from loremap.clients.surroundings import surrounded
from loremap.clients.transcript import Wanted, call_of, records, tail
from loremap.clients.transcripts.lines import lines
from loremap.clients.transcripts.record import Role
from loremap.model.hook import HookEvent, Moment, ToolCall

every_client = pytest.mark.parametrize("client", sorted(TRANSCRIPTS))


@every_client
def test_who_said_what(tmp_path: Path, client: str) -> None:
    path = written(tmp_path / "t.jsonl", client)
    found = [record for record in records(path, client) if record.role is not Role.USAGE]
    said = [
        (record.role, record.text) for record in found if record.role in (Role.USER, Role.AGENT)
    ]
    assert list(dict.fromkeys(said)) == [
        (Role.USER, ASKED),
        (Role.AGENT, WHY),
        (Role.AGENT, DONE),
    ]
    assert HOOKED not in repr(found)
    assert found[-1].at == datetime(2026, 11, 16, 2, 25, 7, tzinfo=UTC)


@every_client
def test_one_call_with_what_came_of_it(tmp_path: Path, client: str) -> None:
    path = written(tmp_path / "t.jsonl", client)
    call = call_of(path, client, "call-1", near=path.stat().st_size)
    assert call is not None
    assert (call.command, call.success) == (COMMAND, False)
    assert OUTPUT in call.result
    assert call.error
    assert call_of(path, client, "call-2") is None
    assert call_of(tmp_path / "gone", client, "call-1") is None


def test_codex_tells_how_long_a_command_took(tmp_path: Path) -> None:
    call = call_of(written(tmp_path / "t", "codex"), "codex", "call-1")
    assert call is not None
    assert (call.error, call.duration_ms) == ("exit code 2", 1_500)


def test_claudes_summary_is_nobodys_statement(tmp_path: Path) -> None:
    found = list(records(written(tmp_path / "t", "claude"), "claude"))
    assert [record.role for record in found].count(Role.SUMMARY) == 1


@every_client
def test_a_record_is_found_again_by_its_place(tmp_path: Path, client: str) -> None:
    path = written(tmp_path / "t.jsonl", client)
    found = list(records(path, client))
    for record in found:
        first = next(iter(records(path, client, start=record.offset)))
        assert first.offset == record.offset


@every_client
@pytest.mark.parametrize("cut", [1, 40, 3_000])
def test_a_transcript_that_is_still_being_written(tmp_path: Path, client: str, cut: int) -> None:
    path = written(tmp_path / "t.jsonl", client)
    path.write_bytes(path.read_bytes()[:-cut] + b'{"type": "user", "mess')
    assert all(record.text != HOOKED for record in records(path, client))


def test_lines_begin_where_they_are_said_to(tmp_path: Path) -> None:
    path = tmp_path / "t"
    path.write_bytes(b"one\n\ntwo\nthree")
    assert list(lines(path)) == [(0, b"one\n"), (5, b"two\n"), (9, b"three")]
    assert list(lines(path, start=5)) == [(5, b"two\n"), (9, b"three")]
    assert list(lines(path, start=6)) == [(9, b"three")]
    assert list(lines(path, end=9)) == [(0, b"one\n"), (5, b"two\n")]


@every_client
def test_the_tail_holds_the_last_words_of_the_turn(tmp_path: Path, client: str) -> None:
    path = written(tmp_path / "t.jsonl", client)
    assert tail(path, client, Wanted.SAID).said == DONE


def test_the_tail_of_a_long_transcript_is_read_and_no_more(tmp_path: Path) -> None:
    path = written(tmp_path / "t.jsonl", "claude")
    whole = path.read_bytes()
    path.write_bytes(whole.replace(DONE.encode(), b"early") + b'{"type": "x"}\n' * 200_000)
    assert tail(path, "claude", Wanted.SAID).said == ""
    path.write_bytes(b'{"type": "x"}\n' * 200_000 + whole)
    assert tail(path, "claude", Wanted.SAID).said == DONE


def event_at(path: Path, client: str, moment: Moment, tool: ToolCall | None = None) -> HookEvent:
    return HookEvent(
        client=client,
        name="",
        moment=moment,
        session_id="s",
        at=NOW,
        transcript=path,
        tool=tool,
    )


@pytest.mark.parametrize(("client", "most"), [("claude", 8), ("codex", 6), ("copilot", 5)])
def test_the_agents_words_before_a_call_are_its_reason(
    tmp_path: Path, client: str, most: int
) -> None:
    path = written(tmp_path / "t", client, most=most)
    tool = ToolCall(name="Bash", use_id="call-1")
    found = surrounded(event_at(path, client, Moment.AFTER_TOOL, tool)).tool
    assert found is not None
    assert found.why == WHY
    told = surrounded(
        event_at(path, client, Moment.AFTER_TOOL, ToolCall(name="Bash", why="as it says"))
    ).tool
    assert told is not None
    assert told.why == "as it says"


def test_the_rollout_tells_codexs_exit_code(tmp_path: Path) -> None:
    path = written(tmp_path / "t", "codex", most=6)
    tool = ToolCall(name="Bash", use_id="call-1", result="")
    found = surrounded(event_at(path, "codex", Moment.AFTER_TOOL, tool)).tool
    assert found is not None
    assert (found.success, found.error, found.duration_ms) == (False, "exit code 2", 1_500)


@pytest.mark.parametrize(
    ("client", "left"),
    [("claude", 198_980), ("codex", 3_980), ("gemini", 198_980), ("copilot", None)],
)
def test_how_much_of_the_context_is_left(tmp_path: Path, client: str, left: int | None) -> None:
    event = event_at(written(tmp_path / "t", client), client, Moment.PROMPT)
    assert surrounded(event).remaining_tokens == left


def test_a_stop_without_words_takes_those_of_the_transcript(tmp_path: Path) -> None:
    event = event_at(written(tmp_path / "t", "copilot"), "copilot", Moment.STOP)
    assert surrounded(event).said == DONE

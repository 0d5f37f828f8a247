"""Turns from records and from the log: calls with what came of them, nobody's words left out."""

from __future__ import annotations

from datetime import UTC, datetime

from loremap.clients.transcripts.record import Record, Role
from loremap.memory.brief.ours import TEXT_CLOSE, TEXT_OPEN
from loremap.model.event import Event
from loremap.model.hook import Moment, ToolCall
from loremap.model.turn import Speaker
from loremap.sessions.turns import turns_of, turns_of_events

AT = datetime(2026, 5, 4, tzinfo=UTC)


def said(role: Role, text: str) -> Record:
    return Record(role=role, at=AT, text=text)


def called(use_id: str, command: str) -> Record:
    return Record(role=Role.CALL, tool=ToolCall(name="Bash", use_id=use_id, command=command))


def came(use_id: str, result: str, *, success: bool) -> Record:
    told = ToolCall(name="", use_id=use_id, result=result, success=success)
    return Record(role=Role.RESULT, tool=told)


def test_a_call_is_joined_with_its_result_and_keeps_its_place() -> None:
    turns = turns_of(
        [
            said(Role.USER, "run it"),
            called("a", "make"),
            called("b", "make test"),
            came("b", "2 failed", success=False),
            came("a", "built", success=True),
            came("c", "of no call", success=True),
            said(Role.AGENT, "One failed."),
        ]
    )
    assert [turn.speaker for turn in turns] == [
        Speaker.PERSON, Speaker.TOOL, Speaker.TOOL, Speaker.AGENT,
    ]  # fmt: skip
    assert [turn.number for turn in turns] == [0, 1, 2, 3]
    calls = [turn.call for turn in turns if turn.call is not None]
    assert [(one.command, one.result, one.success) for one in calls] == [
        ("make", "built", True),
        ("make test", "2 failed", False),
    ]


def test_what_we_put_in_and_what_a_client_sums_up_is_left_out() -> None:
    ours = f"{TEXT_OPEN}]\nNever push on Fridays.\n{TEXT_CLOSE}"
    turns = turns_of(
        [
            said(Role.USER, f"{ours}\nadd a carrier"),
            said(Role.USER, ours),
            said(Role.SUMMARY, "The user wants a carrier."),
        ]
    )
    assert [turn.text for turn in turns] == ["add a carrier"]


def test_the_log_tells_what_was_typed_and_done() -> None:
    def event(moment: Moment, **more: object) -> Event:
        return Event(id="e", at=AT, client="cursor", moment=moment, session_id="s", **more)  # type: ignore[arg-type]

    turns = turns_of_events(
        [
            event(Moment.PROMPT, text="run it"),
            event(Moment.AFTER_TOOL, tool="run", parameters='{"command": "make"}', success=True),
            event(Moment.STOP, text="done"),
            event(Moment.PROMPT, text="a task of a subagent", subagent_id="1"),
            event(Moment.PROMPT, text="/remember Deploys need two reviewers."),
        ]
    )
    assert [turn.speaker for turn in turns] == [Speaker.PERSON, Speaker.TOOL]
    assert turns[1].call is not None
    assert turns[1].call.command == "make"

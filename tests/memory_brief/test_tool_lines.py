"""One to three lines before a tool, each with the lesson in it."""

from __future__ import annotations

from injection_tools import memory

from loremap.memory.brief.said import Fired, line_of, tool_lines
from loremap.model.anchor import Checked, Freshness
from loremap.model.clock import short_id
from loremap.model.kind import Kind
from loremap.model.memory import Status
from loremap.model.recall import Alert


def alert(
    text: str, freshness: Freshness | None = None, status: Status = Status.CONFIRMED
) -> Alert:
    check = None if freshness is None else Checked(freshness)
    said = memory(text, kind=Kind.WARNING, status=status)
    return Alert(said, "command", "push", "push --force", check)


def test_a_line_carries_the_lesson() -> None:
    one = alert("Never force-push\nto main; it lost a week.")
    piece = line_of(one)
    assert piece.text == (
        f"- #{short_id(one.memory.id)} 2026-01-01 WARNING: "
        "Never force-push\n  to main; it lost a week."
    )
    assert piece.why == "its trigger fires on the command"
    assert piece.memory_id == one.memory.id


def test_at_most_three_and_none_twice() -> None:
    alerts = [alert(f"Rule {number}") for number in range(6)]
    told = {alerts[0].memory.id, alerts[2].memory.id}
    assert [line.memory_id for line in tool_lines(Fired(tuple(alerts)), told)] == [
        alerts[index].memory.id for index in (1, 3, 4)
    ]
    assert tool_lines(Fired(()), set()) == []


def test_it_says_when_its_code_has_changed_and_when_nobody_confirmed_it() -> None:
    assert line_of(alert("x", Freshness.DRIFTED)).text.endswith(" WARNING [drifted]: x")
    unsure = alert("x", status=Status.CANDIDATE)
    assert line_of(unsure).text.endswith(" WARNING [unverified]: x")

"""What of a session a small model is shown, and in which order it is left out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from loremap.model.hook import FileUse, Operation, ToolCall
from loremap.model.turn import Speaker, Turn
from loremap.sessions.compressed import CHARACTERS_PER_TOKEN, MOST_TOKENS, compressed


def typed(number: int, text: str, *, in_subagent: bool = False) -> Turn:
    return Turn(number=number, speaker=Speaker.PERSON, text=text, in_subagent=in_subagent)


def said(number: int, text: str) -> Turn:
    return Turn(number=number, speaker=Speaker.AGENT, text=text)


def ran(number: int, command: str, *, output: str = "", ok: bool = False) -> Turn:
    call = ToolCall(name="Bash", command=command, result=output, success=ok)
    return Turn(number=number, speaker=Speaker.TOOL, call=call)


def edited(number: int, path: str) -> Turn:
    use = FileUse(path=path, operation=Operation.EDIT)
    return Turn(
        number=number, speaker=Speaker.TOOL, call=ToolCall(name="Edit", files=(use,), success=True)
    )


SESSION = [
    typed(0, "Add a total.\nIt is in cents."),
    said(1, "I look at the prices."),
    ran(2, "make check", output="error 1\nprices.py: no total"),
    ran(3, "ls", output="prices.py", ok=True),
    edited(4, "/home/me/code/shop/src/prices.py"),
    said(5, "Done: totals are integer cents now."),
    typed(6, "thanks\n```\nsecret log\n```"),
    typed(7, "a subagent's own task", in_subagent=True),
    replace(edited(8, "/home/me/code/shop/src/labels.py"), in_subagent=True),
    replace(said(9, "A subagent's report."), in_subagent=True),
]


def test_typed_text_failures_edits_and_conclusions_in_order() -> None:
    assert compressed(SESSION).splitlines() == [
        "[0 person] Add a total. It is in cents.",
        "[2 tool] `make check` failed: prices.py: no total",
        "[4 tool] changed shop/src/prices.py",
        "[5 agent] Done: totals are integer cents now.",
        "[6 person] thanks",
        "[8 tool] changed shop/src/labels.py",
    ]


@pytest.mark.parametrize("most_tokens", [20, 100, 300, MOST_TOKENS])
def test_it_never_takes_more_than_was_given(most_tokens: int) -> None:
    long = [
        turn
        for number in range(0, 400, 4)
        for turn in (
            typed(number, f"word{number} " * 200),
            ran(number + 1, f"make part{number} " * 30, output="x" * 400),
            edited(number + 2, f"src/part{number}.py"),
            said(number + 3, f"conclusion {number} " * 100),
        )
    ]
    assert len(compressed(long, most_tokens=most_tokens)) <= most_tokens * CHARACTERS_PER_TOKEN


def test_where_room_is_short_what_was_typed_stays() -> None:
    short = compressed(SESSION, most_tokens=25)
    assert "It is in cents." in short
    assert "make check" not in short


def test_long_prompts_are_cut_before_short_ones() -> None:
    turns = [typed(0, "never use floats here"), typed(1, "paste " * 3_000)]
    assert "never use floats here" in compressed(turns, most_tokens=200)


def test_nothing_said_is_nothing_shown() -> None:
    assert compressed([]) == ""
    assert compressed([typed(0, "```\nonly a log\n```")]) == ""

"""What a session comes to: only what was typed and done."""

from __future__ import annotations

import pytest

from loremap.model.finding import Finding
from loremap.model.hook import FileUse, Operation, ToolCall
from loremap.model.kind import Kind
from loremap.model.turn import Speaker, Turn
from loremap.sessions.summary import LINE_CHARACTERS, summary_of


def typed(text: str) -> Turn:
    return Turn(number=0, speaker=Speaker.PERSON, text=text)


def ran(command: str, *, success: bool | None) -> Turn:
    call = ToolCall(name="Bash", command=command, success=success)
    return Turn(number=1, speaker=Speaker.TOOL, call=call)


def edited(path: str, *, success: bool = True) -> Turn:
    use = FileUse(path=path, operation=Operation.EDIT)
    call = ToolCall(name="Edit", files=(use,), success=success)
    return Turn(number=1, speaker=Speaker.TOOL, call=call)


@pytest.mark.parametrize(
    ("turns", "lines"),
    [
        ([], []),
        ([typed("why is it slow?")], ["Asked: “why is it slow?”", "Done: nothing was changed."]),
        (
            [typed("add a total"), edited("a.py"), ran("make test", success=True)],
            ["Asked: “add a total”", "Done: changed a.py; last to succeed: “make test”"],
        ),
        (
            [typed("x"), edited("a.py"), ran("make test", success=False)],
            ["Asked: “x”", "Done: changed a.py", "Open: failed when last run: “make test”"],
        ),
        (  # what failed first and succeeded later is not open
            [typed("x"), ran("make", success=False), ran("make", success=True)],
            ["Asked: “x”", "Done: last to succeed: “make”"],
        ),
        ([typed("x"), edited("a.py", success=False)], ["Asked: “x”", "Done: nothing was changed."]),
        (
            [typed("x"), *(edited(f"{letter}.py") for letter in "abcdef")],
            ["Asked: “x”", "Done: changed f.py, e.py, d.py, c.py and 2 more"],
        ),
    ],
)
def test_the_lines(turns: list[Turn], lines: list[str]) -> None:
    assert summary_of(turns).splitlines() == lines


def test_what_was_left_open_is_said_in_its_own_words_and_no_line_is_long() -> None:
    left = Finding(
        kind=Kind.WORK_STATE,
        content="The review step is still missing. " * 20,
        quote="",
        said_by=Speaker.PERSON,
        first=3,
        last=3,
    )
    lines = summary_of([typed("word " * 400)], [left]).splitlines()
    assert lines[2].startswith("Open: The review step is still missing.")
    assert all(len(line) <= LINE_CHARACTERS + len("Asked: “”") for line in lines)

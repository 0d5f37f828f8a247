"""Whether what a session would have been told was right."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from loremap.agent.replay.judged import judged, repeated
from loremap.agent.replay.rehearsal import Told
from loremap.clients.payloads.tools import called
from loremap.memory.brief.render import Piece
from loremap.model.finding import Finding
from loremap.model.kind import Kind
from loremap.model.memory import Memory, Origin, Scope, Status
from loremap.model.session import Tier
from loremap.model.turn import Speaker, Turn
from loremap.sessions.replay.steps import steps_of

AT = datetime(2026, 5, 4, tzinfo=UTC)
SAID = "Prices are kept in cents; run `make prices` after a change"
MEMORY = Memory(
    id="0123456789abcdef",
    kind=Kind.FACT,
    content=SAID,
    summary=SAID,
    status=Status.CONFIRMED,
    scope=Scope.PROJECT,
    project_id="p",
    created_at=AT,
    updated_at=AT,
    last_accessed_at=AT,
    origin=Origin.USER_STATED,
    fingerprint="f",
    files=("store/prices.py",),
)
BRIEF = Told(
    turn=0,
    tier=Tier.TASK,
    text=f"- store/cart.py: defines Cart\n- {SAID}",
    pieces=(Piece(text=SAID, memory_id=MEMORY.id),),
)
WARNED = replace(BRIEF, turn=1, tier=Tier.TOOL)


def typed(text: str = "the total is wrong", number: int = 0) -> Turn:
    return Turn(number=number, speaker=Speaker.PERSON, text=text)


def said(text: str, number: int = 1) -> Turn:
    return Turn(number=number, speaker=Speaker.AGENT, text=text)


def tool(name: str, *, number: int = 1, success: bool = True, **given: str) -> Turn:
    call = replace(called(name, given), success=success)
    return Turn(number=number, speaker=Speaker.TOOL, call=call)


@pytest.mark.parametrize(
    ("told", "turns", "files", "used", "ran_into"),
    [
        (BRIEF, [typed(), tool("Read", file_path="store/cart.py")], True, False, False),
        (BRIEF, [typed(), tool("Read", file_path="store/other.py")], False, False, False),
        # The person had named the file: the brief is not what was right.
        (
            BRIEF,
            [typed("look at store/cart.py"), tool("Read", file_path="store/cart.py")],
            False, False, False,
        ),
        (BRIEF, [typed(), said("Prices are kept in cents, so I run make")], False, True, False),
        # The agent says what the person said.
        (
            BRIEF,
            [typed("prices are kept in cents, are they?"), said("Prices are kept in cents")],
            False, False, False,
        ),
        (BRIEF, [typed(), tool("Bash", command="make prices")], False, True, False),
        (BRIEF, [typed(), tool("Bash", command="make all")], False, False, False),
        (
            BRIEF,
            [typed(), tool("Edit", file_path="store/prices.py", new_string="1")],
            False, True, False,
        ),
        # A session that began to work before it was told.
        (
            replace(BRIEF, turn=2),
            [typed(), tool("Bash", command="make prices"), typed("and now?", 2)],
            False, False, False,
        ),
        (WARNED, [typed(), tool("Bash", command="make prices", success=False)], False, False, True),
        (WARNED, [typed(), tool("Bash", command="make prices")], False, False, False),
    ],
)  # fmt: skip
def test_what_a_session_came_to_of_what_it_was_told(
    told: Told, turns: list[Turn], files: bool, used: bool, ran_into: bool
) -> None:
    found = judged(told, turns, steps_of(turns, str), {MEMORY.id: MEMORY})
    assert (bool(found.files), bool(found.memories), found.ran_into) == (files, used, ran_into)
    assert found.is_right == (files or used or ran_into)


@pytest.mark.parametrize(
    ("content", "again", "was_told"),
    [
        ("Prices are kept in cents, and run `make prices` after a change.", True, True),
        ("Prices are kept in euros by the shop of the north, not elsewhere at all.", False, False),
        ("Prices change.", False, False),
    ],
)
def test_what_is_taught_again_was_known(content: str, again: bool, was_told: bool) -> None:
    finding = Finding(
        kind=Kind.CORRECTION,
        content=content,
        quote=content,
        said_by=Speaker.PERSON,
        first=3,
        last=3,
    )
    found = repeated([finding], [], [MEMORY], [BRIEF])
    assert bool(found) is again
    assert [one.was_told for one in found] == ([was_told] if again else [])
    late = repeated([finding], [], [MEMORY], [replace(BRIEF, turn=4)])
    assert not any(one.was_told for one in late)


FAILS = "`make prices` failed with “no rule for cents”. Fixed by a change of Makefile"


@pytest.mark.parametrize(
    ("content", "kind", "turn", "again"),
    [
        (FAILS, Kind.ERROR_PATTERN, ("make prices", "no rule for cents", False), True),
        (FAILS, Kind.ERROR_PATTERN, ("make prices", "disk full", False), False),
        (FAILS, Kind.ERROR_PATTERN, ("make prices", "no rule for cents", True), False),
        (FAILS, Kind.ERROR_PATTERN, ("make all", "no rule for cents", False), False),
        (FAILS, Kind.FACT, ("make prices", "no rule for cents", False), False),
        ("`make prices` needs the vault", Kind.GOTCHA, ("cd a && make prices", "", False), True),
        ("`make` needs the vault", Kind.GOTCHA, ("make prices", "", False), False),
        ("`make prices` failed", Kind.ERROR_PATTERN, ("make prices", "", False), False),
    ],
)
def test_a_command_that_fails_as_was_known_was_run_in_vain(
    content: str, kind: Kind, turn: tuple[str, str, bool], again: bool
) -> None:
    command, result, success = turn
    ran = tool("Bash", command=command, success=success)
    assert ran.call is not None
    turns = [typed(), replace(ran, call=replace(ran.call, result=result))]
    known = replace(MEMORY, content=content, kind=kind)
    found = repeated([], turns, [known], [BRIEF])
    assert [one.first for one in found] == ([1] if again else [])
    assert all(one.was_told for one in found)

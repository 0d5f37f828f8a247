"""Recorded runs of SWE-agent, read as sessions."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from bench.sessions.replay import Briefed, Row, drawn, figures
from bench.sessions.trajectories import Task, call_of, turns_of

from loremap.model.hook import Operation
from loremap.model.turn import Speaker
from loremap.sessions.replay.spared import Count

STATE = json.dumps({"open_file": "/me__shop/src/a.py", "working_dir": "/me__shop/src"})


@pytest.mark.parametrize(
    ("action", "path", "operation"),
    [
        ("open b.py 12", "src/b.py", Operation.READ),
        ("open /me__shop/c.py", "c.py", Operation.READ),
        ("goto 30", "src/a.py", Operation.READ),
        ("scroll_down", "src/a.py", Operation.READ),
        ('search_dir "two words"', ".", Operation.SEARCH),
        ('search_dir "two words" auth', "src/auth", Operation.SEARCH),
        ("find_file b.py", ".", Operation.SEARCH),
        ('search_file "def x"', "src/a.py", Operation.SEARCH),
        ('search_file "def x" b.py', "src/b.py", Operation.SEARCH),
        ("edit 1:2\nx = 1\nend_of_edit", "src/a.py", Operation.EDIT),
        ("create try.py", "src/try.py", Operation.WRITE),
        ("cat b.py", "src/b.py", Operation.READ),
    ],
)
def test_a_command_is_the_call_of_a_tool(action: str, path: str, operation: Operation) -> None:
    call = call_of({"action": action, "observation": "", "state": STATE})
    assert call is not None
    assert [(use.path, use.operation) for use in call.files] == [(path, operation)]


@pytest.mark.parametrize(
    ("observation", "success"),
    [
        ("[File: /me__shop/src/a.py (3 lines total)]", True),
        ("Your proposed edit has introduced new syntax error(s).", False),
        ("Traceback (most recent call last):\n  File ...", False),
        ("12:Traceback (most recent call last):", True),
    ],
)
def test_a_call_has_failed_by_what_came_back(observation: str, success: bool) -> None:
    call = call_of({"action": "python a.py", "observation": observation, "state": STATE})
    assert call is not None
    assert call.success is success


def task(name: str) -> Task:
    at = datetime(2020, 1, 1, tzinfo=UTC)
    return Task(name=name, repository="me/shop", commit="c", at=at, text="It fails", gold=("a.py",))


def test_a_run_is_the_issue_then_thoughts_and_calls() -> None:
    run = {
        "trajectory": [
            {"thought": "Look", "action": "ls\n", "observation": "a.py", "state": STATE},
            {"thought": "", "action": "submit", "observation": "", "state": STATE},
        ]
    }
    turns = list(turns_of(run, task("one")))
    assert [turn.speaker for turn in turns] == [Speaker.PERSON, Speaker.AGENT, Speaker.TOOL]
    assert turns[0].text == "It fails"
    assert [turn.number for turn in turns] == [0, 1, 2]


@pytest.mark.parametrize(
    ("count", "most", "names"),
    [(3, 6, "012"), (6, 3, "135"), (5, 2, "14"), (1, 6, "0")],
)
def test_tasks_are_drawn_evenly_with_the_last(count: int, most: int, names: str) -> None:
    assert drawn([task(str(at)) for at in range(count)], most) == set(names)


def test_the_brief_counts_against_what_it_spares() -> None:
    brief = Briefed(
        tokens=300,
        gold_named=True,
        memories=1,
        spared=Count(calls=1, tokens=100),
        generously=Count(calls=2, tokens=150),
    )
    found = Count(calls=4, tokens=1000)
    row = Row(
        task="one",
        repository="me/shop",
        earlier=0,
        typed=False,
        found=found,
        searches=Count(calls=2, tokens=200),
        ceiling=Count(),
        ceiling_generously=Count(),
        with_memory=brief,
        without_memory=brief,
    )
    made = figures([row])
    assert made["searches spared, %"] == 50
    assert made["calls spared, %"] == 25
    assert made["tokens spared, %"] == 10
    assert made["tokens spared less the brief, %"] == -20

"""What an agent may not write, and what it may: a table of cases."""

from __future__ import annotations

from pathlib import Path

import pytest

import loremap
from loremap.memory.admission.worth import unworthy
from loremap.model.kind import Kind
from loremap.model.memory import Candidate, Origin, Scope
from loremap.model.outcome import Refused


def refusal(text: str, kind: Kind = Kind.FACT) -> str:
    return unworthy(Candidate(content=text, kind=kind, origin=Origin.OBSERVED)) or ""


@pytest.mark.parametrize(
    ("text", "because"),
    [
        ("I ran the tests and they pass", "reports what you did"),
        ("I've updated the README and pushed it", "reports what you did"),
        ("Fixed the failing test.", "reports what you did"),
        ("I have implemented the feature and all tests pass", "reports what you did"),
        ("I'm looking at the parser", "reports what you did"),
        ("def f(x):\n    return x + 1", "restates code"),
        ("```python\nimport os\nx = os.getcwd()\n```", "restates code"),
        ("see line 42 of x.py", "only points at a line"),
        ("src/a.py:42", "only points at a line"),
        ("lines 10-20 in src/foo.ts", "only points at a line"),
        ("currently on step 3", "for the moment only"),
        ("the build is running", "for the moment only"),
        ("Tests are passing now", "for the moment only"),
        ("Waiting for CI", "for the moment only"),
        ("Understood, will do", "an answer to the user"),
        ("Sure, I'll update the tests", "an answer to the user"),
        ("Thanks!", "an answer to the user"),
        ("TODO", "no statement"),
        ("redis cache", "no statement"),
    ],
)
def test_what_a_later_session_does_not_need_is_refused(text: str, because: str) -> None:
    assert because in refusal(text)


@pytest.mark.parametrize(
    "text",
    [
        "The worker restarts when its queue is empty",
        "I found that the worker restarts when its queue is empty",
        "Removed the cache because it returned stale prices",
        "Fixed the flaky login test: the clock must be frozen before the app is imported",
        "Tried Redis for sessions; it lost data on failover",
        "We decided to use pnpm",
        "Currently only Linux is supported",
        "The server is running on port 3000",
        "CI is running on ARM",
        "Deprecated functions are kept for two releases",
        "Added columns must be nullable",
        "Read the ADR before touching the scheduler",
        "Use tabs",
        "日志保存在本地",
        "Never call f() inside a loop:\nfor x in xs:\n    f(x)\n",
        "Line 42 of conftest.py patches the clock for every test",
    ],
)
def test_what_may_be_a_lesson_is_kept(text: str) -> None:
    assert refusal(text) == ""


def test_kinds_that_tell_what_was_done_may_tell_it() -> None:
    said = "I ran the tests and they pass"
    assert refusal(said, Kind.TASK_OUTCOME) == ""
    assert refusal("Currently on step 3", Kind.WORK_STATE) == ""
    assert refusal("Understood, will do", Kind.TASK_OUTCOME) != ""


def test_a_person_may_remember_anything(home: Path, tmp_path: Path) -> None:
    with loremap.open(tmp_path) as user, loremap.open(tmp_path, agent="coder") as agent:
        assert not isinstance(user.remember("TODO"), Refused)
        assert isinstance(agent.remember("FIXME"), Refused)


def test_only_a_user_says_what_holds_everywhere(home: Path, tmp_path: Path) -> None:
    said = "Commit messages are written in English"
    with loremap.open(tmp_path) as user, loremap.open(tmp_path, agent="coder") as agent:
        refused = agent.remember(said, scope=Scope.GLOBAL)
        assert isinstance(refused, Refused)
        assert "lore remember --global" in refused.reason
        assert not isinstance(user.remember(said, scope=Scope.GLOBAL), Refused)

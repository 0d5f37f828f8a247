"""The rule by which saved tokens are counted, row by row."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from metrics_tools import minute

from loremap.agent.metrics.discovery import (
    DEFAULT_COST_TOKENS,
    Cost,
    CostSource,
    Named,
    Step,
    cost_from,
    cost_of,
    discovery_tokens,
    files_found,
    names_file,
)

FILE = "src/auth/tokens.py"


def opened(at: float, *paths: str, edited: bool = False, tokens: int = 0) -> Step:
    return Step(at=minute(at), opened=paths, edited=edited, tokens=tokens)


def searched(at: float, result: str = "", *, whole: bool = True, tokens: int = 0) -> Step:
    return Step(at=minute(at), searched=True, told=result, whole=whole, tokens=tokens)


def asked(at: float, prompt: str) -> Step:
    return Step(at=minute(at), told=prompt)


NAMED = [Named(minute(1), frozenset({FILE}))]


@pytest.mark.parametrize(
    ("steps", "named", "found"),
    [
        ([opened(2, FILE)], NAMED, (FILE,)),  # named, then opened
        ([opened(2, FILE, edited=True)], NAMED, (FILE,)),  # editing opens too
        ([opened(2, FILE), opened(3, FILE)], NAMED, (FILE,)),  # counted once
        ([opened(2, FILE)], [], ()),  # nobody named it
        ([opened(0, FILE)], NAMED, ()),  # opened before it was named
        ([opened(0, FILE), opened(2, FILE)], NAMED, ()),  # and again afterwards
        ([searched(2, f"{FILE}:7"), opened(3, FILE)], NAMED, ()),  # a search found it as well
        ([searched(2, "tokens.py:7"), opened(3, FILE)], NAMED, ()),  # by its name alone
        ([searched(2, "src/store.py"), opened(3, FILE)], NAMED, (FILE,)),  # it found another
        ([searched(2, "a\n…\nb", whole=False), opened(3, FILE)], NAMED, ()),  # who knows what
        ([searched(2, whole=False), opened(3, FILE)], NAMED, ()),  # of which nothing was kept
        ([opened(2, FILE), searched(3, FILE)], NAMED, (FILE,)),  # a search afterwards
        ([asked(0, "mend tokens.py"), opened(2, FILE)], NAMED, ()),  # the person named it
        ([asked(0, "mend the login"), opened(2, FILE)], NAMED, (FILE,)),
        ([opened(2, "src/other.py")], NAMED, ()),  # another file was opened
        ([opened(2, FILE, "src/b.py")], [*NAMED, Named(minute(1), frozenset({"src/b.py"}))],
         (FILE, "src/b.py")),
        ([opened(1, FILE)], NAMED, (FILE,)),  # in the same moment
    ],
)  # fmt: skip
def test_files_found_because_memory_named_them(
    steps: Sequence[Step], named: Sequence[Named], found: tuple[str, ...]
) -> None:
    assert files_found(steps, named) == found


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("see tokens.py", True),
        ("src/auth/tokens.py:12: def f", True),
        ("./tokens.py", True),
        ("all of tokens.py.", True),
        ("my_tokens.py", False),
        ("tokens.pyi", False),
        ("tokens", False),
        ("", False),
    ],
)
def test_a_text_names_a_file_by_its_whole_name(text: str, named: bool) -> None:
    assert names_file(text, FILE) is named


SEARCHED_TWICE = [
    searched(1, tokens=300),
    opened(2, "a.py"),
    searched(3, tokens=100),
    opened(4, "b.py", "a.py"),
]


@pytest.mark.parametrize(
    ("sessions", "cost"),
    [
        ([SEARCHED_TWICE] * 5, 200.0),  # 400 tokens for two files
        ([SEARCHED_TWICE] * 4, None),  # too few sessions
        ([[searched(1, tokens=300)]] * 5, None),  # nothing was opened
        ([[opened(1, "a.py")]] * 5, None),  # nothing was searched
        ([[opened(1, "a.py"), *SEARCHED_TWICE]] * 5, 200.0),  # opened before searching: not found
        ([SEARCHED_TWICE] * 4 + [[searched(1, tokens=400)]], 250.0),  # searched in vain
    ],
)
def test_what_finding_a_file_costs(sessions: list[list[Step]], cost: float | None) -> None:
    assert cost_of(sessions) == cost


def test_the_best_evidence_for_the_cost_comes_first() -> None:
    dear = [[searched(1, tokens=900), opened(2, "a.py")]] * 5
    assert cost_from(dear, [SEARCHED_TWICE] * 5) == Cost(900.0, CostSource.HOLD_OUT)
    assert cost_from(dear[:4], [SEARCHED_TWICE] * 5) == Cost(200.0, CostSource.WITHOUT)
    assert cost_from([], []) == Cost(DEFAULT_COST_TOKENS, CostSource.DEFAULT)


@pytest.mark.parametrize(
    ("steps", "spent"),
    [
        ([], 0),
        ([searched(1, tokens=50), opened(2, "a.py", tokens=20)], 70),
        ([searched(1, tokens=50), opened(2, "a.py", edited=True, tokens=9),
          searched(3, tokens=40)], 50),  # what comes after the first edit is work
        ([Step(at=minute(1), tokens=500), searched(2, tokens=50)], 50),  # a test run finds no file
    ],
)  # fmt: skip
def test_what_finding_took_before_the_first_edit(steps: list[Step], spent: int) -> None:
    assert discovery_tokens(steps) == spent

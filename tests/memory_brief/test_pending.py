"""What came too late is asked again at the next prompt."""

from __future__ import annotations

from datetime import timedelta

import pytest
from injection_tools import AT, hit

from loremap.agent.prompting import question
from loremap.agent.state import KEPT_FOR, Pending
from loremap.memory.found import Found

LATE = Pending(prompt="how do tokens work?", at=AT, ids=())


@pytest.mark.parametrize(
    ("prompt", "pending", "has_content", "asked"),
    [
        ("fix the cart", LATE, True, "fix the cart"),
        ("go on", LATE, False, "how do tokens work?"),
        ("go on", None, False, "go on"),
    ],
)
def test_a_prompt_that_says_nothing_stands_for_the_one_that_waits(
    prompt: str, pending: Pending | None, has_content: bool, asked: str
) -> None:
    assert question(prompt, pending, has_content=has_content) == asked


def test_late_results_must_be_among_the_answers_to_the_new_prompt() -> None:
    hits = tuple(hit(f"memory {number}") for number in range(8))
    found, late = Found(hits=hits), (hits[6].memory.id, "gone")
    assert found.best(3).hits == hits[:3]
    assert found.best(3, late=late).hits == (*hits[:3], hits[6])
    assert Found().best(3, late=late).hits == ()
    assert Found(near=hits).best(3, late=late).hits == (hits[6],)


def test_what_was_told_is_not_told_again() -> None:
    hits = tuple(hit(f"memory {number}") for number in range(3))
    left = Found(hits=hits, about=hits[1:]).without({hits[1].memory.id})
    assert (left.hits, left.about, left.known) == ((hits[0], hits[2]), hits[2:], 1)


@pytest.mark.parametrize(
    ("after", "stale"), [(KEPT_FOR, False), (KEPT_FOR + timedelta(seconds=1), True)]
)
def test_nobody_waits_for_ever(after: timedelta, stale: bool) -> None:
    assert LATE.is_stale(AT + after) is stale

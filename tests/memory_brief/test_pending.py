"""What came too late is asked again at the next prompt."""

from __future__ import annotations

from datetime import timedelta

import pytest
from injection_tools import AT, hit

from loremap.agent.pending import KEPT_FOR, Pending, is_stale, question, regated

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
    hits = [hit(f"memory {number}") for number in range(8)]
    ids = [one.memory.id for one in hits]
    late = Pending(prompt="before", at=AT, ids=(ids[6], "gone"))
    assert regated(hits, None, most=3) == hits[:3]
    assert regated(hits, late, most=3) == [*hits[:3], hits[6]]
    assert regated([], late, most=3) == []


@pytest.mark.parametrize(
    ("after", "stale"), [(KEPT_FOR, False), (KEPT_FOR + timedelta(seconds=1), True)]
)
def test_nobody_waits_for_ever(after: timedelta, stale: bool) -> None:
    assert is_stale(LATE, AT + after) is stale

"""A brief keeps to its budget, and tells the modules before the memories."""

from __future__ import annotations

import pytest
from injection_tools import hit

from loremap.injection.brief import Dress, brief
from loremap.injection.ours import TEXT_CLOSE, TEXT_OPEN
from loremap.injection.render import FRAME
from loremap.model.module import Module
from loremap.model.tokens import tokens

AUTH = Module(
    name="auth",
    description="Logs people in.",
    core_files=tuple(f"src/auth/part{number}.py" for number in range(20)),
)
BILLING = Module(name="billing", core_files=("src/billing/a.py",))


def test_modules_first_then_memories_and_all_of_it_as_data() -> None:
    told = hit("Tokens live an hour", "src/auth/part1.py")
    made = brief([AUTH, BILLING], [told], hints={})
    head, first_and_second, last, end = made.text.split("\n\n")
    assert head == f"{TEXT_OPEN}]\n{FRAME}"
    first, second = first_and_second.split("\n## ")
    assert first.startswith("## Project Memory: Auth Module")
    assert second.startswith("Project Memory: Billing Module")
    assert last == f"[GOTCHA] src/auth/part1.py #{told.memory.id[:8]}\n! Tokens live an hour"
    assert end == TEXT_CLOSE
    assert made.modules == (AUTH, BILLING)
    assert made.hits == (told,)


@pytest.mark.parametrize("budget", [50, 80, 120, 200, 400, 1800])
def test_it_never_exceeds_its_budget(budget: int) -> None:
    hits = [hit(f"Rule {number}: " + "word " * 30) for number in range(40)]
    made = brief([AUTH, BILLING], hits, hints={}, dress=Dress(budget_tokens=budget))
    assert tokens(made.text) <= budget
    assert len(made.hits) + made.left_out == 40


def test_a_budget_is_used() -> None:
    hits = [hit(f"Rule {number}: " + "word " * 30) for number in range(40)]
    made = brief([AUTH], hits, hints={}, dress=Dress(budget_tokens=1_800))
    assert made.tokens > 1_500
    assert made.modules == (AUTH,)


def test_nothing_is_nothing() -> None:
    assert brief([], [], hints={}).text == ""

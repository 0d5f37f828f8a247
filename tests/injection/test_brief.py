"""A brief keeps to its budget, and tells the modules before the memories."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from loremap.injection.brief import FRAME, brief, memory_text
from loremap.model.anchor import Checked, Freshness
from loremap.model.kind import Kind
from loremap.model.memory import Memory, Origin, Scope, Status, Visibility
from loremap.model.module import Module
from loremap.model.recall import Hit
from loremap.model.tokens import tokens

AUTH = Module(
    name="auth",
    description="Logs people in.",
    core_files=tuple(f"src/auth/part{number}.py" for number in range(20)),
)
BILLING = Module(name="billing", core_files=("src/billing/a.py",))


def hit(text: str, *files: str, freshness: Freshness | None = None) -> Hit:
    at = datetime(2026, 1, 1, tzinfo=UTC)
    memory = Memory(
        id="0" * 32,
        project_id=None,
        content=text,
        summary=text,
        kind=Kind.GOTCHA,
        scope=Scope.PROJECT,
        visibility=Visibility.PRIVATE,
        status=Status.CONFIRMED,
        origin=Origin.USER_STATED,
        created_by="user",
        confidence=1.0,
        importance=0.5,
        trust=1.5,
        fingerprint="",
        created_at=at,
        updated_at=at,
        last_accessed_at=at,
        files=files,
    )
    return Hit(memory, 1.0, freshness=None if freshness is None else Checked(freshness))


def test_modules_first_then_memories_as_data() -> None:
    made = brief([AUTH, BILLING], [hit("Tokens live an hour", "src/auth/part1.py")], hints={})
    first, second, told = made.text.split("\n\n")
    assert first.startswith("## Project Memory: Auth Module")
    assert second.startswith("## Project Memory: Billing Module")
    assert told == f"{FRAME}\n[GOTCHA] src/auth/part1.py\n! Tokens live an hour"


@pytest.mark.parametrize("budget", [50, 80, 120, 200, 400, 1800])
def test_it_never_exceeds_its_budget(budget: int) -> None:
    hits = [hit(f"Rule {number}: " + "word " * 30) for number in range(40)]
    made = brief([AUTH, BILLING], hits, hints={}, budget_tokens=budget)
    assert tokens(made.text) <= budget
    assert len(made.hits) + made.left_out == 40


def test_nothing_is_nothing() -> None:
    assert brief([], [], hints={}).text == ""


@pytest.mark.parametrize(
    ("freshness", "head"),
    [
        (None, "[GOTCHA] a.py"),
        (Freshness.FRESH, "[GOTCHA] a.py"),
        (Freshness.DRIFTED, "[GOTCHA] a.py [drifted]"),
    ],
)
def test_a_memory_says_when_its_code_has_changed(freshness: Freshness | None, head: str) -> None:
    assert memory_text(hit("x", "a.py", freshness=freshness)) == f"{head}\n! x"

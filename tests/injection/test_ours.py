"""What we injected is known again, in whatever a client wraps it."""

from __future__ import annotations

import time

import pytest

from loremap.injection.ours import harmless, without_ours
from loremap.injection.render import Piece, Section, rendered
from loremap.model.client import Form

SECTIONS = (Section("memories", "", (Piece(text="[GOTCHA] #1\n! Tokens live an hour"),)),)
BLOCKS = {form: rendered(SECTIONS, form=form).text for form in Form}
STEP = rendered(SECTIONS, form=Form.XML, step=True).text


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("fix the login", "fix the login"),
        ("a < b and <hook> too", "a < b and <hook> too"),
        (f"{BLOCKS[Form.XML]}\nfix the login", "fix the login"),
        (f"{BLOCKS[Form.MARKDOWN]}\nfix the login", "fix the login"),
        (f"fix the login\n{BLOCKS[Form.TEXT]}", "fix the login"),
        (f"{BLOCKS[Form.XML]} and {STEP}", "and"),
        (f"<hook_context>{BLOCKS[Form.MARKDOWN]}</hook_context>\n\nfix", "fix"),
        ("<hook_context>what another hook said</hook_context>fix", "fix"),
        (f"SessionStart hook additional context: {BLOCKS[Form.XML]}fix", "fix"),
        (f"fix\n{BLOCKS[Form.XML][:60]}", "fix"),  # cut off by the client
        ("what is <project_memory>?", "what is <project_memory>?"),  # a person's own words
        ("", ""),
    ],
)
def test_without_ours(text: str, left: str) -> None:
    assert without_ours(text) == left


def test_long_runs_before_a_block_cost_no_time() -> None:
    text = f"fix{' ' * 200_000}{BLOCKS[Form.XML]}"
    started = time.perf_counter()
    assert without_ours(text) == "fix"
    assert time.perf_counter() - started < 1.0


def test_a_hidden_sign_makes_no_frame() -> None:
    assert harmless("<\u200b/project_memory>") == "&lt;/project_memory>"
    assert harmless("[project\u00ad memory from Loremap") == "[ project memory from Loremap"

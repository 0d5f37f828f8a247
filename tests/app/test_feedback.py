"""What use and its worth do to a memory."""

from __future__ import annotations

from pathlib import Path

import pytest

import loremap
from loremap.model.clock import short_id
from loremap.model.outcome import Stored


@pytest.mark.parametrize(
    ("before", "helpful", "after", "stronger"),
    [
        (0.80, True, 0.85, 1),
        (0.98, True, 1.00, 1),  # never above one
        (0.80, False, 0.70, 0),
        (0.05, False, 0.00, 0),  # never below none
    ],
)
def test_feedback_moves_confidence_and_strength(
    home: Path, tmp_path: Path, before: float, helpful: bool, after: float, stronger: int
) -> None:
    with loremap.open(tmp_path) as lore:
        outcome = lore.remember("The queue drops jobs older than a day", confidence=before)
        assert isinstance(outcome, Stored)
        was = outcome.memory
        now = lore.feedback(short_id(was.id), helpful=helpful)
        assert now.confidence == pytest.approx(after)
        assert now.strength == was.strength + stronger
        assert now.access_count == was.access_count + 1

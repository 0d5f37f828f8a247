"""What a vote does to a memory."""

from __future__ import annotations

import pytest
from injection_tools import memory

from loremap.memory.admission.votes import counted
from loremap.model.signal import Sign


@pytest.mark.parametrize(
    ("confidence", "sign", "before", "left", "helpful", "unhelpful"),
    [
        (0.80, Sign.HELPFUL, None, 0.85, 1, 0),
        (0.98, Sign.HELPFUL, None, 1.00, 1, 0),  # never above one
        (0.80, Sign.UNHELPFUL, None, 0.70, 0, 1),
        (0.80, Sign.WRONG, None, 0.70, 0, 1),
        (0.05, Sign.WRONG, None, 0.00, 0, 1),  # never below none
        (0.70, Sign.HELPFUL, Sign.WRONG, 0.85, 1, 0),  # the last word counts
        (0.85, Sign.WRONG, Sign.HELPFUL, 0.70, 0, 1),
        (0.85, None, Sign.HELPFUL, 0.80, 0, 0),
    ],
)
def test_a_vote_moves_confidence(
    confidence: float,
    sign: Sign | None,
    before: Sign | None,
    left: float,
    helpful: int,
    unhelpful: int,
) -> None:
    held = {Sign.HELPFUL: {"helpful": 1}, Sign.WRONG: {"unhelpful": 1}}
    one = memory("Deploys go out on Tuesdays", confidence=confidence, **held.get(before, {}))
    after = counted(one, sign, before=before)
    assert after.confidence == pytest.approx(left)
    assert (after.helpful, after.unhelpful) == (helpful, unhelpful)

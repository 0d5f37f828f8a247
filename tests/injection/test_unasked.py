"""What speaks up by itself must be surer than what answers."""

from __future__ import annotations

from dataclasses import replace

import pytest
from injection_tools import hit

from loremap.injection.unasked import is_sure, near_best


@pytest.mark.parametrize(
    ("belief", "with_vectors", "sure"),
    [
        (3.0, True, True),
        (2.9, True, False),
        (-1.0, True, False),
        (0.1, False, True),  # words are never that sure
        (None, True, True),  # no gate was asked
    ],
)
def test_is_sure(belief: float | None, with_vectors: bool, sure: bool) -> None:
    assert is_sure(belief, with_vectors=with_vectors) is sure


def test_only_what_fits_about_as_well_as_the_best() -> None:
    hits = [replace(hit(f"memory {score}"), score=score) for score in (0.9, 1.0, 0.5, 0.49, -0.2)]
    assert [one.score for one in near_best(hits)] == [0.9, 1.0, 0.5]
    assert near_best([]) == []

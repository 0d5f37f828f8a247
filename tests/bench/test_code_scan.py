"""The scan benchmark says which bars a run missed."""

from __future__ import annotations

from typing import Any

import pytest
from bench.code.scan import missed_bars

MET: dict[str, Any] = {
    "ratio": 3.0,
    "ratio_bar": 3.0,
    "change_ms": {"median": 20.0, "worst": 50.0},
    "change_bar_ms": 50.0,
    "question_ms": {"impact": 5.0, "impact_worst": 20.0},
    "question_bar_ms": 20,
    "million_lines": {"at_most_mb": 1000, "bar_mb": 1000},
}


@pytest.mark.parametrize(
    ("figures", "said"),
    [
        ({}, []),
        ({"ratio": 3.1}, ["scan 3.1 x parse, at most 3.0"]),
        ({"change_ms": {"worst": 51.0}}, ["change 51.0 ms, at most 50.0"]),
        ({"question_ms": {"impact_worst": 21.0}}, ["impact_worst 21.0 ms, at most 20"]),
        ({"question_ms": {"impact": 21.0}}, []),
        (
            {"million_lines": {"at_most_mb": 1001, "bar_mb": 1000}},
            ["a million lines 1001 MB, at most 1000"],
        ),
    ],
)
def test_missed_bars(figures: dict[str, Any], said: list[str]) -> None:
    assert list(missed_bars(MET | figures)) == said

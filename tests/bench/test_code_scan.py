"""The scan benchmark says which bars a run missed."""

from __future__ import annotations

import resource
from pathlib import Path
from typing import Any

import pytest
from bench.code.scan import missed_bars, scan_seconds

from loremap.code.scan.update import POOL_FROM_FILES

MET: dict[str, Any] = {
    "repo": "django",
    "clock_ratio": 2.5,
    "processor_ratio": 4.0,
    "change_ms": {"median": 20.0, "worst": 50.0},
    "change_bar_ms": 50.0,
    "question_ms": {"impact": 5.0, "impact_worst": 20.0},
    "question_bar_ms": 20,
}
BARS = {"clock_bar": 2.5, "processor_bar": 4.0}


@pytest.mark.parametrize(
    ("figures", "said"),
    [
        ({}, []),
        ({"clock_ratio": 2.6}, ["django: answers after 2.6 x parse, at most 2.5"]),
        ({"processor_ratio": 4.1}, ["django: 4.1 x parse in processor time, at most 4.0"]),
        ({"change_ms": {"worst": 51.0}}, ["django: change 51.0 ms, at most 50.0"]),
        ({"question_ms": {"impact_worst": 21.0}}, ["django: impact_worst 21.0 ms, at most 20"]),
        ({"question_ms": {"impact": 21.0}}, []),
    ],
)
def test_missed_bars(figures: dict[str, Any], said: list[str]) -> None:
    others = MET | {"repo": "tokio"}
    assert list(missed_bars({**BARS, "repos": [MET | figures, others]})) == said


def test_a_million_lines_have_a_bar_too() -> None:
    met = {**BARS, "repos": [MET], "million_lines": {"at_most_mb": 1000, "bar_mb": 1000}}
    assert list(missed_bars(met)) == []
    met["million_lines"] = {"at_most_mb": 1001, "bar_mb": 1000}
    assert list(missed_bars(met)) == ["a million lines 1001 MB, at most 1000"]


def test_a_scan_is_timed_until_it_answers_and_with_its_workers(tmp_path: Path) -> None:
    root = tmp_path / "checkout"
    root.mkdir()
    for number in range(POOL_FROM_FILES):
        (root / f"m{number}.py").write_text(f"def f{number}():\n    return f{number}()\n")
    asked = [("m7.py", "f7"), ("m8.py", "f8")]
    answered, whole, worked = scan_seconds(root, tmp_path / "graphs", asked)
    assert 0 < answered < whole
    own = resource.getrusage(resource.RUSAGE_SELF)
    assert worked > 0
    assert worked < own.ru_utime + own.ru_stime + _of_children()


def _of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert used.ru_utime > 0  # the workers have ended and are counted
    return used.ru_utime + used.ru_stime

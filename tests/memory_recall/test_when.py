"""Dates that a query names."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest

from loremap.memory.recall.signals import When, named_time, time_bonus
from loremap.model.clock import to_ms


@pytest.mark.parametrize(
    ("query", "when"),
    [
        ("what did we do on 7 May 2023?", When(5, 2023, 7)),
        ("what did we do on May 7, 2023?", When(5, 2023, 7)),
        ("the outage of the 3rd of December", When(12, None, 3)),
        ("deploys in October 2024", When(10, 2024)),
        ("deploys in October", When(10)),
        ("in Sept 2024", When(9, 2024)),
        ("may I push to main?", None),
        ("march the errors up the stack", None),
        ("use 30 seconds", None),
    ],
)
def test_a_named_time_is_read(query: str, when: When | None) -> None:
    assert named_time(query) == when


def test_what_is_of_that_time_gains() -> None:
    days = [(2023, 5, 7), (2023, 5, 8), (2022, 5, 7), (2023, 6, 7)]
    at = np.array([to_ms(datetime(*day, tzinfo=UTC)) for day in days])
    assert time_bonus(at, When(5, 2023, 7)) == pytest.approx([0.6, 0.3, 0.0, 0.0])
    assert time_bonus(at, When(5)) == pytest.approx([0.3, 0.3, 0.3, 0.0])

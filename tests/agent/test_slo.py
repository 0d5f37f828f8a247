"""The monitor: when retrieval is held short, and when it is let go again."""

from __future__ import annotations

import pytest

from loremap.agent.service_level import FULL, REDUCED, Health, Monitor, p95, reach_for, verdict

OK, SLOW, BETWEEN = [50.0] * 100, [50.0] * 90 + [400.0] * 10, [250.0] * 100


@pytest.mark.parametrize(
    ("times", "before", "health"),
    [
        ([], Health.UNKNOWN, Health.UNKNOWN),
        ([900.0] * 4, Health.UNKNOWN, Health.UNKNOWN),  # too few to say
        ([900.0] * 5, Health.UNKNOWN, Health.DEGRADED),
        (OK, Health.UNKNOWN, Health.HEALTHY),
        (SLOW, Health.HEALTHY, Health.DEGRADED),
        ([50.0] * 95 + [400.0] * 5, Health.HEALTHY, Health.HEALTHY),  # the 95th is quick
        ([300.0] * 100, Health.HEALTHY, Health.HEALTHY),  # not above
        (BETWEEN, Health.HEALTHY, Health.HEALTHY),
        (BETWEEN, Health.DEGRADED, Health.DEGRADED),  # not yet
        ([200.0] * 100, Health.DEGRADED, Health.DEGRADED),  # not below
        (OK, Health.DEGRADED, Health.HEALTHY),
    ],
)
def test_verdicts(times: list[float], before: Health, health: Health) -> None:
    assert verdict(times, before) is health


@pytest.mark.parametrize(
    ("times", "wanted"), [([], None), ([7.0], 7.0), (list(map(float, range(1, 101))), 95.0)]
)
def test_p95(times: list[float], wanted: float | None) -> None:
    assert p95(times) == wanted


def test_how_far_to_go() -> None:
    assert (FULL.top, FULL.candidates) == (15, 500)
    assert (REDUCED.top, REDUCED.candidates) == (5, 100)
    assert reach_for(Health.DEGRADED) == REDUCED
    assert reach_for(Health.HEALTHY) == reach_for(Health.UNKNOWN) == FULL


def test_it_degrades_and_recovers_over_the_last_hundred() -> None:
    monitor = Monitor()
    for _ in range(100):
        monitor.took(100.0)
    assert monitor.health is Health.HEALTHY
    for _ in range(6):
        monitor.took(500.0)
    assert monitor.health is Health.DEGRADED
    for _ in range(94):
        monitor.took(100.0)
    assert monitor.health is Health.DEGRADED  # six slow ones are still among the hundred
    monitor.took(100.0)
    assert monitor.health is Health.HEALTHY
    assert monitor.p95_ms == 100.0

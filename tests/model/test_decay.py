"""How memories fade."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from loremap.model.decay import (
    effective_confidence,
    effective_importance,
    expires_at,
    may_be_evicted,
    recency_boost,
    retained,
)
from loremap.model.kind import Kind
from loremap.model.memory import Memory, Origin, Scope, Status

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def memory(**changes: object) -> Memory:
    base = Memory(
        id="0" * 32,
        kind=Kind.GOTCHA,
        content="x",
        summary="x",
        status=Status.CONFIRMED,
        scope=Scope.PROJECT,
        project_id="p",
        created_at=NOW,
        updated_at=NOW,
        last_accessed_at=NOW,
        origin=Origin.USER_STATED,
        fingerprint="f",
        confidence=0.8,
    )
    return replace(base, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("kind", "idle_days", "inferred", "left"),
    [
        (Kind.DECISION, 9999, False, 1.0),  # never fades
        (Kind.GOTCHA, 60, False, 0.5),  # one half-life
        (Kind.GOTCHA, 120, False, 0.25),
        (Kind.GOTCHA, -1, False, 1.0),  # a clock set back must not raise confidence
        (Kind.DECISION, 7, True, 0.5),  # inferred fades at least weekly
        (Kind.CONTEXT, 7, True, 0.5),
    ],
)
def test_a_half_life_halves(kind: Kind, idle_days: int, inferred: bool, left: float) -> None:
    assert retained(kind, timedelta(days=idle_days), inferred=inferred) == pytest.approx(left)


@pytest.mark.parametrize(
    ("changes", "idle_days", "expected"),
    [
        ({}, 0, 0.8),
        ({}, 60, 0.4),
        ({"trust": 0.5}, 0, 0.4),
        ({"trust": 2.0}, 0, 1.0),  # never above certain
        ({"uses": 9}, 60, 0.8 * 0.5 * (1 + 0.1 * 2.302585)),
        ({"pinned": True}, 600, 0.8),
        ({"origin": Origin.INFERRED, "status": Status.CANDIDATE}, 7, 0.4),
    ],
)
def test_confidence_is_worth_less_with_time(
    changes: dict[str, object], idle_days: int, expected: float
) -> None:
    now = NOW + timedelta(days=idle_days)
    assert effective_confidence(memory(**changes), now) == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize(("hours", "boost"), [(0, 1.5), (24, 1.1839), (24 * 30, 1.0), (-5, 1.5)])
def test_recent_use_is_boosted(hours: int, boost: float) -> None:
    assert recency_boost(timedelta(hours=hours)) == pytest.approx(boost, abs=1e-4)


@pytest.mark.parametrize(
    ("changes", "days"),
    [
        ({"status": Status.CANDIDATE, "origin": Origin.OBSERVED}, 90),
        ({"status": Status.CANDIDATE, "origin": Origin.INFERRED}, 21),
        ({"status": Status.CANDIDATE, "origin": Origin.OBSERVED, "uses": 3}, None),
        ({"status": Status.CANDIDATE, "origin": Origin.OBSERVED, "pinned": True}, None),
        ({"status": Status.CONFIRMED, "origin": Origin.OBSERVED}, None),
        ({"status": Status.CANDIDATE, "origin": Origin.USER_STATED}, None),
        (
            {
                "status": Status.CANDIDATE,
                "origin": Origin.OBSERVED,
                "kind": Kind.HUMAN_FEEDBACK,
            },
            None,
        ),
    ],
)
def test_only_unused_machine_learned_candidates_end(
    changes: dict[str, object], days: int | None
) -> None:
    end = None if days is None else NOW + timedelta(days=days)
    assert expires_at(memory(**changes)) == end


@pytest.mark.parametrize(
    ("changes", "idle_days", "left"),
    [
        ({"uses": 10}, 0, 1.0),
        ({"uses": 10}, 7, 0.95),
        ({"uses": 10}, 14, 0.95**2),
        ({"uses": 10, "status": Status.CANDIDATE}, 7, 0.95 * 0.9),
        ({}, 0, 0.5),  # never used
        ({"uses": 4}, 0, 0.7),
        ({"uses": 400}, 0, 1.0),  # no use makes it more than it was
        ({"pinned": True}, 700, 1.0),
        ({"uses": 10}, -7, 1.0),  # a clock set back makes nothing more important
    ],
)
def test_importance_is_worth_less_by_the_week(
    changes: dict[str, object], idle_days: int, left: float
) -> None:
    one = memory(importance=0.6, **changes)
    worth = effective_importance(one, NOW + timedelta(days=idle_days))
    assert worth == pytest.approx(0.6 * left)


@pytest.mark.parametrize(
    ("changes", "idle_hours", "goes"),
    [
        ({}, 24, True),
        ({}, 23, False),  # used lately
        ({"status": Status.CONFIRMED, "promoted_at": NOW}, 24, True),  # believed by use alone
        ({"status": Status.CONFIRMED}, 2_400, False),  # a person confirmed it
        ({"pinned": True}, 2_400, False),
        ({"origin": Origin.USER_STATED}, 2_400, False),
        ({"origin": Origin.USER_EDIT}, 2_400, False),
        ({"status": Status.RETRACTED}, 2_400, False),  # it is gone already
        ({"status": Status.SUPERSEDED}, 2_400, False),
        ({"deleted_at": NOW}, 2_400, False),
    ],
)
def test_only_what_a_machine_learned_makes_room(
    changes: dict[str, object], idle_hours: int, goes: bool
) -> None:
    learned = {"origin": Origin.OBSERVED, "status": Status.CANDIDATE}
    one = memory(**(learned | changes))
    assert may_be_evicted(one, NOW + timedelta(hours=idle_hours)) is goes

"""How long a fact holds, when it is believed, and what takes its place."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from loremap.model.fact import (
    CANDIDATE_WEIGHT,
    Fact,
    FactSource,
    disagree,
    is_faded,
    is_proven,
    relevance,
    replaces,
    source_of,
    weight,
)
from loremap.model.memory import Origin, Status

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def fact(**changes: object) -> Fact:
    base = Fact(
        id="1",
        subject_id="s",
        predicate="owned_by",
        object_value="red",
        status=Status.CANDIDATE,
        source=FactSource.CONVERSATION,
        confidence=0.8,
        last_accessed_at=NOW,
        valid_from=NOW,
    )
    return replace(base, **changes)  # type: ignore[arg-type]


def idle(days: float) -> datetime:
    return NOW - timedelta(days=days)


@pytest.mark.parametrize(
    ("changes", "worth"),
    [
        ({}, 0.8),
        ({"source": FactSource.USER_EDIT}, 1.6),
        ({"source": FactSource.FILE}, 1.2),
        ({"source": FactSource.SYSTEM}, 0.96),
        ({"last_accessed_at": idle(7)}, 0.8),  # days of grace
        ({"last_accessed_at": idle(14)}, 0.8 * 0.95),  # a week after them
        ({"last_accessed_at": idle(17.5)}, 0.8 * 0.95**1.5),
        ({"last_accessed_at": idle(7 + 70)}, 0.8 * 0.95**10),
        ({"last_accessed_at": idle(-3)}, 0.8),  # a clock set back raises nothing
        ({"access_count": 9}, 0.8 * 1.5),
        ({"access_count": 99}, 0.8 * 2.0),
        ({"access_count": 1}, 0.8 * (1 + math.log10(2) * 0.5)),
    ],
)
def test_relevance(changes: dict[str, object], worth: float) -> None:
    assert relevance(fact(**changes), NOW) == pytest.approx(worth)


def test_a_candidate_weighs_less() -> None:
    confirmed = fact(status=Status.CONFIRMED)
    assert weight(fact(), NOW) == pytest.approx(CANDIDATE_WEIGHT * weight(confirmed, NOW))


@pytest.mark.parametrize(
    ("status", "uses", "proven"),
    [
        (Status.CANDIDATE, 2, False),
        (Status.CANDIDATE, 3, True),
        (Status.CONFIRMED, 9, False),  # is believed already
        (Status.RETRACTED, 9, False),
    ],
)
def test_three_uses_are_believed(status: Status, uses: int, proven: bool) -> None:
    assert is_proven(fact(status=status, access_count=uses)) is proven


@pytest.mark.parametrize(
    ("changes", "faded"),
    [
        ({}, False),
        ({"last_accessed_at": idle(7 + 7 * 27)}, False),  # 0.8 × 0.95²⁷ is 0.2003
        ({"last_accessed_at": idle(7 + 7 * 28)}, True),  # below 0.2
        ({"last_accessed_at": idle(7 + 7 * 28), "status": Status.CONFIRMED}, True),
        ({"last_accessed_at": idle(9999), "access_count": 4}, True),
        ({"last_accessed_at": idle(9999), "access_count": 5}, False),  # used often
        ({"last_accessed_at": idle(9999), "source": FactSource.USER_EDIT}, False),  # a person's
        ({"last_accessed_at": idle(9999), "status": Status.SUPERSEDED}, False),  # is history
    ],
)
def test_what_fades(changes: dict[str, object], faded: bool) -> None:
    assert is_faded(fact(**changes), NOW) is faded


NEW = fact(id="2", object_value="blue", confidence=0.95, valid_from=NOW + timedelta(seconds=1))


@pytest.mark.parametrize(
    ("new", "many", "takes_its_place"),
    [
        (NEW, False, True),
        (replace(NEW, confidence=0.9), False, False),  # must be more than 0.9
        (NEW, True, False),  # several may hold
        (replace(NEW, object_value=" RED "), False, False),  # says the same
        (replace(NEW, predicate="uses"), False, False),
        (replace(NEW, subject_id="other"), False, False),
        (replace(NEW, valid_from=NOW - timedelta(days=1)), False, False),  # is the older
    ],
)
def test_what_takes_the_place_of_an_older_one(new: Fact, many: bool, takes_its_place: bool) -> None:
    assert replaces(new, fact(), many=many) is takes_its_place


def test_what_is_not_sure_enough_stands_beside_and_disagrees() -> None:
    unsure = replace(NEW, confidence=0.6)
    assert disagree(unsure, fact(), many=False)
    assert not disagree(unsure, fact(), many=True)


@pytest.mark.parametrize(
    ("origin", "source"),
    [
        (Origin.USER_STATED, FactSource.USER_EDIT),
        (Origin.USER_EDIT, FactSource.USER_EDIT),
        (Origin.FILE, FactSource.FILE),
        (Origin.OBSERVED, FactSource.SYSTEM),
        (Origin.CONVERSATION, FactSource.CONVERSATION),
        (Origin.WEB, FactSource.CONVERSATION),
    ],
)
def test_the_source_of_a_fact(origin: Origin, source: FactSource) -> None:
    assert source_of(origin) is source

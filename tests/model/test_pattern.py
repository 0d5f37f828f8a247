"""How sure a pattern is, when it speaks and when it is kept."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from loremap.model.pattern import (
    MAX_PER_TYPE,
    Pattern,
    PatternType,
    Sighting,
    confidence,
    gathered,
    may_be_kept,
    speaks,
)

NOW = datetime(2026, 5, 4, tzinfo=UTC)


@pytest.mark.parametrize(
    ("seen", "sure"),
    [
        ([], 0.0),
        ([(1, 0)], 1 / 3),
        ([(3, 0)], 0.6),
        ([(30, 0)], 0.6),  # one session says no more for saying it often
        ([(1, 0), (1, 0), (1, 0)], 0.6),
        ([(3, 0), (3, 0), (3, 0)], 9 / 11),
        ([(1, 1)], 0.25),
        ([(2, 0), (0, 2)], 1 / 3),
        ([(3, 0), (0, 20)], 0.375),
        ([(0, 3)], 0.0),
    ],
)
def test_how_sure_a_pattern_is(seen: list[tuple[int, int]], sure: float) -> None:
    assert confidence(seen) == pytest.approx(sure)


def pattern(type_: str, observed: int, sessions: int, sure: float) -> Pattern:
    return Pattern(
        id="p", type=PatternType(type_), key="k", data={}, confidence=sure, observed=observed,
        against=0, sessions=sessions, first_seen=NOW, last_seen=NOW,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("type_", "observed", "sessions", "sure", "said", "kept"),
    [
        ("co-edit", 3, 2, 0.6, True, False),
        ("co-edit", 2, 2, 0.6, False, False),  # at least three times
        ("co-edit", 9, 1, 0.6, False, False),  # of one session it may be that session's work
        ("co-edit", 9, 5, 0.5, False, False),
        ("co-edit", 4, 3, 0.6, True, True),
        ("error-fix", 1, 1, 1 / 3, True, False),
        ("error-fix", 1, 1, 0.25, False, False),  # something else mended it, too
        ("error-fix", 2, 2, 0.5, True, True),
        ("refactor", 3, 2, 0.6, True, True),
        ("refactor", 2, 2, 0.5, True, False),
        ("refactor", 2, 1, 0.5, False, False),
        ("repeated-search", 3, 3, 0.6, True, True),
        ("repeated-search", 3, 2, 0.6, True, False),
        ("repeated-search", 3, 2, 0.5, False, False),  # it was found elsewhere, too
        ("backtrack", 1, 1, 1 / 3, True, False),
        ("backtrack", 1, 1, 0.25, False, False),  # once it stayed
        ("failed-edit", 4, 2, 0.5, True, False),
        ("failed-edit", 4, 2, 0.4, False, False),  # most of them apply
        ("read-and-abandon", 9, 9, 0.9, False, False),
    ],
)
def test_when_a_pattern_counts(
    type_: str, observed: int, sessions: int, sure: float, said: bool, kept: bool
) -> None:
    one = pattern(type_, observed, sessions, sure)
    assert (speaks(one), may_be_kept(one)) == (said, kept)


def seen(number: int = 0, **more: object) -> Sighting:
    one = Sighting(type=PatternType.BACKTRACK, about=(f"f{number}",), data={"n": number})
    return replace(one, **more)


def test_sightings_of_one_pattern_are_one() -> None:
    early, late = NOW, NOW + timedelta(hours=1)
    (one,) = gathered(
        [
            seen(first=late, last=late, data={"at": "late"}),
            seen(supports=0, against=1, first=early, last=early, data={}),
        ]
    )
    assert (one.supports, one.against, one.first, one.last) == (1, 1, early, late)
    assert one.data == {"at": "late"}  # what speaks against it tells nothing of it


def test_a_session_leaves_no_more_than_it_may_and_the_most_seen_of_it() -> None:
    many = [seen(number, supports=1 + (number == 77)) for number in range(MAX_PER_TYPE + 50)]
    kept = gathered(many)
    assert len(kept) == MAX_PER_TYPE
    assert kept[0].data == {"n": 77}

"""The budget: the seed's rows, and parts that never exceed the total."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loremap.memory.brief.budget import (
    PRIORITY,
    WINDOW_TOKENS,
    Allocation,
    allocation,
    ceiling_for,
    remaining_beside,
    remaining_for,
)


@pytest.mark.parametrize(
    ("remaining", "total", "parts"),
    [
        (200_000, 5_000, (400, 2_300, 1_500, 600)),
        (100_000, 5_000, (400, 2_300, 1_500, 600)),
        (50_000, 4_000, (320, 1_840, 1_196, 600)),
        (20_000, 1_600, (200, 700, 500, 200)),
        (8_000, 640, (200, 440, 0, 0)),  # the seed's row is 1,200 of 640: the last give way
        (0, 0, (0, 0, 0, 0)),
        (-5, 0, (0, 0, 0, 0)),
    ],
)
def test_the_rows_of_the_seed(remaining: int, total: int, parts: tuple[int, ...]) -> None:
    got = allocation(remaining)
    assert got.total == total
    assert (got.always_on, got.bridge, got.retrieval, got.summary) == parts


@pytest.mark.parametrize(
    ("remaining", "ceiling", "retrieval"),
    [
        (8_000, 5_000, 440),  # what the empty bridge leaves, up to the total
        (20_000, 5_000, 1_400),
        (100_000, 5_000, 1_500),  # more than that it has no use for
        (100_000, 2_000, 1_500),
    ],
)
def test_what_an_empty_tier_leaves_goes_to_retrieval(
    remaining: int, ceiling: int, retrieval: int
) -> None:
    got = allocation(remaining, ceiling, uses={"bridge": 0, "summary": 0})
    assert (got.bridge, got.retrieval, got.summary) == (0, retrieval, 0)


def test_what_a_tier_has_to_say_is_all_it_takes() -> None:
    got = allocation(100_000, 2_000, uses={"bridge": 60, "summary": 150})
    assert (got.bridge, got.retrieval, got.summary) == (60, 1_500, 150)
    full = allocation(100_000, 2_000)
    assert (full.bridge, full.retrieval, full.summary) == (890, 616, 267)


def parts_of(got: Allocation) -> list[int]:
    return [getattr(got, tier) for tier in PRIORITY]


@given(
    st.integers(0, 2_000_000),
    st.integers(0, 20_000),
    st.dictionaries(st.sampled_from(PRIORITY), st.integers(0, 3_000)),
)
def test_no_total_is_exceeded(remaining: int, ceiling: int, uses: dict[str, int]) -> None:
    got = allocation(remaining, ceiling, uses=uses)
    assert all(getattr(got, tier) <= most for tier, most in uses.items())
    assert got.total <= min(ceiling, remaining * 0.08)
    assert sum(parts_of(got)) <= got.total
    assert min(parts_of(got)) >= 0


@given(st.integers(0, 150_000))
def test_more_room_never_gives_less_in_all(remaining: int) -> None:
    fewer, more = allocation(remaining), allocation(remaining + 1_000)
    assert sum(parts_of(fewer)) <= sum(parts_of(more))


@pytest.mark.parametrize(
    ("size", "left"),
    [(0, WINDOW_TOKENS), (800_000, 100_000), (50_000_000, 20_000)],
)
def test_what_is_left_of_the_context_by_the_size_of_the_transcript(size: int, left: int) -> None:
    assert remaining_for(size) == left


@pytest.mark.parametrize(
    ("full", "left"), [(0, 200_000), (150_000, 50_000), (200_000, 20_000), (700_000, 20_000)]
)
def test_what_is_left_beside_a_context_that_is_so_full(full: int, left: int) -> None:
    assert remaining_beside(full) == left


def test_the_client_takes_only_so_much_at_once() -> None:
    assert ceiling_for(5_000, 8_000) == 2_000
    assert ceiling_for(500, 8_000) == 500

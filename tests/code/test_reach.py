"""What a change reaches and how symbols are joined, over small graphs."""

from __future__ import annotations

import pytest

from loremap.code.reach import Reach

CHAIN = [(1, 2), (2, 3), (3, 4)]
LOOP = [(1, 2), (2, 3), (3, 1), (4, 1)]


@pytest.mark.parametrize(
    ("edges", "start", "depth", "found"),
    [
        (CHAIN, [4], 9, {4: 0, 3: 1, 2: 2, 1: 3}),
        (CHAIN, [4], 1, {4: 0, 3: 1}),
        (CHAIN, [1], 9, {1: 0}),
        (CHAIN, [2, 4], 9, {2: 0, 4: 0, 1: 1, 3: 1}),
        (CHAIN, [99], 9, {}),
        (LOOP, [3], 9, {3: 0, 2: 1, 1: 2, 4: 3}),
        ([], [1], 9, {}),
    ],
)
def test_upstream(
    edges: list[tuple[int, int]], start: list[int], depth: int, found: dict[int, int]
) -> None:
    ids, steps = Reach(edges).upstream(start, depth=depth)
    assert dict(zip(ids.tolist(), steps.tolist(), strict=True)) == found


@pytest.mark.parametrize(
    ("edges", "start", "end", "way"),
    [
        (CHAIN, [1], [4], [1, 2, 3, 4]),
        (CHAIN, [4], [1], []),
        (CHAIN, [1, 3], [4], [3, 4]),
        (LOOP, [4], [3], [4, 1, 2, 3]),
        (CHAIN, [2], [2], [2]),
        (CHAIN, [1], [99], []),
    ],
)
def test_path(
    edges: list[tuple[int, int]], start: list[int], end: list[int], way: list[int]
) -> None:
    assert Reach(edges).path(start, end) == way

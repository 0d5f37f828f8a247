"""Where two texts differ word by word."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

Words = tuple[str, ...]
Gap = tuple[int, int, int, int]
_MAX_CELLS = 2_500
"""Past this the middle counts as one difference: the alignment is quadratic."""


@dataclass(frozen=True, slots=True)
class Span:
    """One place where two texts differ: the words of each, and where the old ones stand."""

    old: Words
    new: Words
    at: int
    end: int


def shared_start(old: Words, new: Words) -> int:
    """How many words the two begin with in common."""
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    return start


def spans(old: Words, new: Words, *, is_empty: Callable[[Sequence[str]], bool]) -> list[Span]:
    """Where the two differ, with places that only empty words part taken as one."""
    start = shared_start(old, new)
    rest = min(len(old), len(new)) - start
    end = min(shared_start(old[::-1], new[::-1]), rest)
    left, right = old[start : len(old) - end], new[start : len(new) - end]
    if len(left) * len(right) > _MAX_CELLS:
        return [Span(left, right, start, start + len(left))]
    joined: list[Gap] = []
    for gap in _gaps(left, right):
        if joined and is_empty(left[joined[-1][1] : gap[0]]):
            joined[-1] = (joined[-1][0], gap[1], joined[-1][2], gap[3])
        else:
            joined.append(gap)
    return [Span(left[a:b], right[c:d], a + start, b + start) for a, b, c, d in joined]


def _gaps(left: Words, right: Words) -> list[Gap]:
    """The gaps of a longest common subsequence as (old from, old to, new from, new to)."""
    rows = _common(left, right)
    gaps: list[Gap] = []
    i, j = to_i, to_j = len(left), len(right)
    while i and j:
        if left[i - 1] == right[j - 1]:
            if (i, j) != (to_i, to_j):
                gaps.append((i, to_i, j, to_j))
            i, j = to_i, to_j = i - 1, j - 1
        elif rows[i - 1][j] >= rows[i][j - 1]:
            i -= 1
        else:
            j -= 1
    if to_i or to_j:
        gaps.append((0, to_i, 0, to_j))
    return gaps[::-1]


def _common(left: Words, right: Words) -> list[list[int]]:
    """The length of the longest common subsequence of every two beginnings."""
    rows = [[0] * (len(right) + 1)]
    for word in left:
        above, row = rows[-1], [0]
        for at, other in enumerate(right):
            row.append(above[at] + 1 if word == other else max(above[at + 1], row[at]))
        rows.append(row)
    return rows

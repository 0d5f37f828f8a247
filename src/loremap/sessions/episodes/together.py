"""Which files change together: within five minutes of each other, for one task. Pure."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from loremap.model.clock import from_ms
from loremap.model.episode import Edit, Together

WITHIN_MS = 300_000
MIN_TIMES = 3
MAX_AT_ONCE = 20
"""More files than this in five minutes are a sweep, which joins none of them."""


def together(edits: Iterable[Edit], *, min_times: int = MIN_TIMES) -> list[Together]:
    """The pairs of files that changed together at least so often, the most often first. `edits`
    are in the order of their times."""
    groups: dict[str, list[Edit]] = defaultdict(list)
    for edit in edits:
        groups[edit.group].append(edit)
    times, held = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    last: dict[tuple[str, str], int] = {}
    for group in groups.values():
        for pair, (count, at_ms) in _pairs(group).items():
            times[pair] += count
            held[pair] += 1
            last[pair] = max(at_ms, last.get(pair, 0))
    found = [
        Together(*pair, times=count, tasks=held[pair], last_at=from_ms(last[pair]))
        for pair, count in times.items()
        if count >= min_times
    ]
    return sorted(found, key=lambda one: (-one.times, -one.tasks, one.first, one.second))


def _pairs(edits: Sequence[Edit]) -> dict[tuple[str, str], tuple[int, int]]:
    """How often two files were changed near each other in a task, and when last: of three changes
    of the one and two of the other, at most twice."""
    near: dict[str, dict[str, int]] = defaultdict(dict)
    last: dict[str, int] = {}
    times = [edit.at_ms for edit in edits]
    for _, path, at_ms in edits:
        begin = bisect_left(times, at_ms - WITHIN_MS)
        end = bisect_right(times, at_ms + WITHIN_MS)
        others = {other for _, other, _ in edits[begin:end]}
        others.discard(path)
        counts = near[path]
        for other in others if len(others) < MAX_AT_ONCE else ():
            counts[other] = counts.get(other, 0) + 1
        last[path] = at_ms
    return {
        (one, other): (min(count, near[other].get(one, 0)), max(last[one], last[other]))
        for one, counts in near.items()
        for other, count in counts.items()
        if one < other and near[other].get(one, 0)
    }

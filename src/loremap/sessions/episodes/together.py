"""Which files change together: within five minutes of each other, for one task. Pure."""

from __future__ import annotations

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
    near, last = Counter[tuple[str, str]](), dict[tuple[str, str], int]()
    begin = end = 0
    for edit in edits:
        while edits[begin].at_ms < edit.at_ms - WITHIN_MS:
            begin += 1
        while end < len(edits) and edits[end].at_ms <= edit.at_ms + WITHIN_MS:
            end += 1
        others = {other.path for other in edits[begin:end]} - {edit.path}
        for path in others if len(others) < MAX_AT_ONCE else ():
            near[edit.path, path] += 1
            last[edit.path, path] = edit.at_ms
    return {
        (one, other): (min(count, near[other, one]), max(last[one, other], last[other, one]))
        for (one, other), count in near.items()
        if one < other and near[other, one]
    }

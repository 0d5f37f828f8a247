"""Files that are changed together: within five minutes, for one task."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from itertools import combinations

from loremap.model.pattern import Pattern, PatternType, Sighting
from loremap.sessions.patterns.edits import Edit, Task, edits

WITHIN_SECONDS = 300
_WITHIN = timedelta(seconds=WITHIN_SECONDS)
MAX_AT_ONCE = 8
"""More files than these within five minutes are swept over by one change, not changed together."""


def co_edits(tasks: Sequence[Task], known: Sequence[Pattern] = ()) -> Iterator[Sighting]:
    """The pairs of files that were changed together, as often as they were; and of the pairs that
    are known, when one was changed for a task and the other was not."""
    pairs = [tuple(one.data["files"]) for one in known if one.type is PatternType.CO_EDIT]
    for task in tasks:
        done = list(edits(task))
        yield from _together(_without_sweeps(done))
        changed = {one.path: one for one in done}
        for first, second in pairs:
            if (first in changed) != (second in changed):
                at = changed[first if first in changed else second].at
                yield _sighting(first, second, ("edit", "edit"), (), at, supports=0, against=1)


def _without_sweeps(done: Sequence[Edit]) -> list[tuple[Edit, datetime]]:
    timed = [(one, one.at) for one in done if one.at is not None]
    swept = set[int]()
    start = 0
    for end, (_, at) in enumerate(timed):
        while at - timed[start][1] > _WITHIN:
            start += 1
        window = range(start, end + 1)
        if len({timed[place][0].path for place in window}) > MAX_AT_ONCE:
            swept.update(window)
    return [pair for place, pair in enumerate(timed) if place not in swept]


def _together(timed: Sequence[tuple[Edit, datetime]]) -> Iterator[Sighting]:
    times: dict[str, list[datetime]] = defaultdict(list)
    operations: dict[str, str] = {}
    for edit, at in timed:
        times[edit.path].append(at)
        operations[edit.path] = edit.operation.value
    for first, second in combinations(sorted(times), 2):
        met = _met(sorted(times[first]), sorted(times[second]))
        if met:
            did = (operations[first], operations[second])
            yield _sighting(first, second, did, met, None, supports=len(met))


def _met(ones: Sequence[datetime], others: Sequence[datetime]) -> list[datetime]:
    """When both were changed within five minutes, each change counted once."""
    met, left, right = [], 0, 0
    while left < len(ones) and right < len(others):
        if abs(ones[left] - others[right]) <= _WITHIN:
            met.append(max(ones[left], others[right]))
            left, right = left + 1, right + 1
        elif ones[left] < others[right]:
            left += 1
        else:
            right += 1
    return met


def _sighting(
    first: str,
    second: str,
    operations: tuple[str, str],
    met: Sequence[datetime],
    at: datetime | None,
    *,
    supports: int,
    against: int = 0,
) -> Sighting:
    return Sighting(
        type=PatternType.CO_EDIT,
        about=(first, second),
        data={
            "files": [first, second],
            "operations": list(operations),
            "within_seconds": WITHIN_SECONDS,
        },
        files=(first, second),
        supports=supports,
        against=against,
        first=min(met, default=at),
        last=max(met, default=at),
    )

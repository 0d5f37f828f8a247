"""Files that are changed together: within five minutes, for one task."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from loremap.model.clock import to_ms
from loremap.model.episode import Edit as Changed
from loremap.model.pattern import Pattern, PatternType, Sighting
from loremap.sessions.episodes.together import WITHIN_MS, together
from loremap.sessions.patterns.edits import Edit, Task, edits


def co_edits(tasks: Sequence[Task], known: Sequence[Pattern] = ()) -> Iterator[Sighting]:
    """The pairs of files that were changed together, as often as they were; and of the pairs that
    are known, when one was changed for a task and the other was not."""
    pairs = [tuple(one.data["files"]) for one in known if one.type is PatternType.CO_EDIT]
    for task in tasks:
        done = list(edits(task))
        changed = {one.path: one for one in done}
        for one in together(_timed(done), min_times=1):
            did = [changed[path].operation.value for path in (one.first, one.second)]
            yield _sighting(one.first, one.second, did, one.last_at, supports=one.times)
        for first, second in pairs:
            if (first in changed) != (second in changed):
                at = changed[first if first in changed else second].at
                yield _sighting(first, second, ["edit", "edit"], at, supports=0, against=1)


def _timed(done: Sequence[Edit]) -> list[Changed]:
    """The edits of one task whose time is known, by time."""
    timed = [(one, one.at) for one in done if one.at is not None]
    changed = [Changed(group="", path=one.path, at_ms=to_ms(at)) for one, at in timed]
    return sorted(changed, key=lambda one: one.at_ms)


def _sighting(
    first: str,
    second: str,
    operations: list[str],
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
            "operations": operations,
            "within_seconds": WITHIN_MS // 1000,
        },
        files=(first, second),
        supports=supports,
        against=against,
        first=at,
        last=at,
    )

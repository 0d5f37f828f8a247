"""What candidates of another branch may say here: unmerged work waits, or says whose it is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from loremap.memory.recall.context import Context, Scored
from loremap.memory.recall.freshness import MAX_CHECKED
from loremap.model.branches import Seen, Standing, Telling, Written, standing, telling
from loremap.model.memory import Memory
from loremap.model.recall import Hit

STEP = "branches"


def withhold_unmerged(context: Context, found: list[Scored]) -> list[Scored]:
    """Step: candidates of unmerged work marked with its branch, and out where they depend on it.

    After `weigh_anchors`, which says whether the code they speak of is here.
    """
    if context.branches is None:
        return found
    best = sorted(found, key=lambda each: -each.score)[:MAX_CHECKED]
    new = [each for each in best if not each.placed]
    waiting = [each for each, away in zip(new, _elsewhere(context, new), strict=True) if away]
    if not waiting:
        return found
    loaded = context.load(waiting)
    seen = context.branches([_written(each.memory) for each in loaded if each.memory])
    gone: set[int] = set()
    for each in loaded:
        each.placed = True
        if each.memory is None:
            continue
        how = _told(Hit(each.memory, 0.0, freshness=each.freshness), seen, context.query.now)
        if how is not Telling.PLAINLY:
            each.unmerged = each.memory.branch
        if how is Telling.NOT and not context.query.user_search:
            gone.add(each.slot)
            context.withheld.add(each.slot)
            context.drop(each, STEP, f"from {each.memory.branch}, which is not merged here")
    return [each for each in found if each.slot not in gone]


def placed(hits: Iterable[Hit], seen: Seen, now: datetime) -> list[tuple[Hit, Telling]]:
    """How each of `hits` is told at a checkout."""
    return [(hit, _told(hit, seen, now)) for hit in hits]


def written_elsewhere(found: Sequence[Memory], branch: str | None) -> list[Written]:
    """Where the memories of other branches were written."""
    return [_written(memory) for memory in found if memory.branch not in (None, branch)]


def _told(hit: Hit, seen: Seen, now: datetime) -> Telling:
    memory = hit.memory
    age = max(now - memory.created_at, timedelta())
    stands = standing(_written(memory), seen, age=age)
    if stands is not Standing.UNMERGED:
        return Telling.PLAINLY
    anchored = hit.freshness.freshness if hit.freshness else None
    return telling(memory.kind, memory.scope, stands, anchored=anchored, pinned=memory.pinned)


def _written(memory: Memory) -> Written:
    return Written(memory.branch, memory.commit_id)


def _elsewhere(context: Context, found: Sequence[Scored]) -> NDArray[np.bool_]:
    """Which candidates were written on another branch of this project."""
    warm, slots = context.warm, np.asarray([each.slot for each in found], np.int64)
    here = warm["project_id"][slots] == warm.code("project_id", context.query.project_id)
    known = (warm.code("branch", None), warm.code("branch", context.query.branch))
    away: NDArray[np.bool_] = here & ~np.isin(warm["branch"][slots], known)
    return away

"""What became of the code that candidates speak of: the drifted weigh less, the orphaned wait;
and what was written on a branch that is not merged.

A memory anchored to code is shown wherever its anchor is found in the checkout, and never where
that code does not exist. So what is orphaned is withheld from recall, brief and check on this
checkout, and shown again where its code is; a person's own search shows it, marked.
`model.anchor.withheld` says which kinds go everywhere all the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from loremap.memory.recall.context import Context, Scored
from loremap.memory.recall.signals import weight_applied
from loremap.model.anchor import Anchor, Checked, Freshness, together, withheld
from loremap.model.kind import Kind
from loremap.storage import anchors

if TYPE_CHECKING:
    from loremap.code.view import CodeView
from collections.abc import Iterable
from datetime import datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from loremap.model.branches import Seen, Standing, Telling, Written, standing, telling
from loremap.model.memory import Memory
from loremap.model.recall import Hit

MAX_CHECKED = 100
"""Candidates that are looked up at once, the best first; what is answered is always checked."""
WEIGHT = {Freshness.DRIFTED: 0.7, Freshness.ORPHANED: 0.5}
"""What the word of a memory counts for once the code it speaks of was changed, or is gone."""

_KINDS = list(Kind)


def weigh_anchors(context: Context, found: list[Scored]) -> list[Scored]:
    """Step: candidates with what became of their code; drifted ones lower, orphaned ones out."""
    best = sorted(found, key=lambda each: -each.score)[:MAX_CHECKED]
    waiting = [each for each in best if not each.checked]
    checks = _checks(context, waiting)
    if not checks:
        return found
    for each in waiting:
        each.freshness = checks.get(each.slot)
        if each.freshness is not None and each.freshness.freshness in WEIGHT:
            weight = WEIGHT[each.freshness.freshness]
            each.parts[each.freshness.freshness.value] = weight
            each.score = weight_applied(each.score, weight)
    kept = [each for each in found if not _is_withheld(context, each)]
    return sorted(kept, key=lambda each: -each.score)


def judged(held: Sequence[Anchor], code: CodeView) -> Checked | None:
    """What became of all the anchors of one memory; None where it has none."""
    from loremap.code.verdicts import verdict  # with it come the parsers

    return together([verdict(anchor, code) for anchor in held])


def _checks(context: Context, waiting: Sequence[Scored]) -> dict[int, Checked]:
    """What became of the anchored ones among `waiting`, by slot."""
    for each in waiting:
        each.checked = True
    warm = context.warm
    anchored = warm.derived("anchored", lambda: anchors.anchored(context.conn))
    here, place = warm.code("project_id", context.query.project_id), warm["project_id"]
    slots = {
        each.slot: warm.ids[each.slot]
        for each in waiting
        if warm.ids[each.slot] in anchored and place[each.slot] == here
    }
    code = context.code() if slots and context.code is not None else None
    if code is None:
        return {}
    known: dict[str, tuple[Anchor, ...]] = warm.derived("anchors", dict)
    missing = [id_ for id_ in slots.values() if id_ not in known]
    if missing:
        known.update(anchors.of(context.conn, missing))
    checks = {slot: judged(known.get(id_, ()), code) for slot, id_ in slots.items()}
    return {slot: check for slot, check in checks.items() if check is not None}


def _is_withheld(context: Context, each: Scored) -> bool:
    """Whether a candidate waits for another checkout; it is dropped, and the trace says why."""
    check = each.freshness
    kind = _KINDS[int(context.warm["kind"][each.slot])]
    if check is None or context.query.user_search or not withheld(kind, check.freshness):
        return False
    context.withheld.add(each.slot)
    context.drop(each, "anchors", f"orphaned: {check.why}")
    return True


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

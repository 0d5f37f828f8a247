"""When a context is noted down, and what lay in it then: at a compaction and at a change of task.
Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from loremap.model.hook import Moment
from loremap.model.session import Injection
from loremap.model.snapshot import ContextItem, Snapshot, SnapshotReason
from loremap.storage.snapshots import Point

MAX_ITEMS = 200


def snapshots(
    session_id: str,
    points: Sequence[Point],
    given: Sequence[Injection],
    *,
    now_too: bool = False,
) -> Iterator[Snapshot]:
    """The snapshots of a session, from its events and what was given to it, both in order; with
    `now_too` one of its last event, because a person asked."""
    task: str | None = None
    tokens, begin, end = 0, 0, 0
    for place, point in enumerate(points):
        while end < len(given) and given[end].at <= point.at:
            end += 1
        tokens = point.context_tokens or tokens
        reason = _reason(point, task, is_asked=now_too and place + 1 == len(points))
        if reason is not None:
            held = tuple(map(_item, given[max(begin, end - MAX_ITEMS) : end]))
            is_pruned = reason is SnapshotReason.PRUNING
            yield Snapshot(
                event_seq=point.seq,
                at=point.at,
                session_id=session_id,
                task_id=point.task_id,
                items=() if is_pruned else held,
                total_tokens=tokens or sum(one.tokens for one in held),
                pruned=held if is_pruned else (),
                reason=reason,
            )
        if point.moment is Moment.BEFORE_COMPACT:
            begin, tokens = end, 0
        task = point.task_id or task


def _reason(point: Point, task: str | None, *, is_asked: bool) -> SnapshotReason | None:
    if point.moment is Moment.BEFORE_COMPACT:
        return SnapshotReason.PRUNING
    if task is not None and point.task_id not in (None, task):
        return SnapshotReason.TASK_SWITCH
    return SnapshotReason.MANUAL if is_asked else None


def _item(one: Injection) -> ContextItem:
    return ContextItem(one.memory_id, one.tier.value, one.tokens, one.score)

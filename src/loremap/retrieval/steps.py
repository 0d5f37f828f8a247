"""Steps that several recipes share."""

from __future__ import annotations

from loremap.model.memory import Status
from loremap.retrieval.context import Context, Scored
from loremap.storage.warm import STATUS_CODE

_CONFIRMED = STATUS_CODE[Status.CONFIRMED.value]


def rerank(context: Context, found: list[Scored]) -> list[Scored]:
    """Step: where a reranking model would go; without one the order stays (seed-004 §6.6)."""
    return found if context.reranker is None else context.reranker(context.query, found)


def take_limit(context: Context, found: list[Scored]) -> list[Scored]:
    """Step: as many as were asked for."""
    for each in found[context.query.limit :]:
        context.drop(each, "limit", f"ranked below {context.query.limit}")
    return found[: context.query.limit]


def newest_of_conflict_first(context: Context, found: list[Scored]) -> list[Scored]:
    """Step: of two answers in an open conflict, the newer stands where the better ranked stood;
    what nobody confirmed overtakes nothing."""
    head = found[: 2 * context.query.limit]
    ids, status, created_at = context.warm.ids, context.warm["status"], context.warm["created_at"]
    by_id = {ids[each.slot]: place for place, each in enumerate(head)}
    for conflict in context.open_conflicts(list(by_id)):
        places = [by_id.get(conflict.memory_a), by_id.get(conflict.memory_b)]
        if places[0] is None or places[1] is None:
            continue
        first, second = sorted(place for place in places if place is not None)
        older, newer = head[first], head[second]
        overtakes = status[newer.slot] == _CONFIRMED or status[older.slot] != _CONFIRMED
        if created_at[newer.slot] > created_at[older.slot] and overtakes:
            head[first], head[second] = newer, older
            older.score, newer.score = newer.score, older.score
            by_id[ids[newer.slot]], by_id[ids[older.slot]] = first, second
    return head + found[2 * context.query.limit :]

"""Steps that several recipes share."""

from __future__ import annotations

from loremap.model.memory import Status
from loremap.retrieval.context import Context, Scored
from loremap.storage import relations


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
    head = context.load(found[: 2 * context.query.limit])
    by_id = {each.memory.id: place for place, each in enumerate(head) if each.memory is not None}
    for conflict in relations.open_conflicts(context.conn, list(by_id)):
        places = [by_id.get(conflict.memory_a), by_id.get(conflict.memory_b)]
        if places[0] is None or places[1] is None:
            continue
        first, second = sorted(place for place in places if place is not None)
        older, newer = head[first].memory, head[second].memory
        assert older is not None
        assert newer is not None
        overtakes = newer.status is Status.CONFIRMED or older.status is not Status.CONFIRMED
        if newer.created_at > older.created_at and overtakes:
            head[first], head[second] = head[second], head[first]
            head[first].score, head[second].score = head[second].score, head[first].score
            by_id[newer.id], by_id[older.id] = first, second
    return head + found[2 * context.query.limit :]

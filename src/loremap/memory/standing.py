"""What may stand in the always-on block of a project, by the one rule of who sees what."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

import numpy as np

from loremap.clients.client import Client
from loremap.clients.own_reading import OwnReading
from loremap.memory import anchoring
from loremap.memory.anchoring import without_unmerged
from loremap.memory.brief.always import ROOM, AlwaysOn, Room, always_on, by_importance, why_not
from loremap.memory.brief.budget import WINDOW_TOKENS, allocation, ceiling_for
from loremap.memory.brief.said import remarks_of
from loremap.memory.earlier import left_open
from loremap.memory.recall.context import visible
from loremap.model.guard_pack import is_of_pack
from loremap.model.kind import RULES, Kind
from loremap.model.memory import Memory, Status
from loremap.model.module import ModuleMap
from loremap.model.recall import Hit, Query, Verdict
from loremap.storage import memories, modules, relations
from loremap.storage.warm import STATUS_CODE

if TYPE_CHECKING:
    from loremap.memory.workspace import Workspace

MAX_CONSIDERED = 400
MAX_CHECKED = 40
"""No more fit into a block: of these it is asked what became of their code."""
FIRST_PROMPT_BYTES = 1_000
"""Left free: some clients take the block and the first prompt's answer together."""
_STANDS = np.asarray([RULES[kind].always_on for kind in Kind])
_CONFIRMED = STATUS_CODE[Status.CONFIRMED.value]


def block_of(
    lore: Workspace,
    client: Client,
    *,
    module_map: ModuleMap | None,
    remaining: int,
    ceiling: int,
    without: Collection[str] = (),
) -> AlwaysOn:
    """The always-on block of a session that starts here now."""
    hits = _considered(lore, without)
    ids = [hit.memory.id for hit in hits]
    with lore.store.read() as conn:
        conflicts = relations.open_conflicts(conn, ids, spoken=True) if ids else []
    share = allocation(remaining, ceiling, uses={"bridge": 0, "summary": 0})
    room = Room(
        tokens=min(lore.settings.whole("inject.brief_tokens"), share.total),
        pinned_tokens=share.always_on,
        most_bytes=client.most_bytes - FIRST_PROMPT_BYTES,
    )
    return always_on(
        module_map,
        hits,
        client=client,
        room=room,
        remarks=remarks_of(hits, conflicts),
        unfinished=left_open(lore),
        is_loaded=OwnReading(client, lore.repository).has,
    )


def gave_way(lore: Workspace, client: Client) -> list[Verdict]:
    """What has a place in the block of a session that starts here now and does not get one for
    want of room, with why; it goes by what is stored, so that nobody waits for a scan."""
    with lore.store.read() as conn:
        known = None if lore.project_id is None else modules.read_map(conn, lore.project_id)
    ceiling = ceiling_for(lore.settings.whole("inject.tokens"), client.most_bytes)
    block = block_of(lore, client, module_map=known, remaining=WINDOW_TOKENS, ceiling=ceiling)
    return [one for one in block.verdicts if one.step == ROOM and one.memory_id]


def standing_hits(lore: Workspace, *, is_loaded: Callable[[Memory], bool]) -> list[Hit]:
    """What holds for any work here, the pins first, without what the reader has loaded."""
    return [hit for hit in _considered(lore, ()) if not why_not(hit) and not is_loaded(hit.memory)]


def _considered(lore: Workspace, without: Collection[str]) -> list[Hit]:
    """The most important of what stands here, with what became of the code it speaks of."""
    wanted = [one for one in standing_of(lore) if one.id not in without and not is_of_pack(one)]
    standing = by_importance(wanted)[:MAX_CHECKED]
    checks = anchoring.freshness(lore, standing)
    hits = [Hit(memory, memory.importance, freshness=checks.get(memory.id)) for memory in standing]
    return without_unmerged(lore, hits)


def seen_here(lore: Workspace) -> Query:
    """A question that asks nothing, by which it is told what this session may see."""
    return Query(
        text="",
        now=lore.now(),
        project_id=lore.project_id,
        tenant_id=lore.actor.tenant_id,
        owner_id=lore.actor.owner_id,
        session_id=lore.session_id,
        branch=lore.repository.branch,
        seasons=lore.settings.texts("recall.seasons"),
    )


def standing_of(lore: Workspace) -> list[Memory]:
    """Confirmed memories that are pinned or of a standing kind, as this session may see them."""
    query = seen_here(lore)
    with lore.engine.arrays() as (conn, warm):
        wanted = visible(warm, query) & (warm["status"] == _CONFIRMED)
        wanted = wanted & (warm["pinned"] | _STANDS[warm["kind"]])
        slots = np.flatnonzero(wanted)
        # Pins first, then the newest: importance is in the rows.
        order = np.lexsort((-warm["created_at"][slots], ~warm["pinned"][slots]))
        rows = warm["row"][slots[order[:MAX_CONSIDERED]]].tolist()
        # Many sessions may begin before the store changes.
        known: dict[int, Memory] = warm.derived("standing memories", dict)
        known.update(memories.by_rows(conn, [row for row in rows if row not in known]))
        return [known[row] for row in rows if row in known]

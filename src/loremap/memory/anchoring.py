"""Memories against the code of this checkout: what became of what they speak of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from loremap.memory.admission.anchor import renewed
from loremap.memory.recall.freshness import judged, placed, written_elsewhere
from loremap.memory.workspace import Workspace
from loremap.model.anchor import Anchor, Checked, Freshness, withheld
from loremap.model.branches import Telling
from loremap.model.memory import Memory
from loremap.model.recall import Hit
from loremap.storage import anchors
from loremap.storage.store import Connection


def freshness(here: Workspace, found: Sequence[Memory]) -> Mapping[str, Checked]:
    """What became of the code that memories of this project speak of, by id; what is not
    anchored is left out."""
    project = here.project_id
    own = [memory.id for memory in found if memory.project_id == project]
    with here.store.read() as conn:
        return _checks(here, anchors.of(conn, own))


def told_here(here: Workspace, found: Sequence[Memory]) -> list[Hit]:
    """`found` without what is withheld: its code is gone here, it is of unmerged work on another
    branch, or it was voted down; what is told all the same says which branch it is from."""
    found = [memory for memory in found if not memory.voted_down]
    checks = freshness(here, found)
    hits = [Hit(memory, memory.importance, freshness=checks.get(memory.id)) for memory in found]
    return without_unmerged(here, [hit for hit in hits if not _is_orphaned(hit)])


def without_unmerged(here: Workspace, hits: Sequence[Hit]) -> list[Hit]:
    """`hits` without what waits for its branch to be merged; what is told before that says which
    branch it is from."""
    project = here.project_id
    own = [hit.memory for hit in hits if hit.memory.project_id == project]
    elsewhere = written_elsewhere(own, here.repository.branch)
    if not elsewhere:
        return list(hits)
    judged_hits = placed(hits, here.branches.seen(elsewhere), here.now())
    return [
        replace(hit, unmerged=hit.memory.branch) if how is Telling.WITH_BRANCH else hit
        for hit, how in judged_hits
        if how is not Telling.NOT
    ]


def _is_orphaned(hit: Hit) -> bool:
    return hit.freshness is not None and withheld(hit.memory.kind, hit.freshness.freshness)


def stale_ids(here: Workspace) -> tuple[str, ...]:
    """The memories of this project whose code was changed or is gone here."""
    if here.project_id is None:
        return ()
    with here.store.read() as conn:
        checks = _checks(here, anchors.of_project(conn, here.project_id))
    return tuple(id_ for id_, check in checks.items() if check.freshness is not Freshness.FRESH)


def anchors_renewed(here: Workspace, memory: Memory) -> Sequence[Anchor] | None:
    """The anchors that `memory` takes when someone stands by it here."""
    code = here.checkout.look() if memory.project_id == here.project_id else None
    if code is None:
        return None
    with here.store.read() as conn:
        held = anchors.of(conn, [memory.id]).get(memory.id, ())
    return renewed(memory, held, code)


def anchors_checked(
    here: Workspace, conn: Connection, memory: Memory
) -> Iterator[tuple[Anchor, Checked | None]]:
    """Each anchor of a memory, with what became of it; None where that is not known here."""
    held = anchors.of(conn, [memory.id]).get(memory.id, ())
    own = memory.project_id == here.project_id
    code = here.checkout.look() if held and own else None
    for anchor in held:
        yield anchor, None if code is None else judged([anchor], code)


def _checks(here: Workspace, held: anchors.Anchors) -> Mapping[str, Checked]:
    code = here.checkout.look() if held else None
    if code is None:
        return {}
    checks = {id_: judged(taken, code) for id_, taken in held.items()}
    return {id_: check for id_, check in checks.items() if check is not None}

"""The one way to write, and what a write brings along: uses, vectors, the day's housekeeping."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress

from loremap.errors import ModelError, StoreError
from loremap.memory.admission.embed import Progress, catch_up
from loremap.memory.workspace import Workspace
from loremap.model.memory import Status
from loremap.model.recall import Recall
from loremap.storage import known_facts, memories, projects
from loremap.storage.transaction import Tx

CATCH_UP_WITH_WRITE = 32
"""How many waiting memories a write embeds along with its own."""
USES_KEPT = 64
"""Uses are counted in one write: at the next one, when this many wait, or when closing."""


@contextmanager
def writing(here: Workspace) -> Iterator[Tx]:
    """One transaction, and after it what a write brings along."""
    with here.store.write(now=here.now(), actor=here.actor) as tx:
        yield tx
    after_write(here)


def after_write(here: Workspace) -> None:
    """Count the uses that wait; once in a while keep house and make vectors that wait."""
    flush_uses(here)
    if here.engine.is_due(here.now()):
        here.notes += here.engine.keep(here.actor)
        if here.engine.slot.taken is not None:
            try:
                embed_waiting(here, most=CATCH_UP_WITH_WRITE)
            except ModelError as fault:
                here.engine.slot.failed(fault)


def settled_project(here: Workspace) -> projects.Project | None:
    """This folder's project, made known to the store where it was not."""
    if not here.known.settled:
        tenant = here.actor.tenant_id
        if not projects.is_settled(here.store, here.repository, tenant_id=tenant):
            with writing(here) as tx:
                projects.settle(tx, here.repository)
        here.known.project = here.known_project()
        here.known.settled = True
    return here.known.project


def embed_waiting(
    here: Workspace, *, progress: Progress | None = None, most: int | None = None
) -> int:
    """Make the vectors that are missing, so many at most; returns how many were made."""
    embedder = here.embedder()
    if embedder is None:
        if here.settings.text("embedding.provider") == "none":
            return 0
        raise ModelError(here.model_trouble or "There is no embedding model.")
    return catch_up(
        here.store, embedder, now=here.now(), actor=here.actor, progress=progress, most=most
    )


# Uses


def use(here: Workspace, ids: Iterable[str]) -> None:
    """Count memories as used in work, candidates too."""
    with writing(here) as tx:
        wanted = list(ids)
        memories.touch(tx, wanted)
        known_facts.used(tx, wanted)


def note_uses(here: Workspace, answer: Recall) -> None:
    """Being recalled counts for what is confirmed; a candidate must be used or confirmed."""
    for hit in answer.hits:
        if hit.memory.status is Status.CONFIRMED:
            here.known.uses[hit.memory.id] = None
    if len(here.known.uses) >= USES_KEPT:
        flush_uses(here)


def flush_uses(here: Workspace) -> None:
    """Write down the uses that wait."""
    if here.known.uses and not here.store.read_only:
        ids = tuple(here.known.uses)
        here.known.uses.clear()
        # A full disk or a busy store must not cost the answer; these uses go uncounted.
        with (
            suppress(StoreError),
            here.store.write(now=here.now(), actor=here.actor) as tx,
        ):
            memories.touch(tx, ids)
            known_facts.used(tx, ids)


def let_go(here: Workspace) -> None:
    """Write down the uses that wait, and leave the folder."""
    flush_uses(here)
    here.code.close()

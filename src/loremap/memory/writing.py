"""The one way to write, what a write brings along (vectors, the day's housekeeping), and use, which
is counted where the later work of a session shows it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress

from loremap.errors import ModelError, StoreError
from loremap.memory import together
from loremap.memory.admission.embed import Progress, catch_up
from loremap.memory.recall.context import LEAST_CONFIDENCE
from loremap.memory.workspace import Workspace
from loremap.model.memory import Memory, Status
from loremap.model.signal import Sign, Signal, Voice
from loremap.storage import known_facts, memories, projects, signals
from loremap.storage.transaction import Tx

CATCH_UP_WITH_WRITE = 32
"""How many waiting memories a write embeds along with its own."""
RECALLS_KEPT = 16
"""Recalls are counted in one write: at the next one, when this many wait, or when closing."""
USED_CONFIDENCE = 0.05
"""How much surer a memory is for having been of use in a session."""


@contextmanager
def writing(here: Workspace) -> Iterator[Tx]:
    """One transaction, and after it what a write brings along."""
    with here.store.write(now=here.now(), actor=here.actor) as tx:
        yield tx
    after_write(here)


def after_write(here: Workspace) -> None:
    """Count the recalls that wait; once in a while keep house and make vectors that wait."""
    flush_recalls(here)
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


# Use


def use(here: Workspace, ids: Iterable[str]) -> tuple[str, ...]:
    """Count memories as used in the work of this session, once each; those that were not counted
    before. Who repeats what they wrote in the session does not use it."""
    with here.store.read() as conn:
        session = here.session_id
        known = set() if session is None else signals.noted_in(conn, session, Sign.USED)
        found = memories.by_ids(conn, [id_ for id_ in ids if id_ not in known])
    fresh = [memory for memory in found if session is None or memory.session_id != session]
    if fresh:
        with writing(here) as tx:
            signals.add(tx, (signal(here, memory, Sign.USED, Voice.INFERRED) for memory in fresh))
            memories.touch(tx, [memory.id for memory in fresh])
            known_facts.used(tx, [memory.id for memory in fresh])
            for memory in fresh:
                memories.reweigh(tx, memory, memory.confidence + USED_CONFIDENCE)
            together.link(tx, [memory.id for memory in fresh], before=known)
            if here.project_id is not None:
                projects.count(tx.conn, here.project_id, accesses=len(fresh))
    return tuple(memory.id for memory in fresh)


PASSED_CONFIDENCE = 0.02
"""How much less a memory is believed for having been found and not fitting, once a session."""


def pass_over(here: Workspace, ids: Iterable[str]) -> None:
    """Believe a little less what a second look has dropped, once a session each. What is confirmed
    stays where it is still told."""
    with here.store.read() as conn:
        session = here.session_id
        known = set() if session is None else signals.noted_in(conn, session, Sign.PASSED)
        fresh = memories.by_ids(conn, [id_ for id_ in ids if id_ not in known])
    if not fresh:
        return
    with writing(here) as tx:
        signals.add(tx, (signal(here, memory, Sign.PASSED, Voice.INFERRED) for memory in fresh))
        for memory in fresh:
            memories.reweigh(tx, memory, passed_confidence(memory))


def passed_confidence(memory: Memory) -> float:
    """The confidence of a memory that was passed over: never so little that a confirmed one would
    be told to nobody."""
    floor = LEAST_CONFIDENCE if memory.status is Status.CONFIRMED else 0.0
    return max(min(floor, memory.confidence), memory.confidence - PASSED_CONFIDENCE)


def signal(here: Workspace, memory: Memory, sign: Sign, voice: Voice) -> Signal:
    """What happened to a memory here, as whoever speaks here shows or says it."""
    return Signal(
        memory_id=memory.id,
        sign=sign,
        voice=voice,
        at=here.now(),
        actor=here.actor.name,
        session_id=here.session_id,
        agent=here.agent,
    )


def note_recall(here: Workspace) -> None:
    """Count a recall; being found or shown is no use."""
    here.known.recalls += 1
    if here.known.recalls >= RECALLS_KEPT:
        flush_recalls(here)


def flush_recalls(here: Workspace) -> None:
    """Write down the recalls that wait."""
    waiting, here.known.recalls = here.known.recalls, 0
    if waiting and here.project_id is not None and not here.store.read_only:
        # A full disk or a busy store must not cost the answer; these go uncounted.
        with suppress(StoreError), here.store.append() as conn:
            projects.count(conn, here.project_id, recalls=waiting)


def let_go(here: Workspace) -> None:
    """Write down the recalls that wait, and leave the folder."""
    flush_recalls(here)
    here.code.close()

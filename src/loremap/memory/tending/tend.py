"""Runs the passes: each says its steps, which are then done in small transactions that share one
change, so that a run is undone as one. Whoever is killed has lost nothing: the next run does the
rest."""

from __future__ import annotations

import gc
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from itertools import takewhile

from loremap.memory.graph.clustering import plan_clusters
from loremap.memory.graph.tagging import plan_tags
from loremap.memory.step import Plan, Step, move_all, readied
from loremap.memory.tending import facts
from loremap.memory.tending.believing import CONFIRM, promotion
from loremap.memory.tending.letting_go import REASON, letting_go
from loremap.memory.tending.repeated import repetition
from loremap.memory.workspace import Workspace
from loremap.model.clock import new_id
from loremap.model.memory import Actor
from loremap.storage import projects, tending
from loremap.storage.moves import Ready
from loremap.storage.transaction import Tx, log

PASSES: tuple[Plan, ...] = (
    promotion, letting_go, repetition, *facts.PASSES, plan_tags, plan_clusters
)  # fmt: skip
"""What is done, in that order; each is planned when the one before it is done."""
EVERY = timedelta(days=1)
EVERY_RECALLS = 50
"""After so many recalls a project is tended again."""
LOCK_S = 0.015
"""So long the steps of one transaction may take; who waits to write waits no longer."""
MOVED_AT_ONCE = 16
READIED_AT_ONCE = 64
"""So many are put together before the store is held."""
ERASED_AT_ONCE = 16
ERASE = "erase"


@dataclass(frozen=True, slots=True)
class Tended:
    """What a run did, or would do."""

    steps: tuple[Step, ...] = ()
    is_busy: bool = False
    """Whether another process tends, and nothing was done here."""

    @property
    def counts(self) -> Mapping[str, int]:
        """How often each thing is done."""
        return Counter(step.does for step in self.steps)


@dataclass(slots=True)
class _Run:
    """One run in progress."""

    here: Workspace
    actor: Actor
    id: str = field(default_factory=new_id)
    """The change that all its writes belong to."""


def planned(here: Workspace, passes: Sequence[Plan] = PASSES) -> Tended:
    """What a run would do now, by the store as it is; of one memory that two passes would move,
    what the first would do."""
    moved: set[str] = set()
    steps = list(_erasures(here))
    for plan in passes:
        for step in plan(here):
            if step.does in _MOVES and step.on in moved:
                continue
            moved |= {step.on} if step.does in _MOVES else set()
            steps.append(step)
    return Tended(tuple(steps))


_MOVES = frozenset({CONFIRM, *REASON})


def tend(here: Workspace, passes: Sequence[Plan] = PASSES, *, by_itself: bool = False) -> Tended:
    """Do what is due; all but what is erased is one act that can be undone. What is done with
    nobody asking stands apart from what a person did."""
    actor = tending.BY_ITSELF if by_itself else tending.ASKED_TO
    run = _Run(here, replace(here.actor, name=actor))
    if not _claimed(run):
        return Tended(is_busy=True)
    try:
        done = _erased(run)
        for plan in passes:
            done += _applied(run, plan(here))
        _finish(run, Tended(tuple(done)))
    finally:
        with here.store.append() as conn:
            tending.let_others(conn, run.id)
    return Tended(tuple(done))


def is_due(here: Workspace) -> bool:
    """Whether a day, or fifty recalls, have passed since this project was last tended."""
    if here.store.read_only or here.project_id is None:
        return False
    with here.store.read() as conn:
        last = projects.tended(conn, here.project_id)
        if not projects.is_enabled(conn, here.project_id):
            return False
    if last.at is None or here.now() - last.at >= EVERY:
        return True
    return last.recalls_since >= EVERY_RECALLS


def _claimed(run: _Run) -> bool:
    with run.here.store.write(now=run.here.now(), actor=run.actor, change_id=run.id) as tx:
        return tending.claim(tx, run.id)


def _applied(run: _Run, steps: Sequence[Step]) -> list[Step]:
    """Do steps, as many in one transaction as take a moment, then let others write."""
    store, at = run.here.store, 0
    while at < len(steps):
        now, next_ = run.here.now(), steps[at : at + READIED_AT_ONCE]
        leading = takewhile(lambda step: step.move is not None, next_)
        ready = readied([step.move for step in leading if step.move is not None], now)
        with _no_garbage(), store.write(now=now, actor=run.actor, change_id=run.id) as tx:
            until = time.perf_counter() + LOCK_S
            tending.claim(tx, run.id)
            at += _moved(tx, ready, until) if ready else _done(tx, next_, until)
        time.sleep(LOCK_S / 10)
    return list(steps)


@contextmanager
def _no_garbage() -> Iterator[None]:
    """Look for no garbage meanwhile: among ten thousand memories that takes longer than a write
    may, and others would wait for it."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def _moved(tx: Tx, ready: Sequence[Ready], until: float) -> int:
    """Move some memories at least, more while there is time; how many those were."""
    done = 0
    while done < len(ready) and (done == 0 or time.perf_counter() < until):
        move_all(tx, ready[done : done + MOVED_AT_ONCE])
        done = min(done + MOVED_AT_ONCE, len(ready))
    return done


def _done(tx: Tx, steps: Sequence[Step], until: float) -> int:
    """Do one step that moves none at least, more while there is time; how many those were."""
    done = 0
    for step in takewhile(lambda step: step.move is None, steps):
        if done and time.perf_counter() >= until:
            break
        step.apply(tx)
        done += 1
    return done


def _finish(run: _Run, done: Tended) -> None:
    here, counts = run.here, done.counts
    if here.project_id is None:
        return
    said = ", ".join(f"{number} {does}" for does, number in counts.items() if does != ERASE)
    with here.store.write(now=here.now(), actor=run.actor, change_id=run.id) as tx:
        if said:
            log(tx, "compact", project_id=here.project_id, detail=said)
        projects.note_tended(
            tx,
            here.project_id,
            promotions=counts[CONFIRM],
            evictions=sum(counts[does] for does in REASON),
        )


# What was withdrawn long ago


def _erasures(here: Workspace) -> Iterator[Step]:
    """Who is erased for good, by the run and not by its steps: that cannot be undone."""
    days = here.settings.whole("tend.withdrawn_days")
    with here.store.read() as conn:
        gone = tending.withdrawn(conn, here.project_id, before=here.now() - timedelta(days=days))
    for id_ in gone:
        yield Step(id_, ERASE, f"withdrawn more than {days} days ago", lambda tx: None)


def _erased(run: _Run) -> list[Step]:
    """Erase what was withdrawn long ago, before anything that can be undone is done."""
    steps, here = list(_erasures(run.here)), run.here
    for start in range(0, len(steps), ERASED_AT_ONCE):
        ids = [step.on for step in steps[start : start + ERASED_AT_ONCE]]
        last = start + ERASED_AT_ONCE >= len(steps)
        here.store.erase(ids, now=here.now(), actor=run.actor, scrub=last)
        time.sleep(LOCK_S / 10)
    return steps

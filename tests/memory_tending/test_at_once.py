"""Two processes that tend at once, and one that is killed: done once, and nothing is lost."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Mapping
from multiprocessing.connection import Connection
from pathlib import Path

from tending_tools import Clock, known, learned, sentence

import loremap
from loremap.app import Lore
from loremap.memory.step import Step
from loremap.memory.tending.letting_go import letting_go
from loremap.memory.tending.tend import tend
from loremap.memory.workspace import Workspace
from loremap.model.kind import Kind
from loremap.model.memory import Status
from loremap.storage import changes

PROCESSES = multiprocessing.get_context("forkserver")
MEMORIES = 120


def tending(folder: Path, clock: Clock, place: Mapping[str, str], told: Connection) -> None:
    """Tend in a process of its own, at a sign; it says how many steps it did."""
    os.environ.update(place)
    with loremap.open(folder, now=clock) as lore:
        lore.use_embedder(None)
        told.send("ready")
        told.recv()
        told.send(len(lore.tending.run().steps))


def killed(folder: Path, clock: Clock, place: Mapping[str, str]) -> None:
    """Tend in a process of its own that is killed while it writes, when forty steps are done."""
    os.environ.update(place)
    with loremap.open(folder, now=clock) as lore:
        lore.use_embedder(None)

        def plan(here: Workspace) -> list[Step]:
            steps = list(letting_go(here))
            end = Step("", "end", "", lambda tx: os.kill(os.getpid(), signal.SIGKILL))
            return [*steps[:40], end, *steps[40:]]

        tend(lore, (plan,))


def expiring(lore: Lore, clock: Clock) -> None:
    for number in range(MEMORIES):
        learned(lore, sentence(number), kind=Kind.CONTEXT)
    clock.go_on(days=15)


def evictions(lore: Lore) -> list[int]:
    """How often each memory was let go of."""
    with lore.store.read() as conn:
        return [
            sum(change.action == "evict" for change in changes.history_of(conn, one.id))
            for one in known(lore, list(Status))
        ]


def test_two_at_once_do_the_work_once(lore: Lore, clock: Clock) -> None:
    expiring(lore, clock)
    both = [PROCESSES.Pipe() for _ in range(2)]
    processes = [
        PROCESSES.Process(target=tending, args=(lore.folder, clock, dict(os.environ), theirs))
        for _, theirs in both
    ]
    for process in processes:
        process.start()
    for ours, _ in both:
        assert ours.recv() == "ready"
    for ours, _ in both:
        ours.send("go")
    done = [ours.recv() for ours, _ in both]
    for process in processes:
        process.join(30)
    assert sorted(done) == [0, MEMORIES]
    assert evictions(lore) == [1] * MEMORIES


def test_who_is_killed_in_the_middle_has_lost_nothing(lore: Lore, clock: Clock) -> None:
    expiring(lore, clock)
    process = PROCESSES.Process(target=killed, args=(lore.folder, clock, dict(os.environ)))
    process.start()
    process.join(60)
    assert process.exitcode == -signal.SIGKILL
    before = len(known(lore, [Status.RETRACTED]))
    assert before <= 40
    assert len(known(lore, list(Status))) == MEMORIES
    clock.go_on(minutes=2)
    assert len(lore.tending.run().steps) == MEMORIES - before
    assert evictions(lore) == [1] * MEMORIES

"""Many processes write and recall at once: all is kept, the same text once, no lock is seen."""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Any

import pytest
from in_step import assert_in_step
from store_tools import ME, NOW, Child, memory, rare_text, rare_words, store_at

import loremap
from loremap.embedding.pinned import default_cache
from loremap.embedding.weights import deliver
from loremap.errors import LoremapError
from loremap.model.outcome import Merged, Stored
from loremap.storage import memories
from loremap.storage.memories import Filter
from loremap.storage.options import Options
from loremap.storage.sqlite.log_loss import log_loss

WHOLE = "LOREMAP_WRITERS_ALL"
"""Set it to let sixteen processes write three hundred times each."""
SHARED = "Everybody who works here hears that the staging cluster sleeps at night."


def _write(pipe: Any, project: Path, number: int, count: int) -> None:
    """Remember `count` things nobody else says and one that all say, recalling in between."""
    rng = random.Random(number)
    shared_at = rng.randrange(count)
    said: dict[str, str] = {}
    told: list[str] = []
    pipe.recv()
    with loremap.open(project) as lore:
        for turn in range(count):
            text = f"{rare_text(rng, 8)} {number}"
            outcome = lore.remember(text, tags=rare_words(rng, 1))
            told.append(type(outcome).__name__)
            if isinstance(outcome, Stored):
                said[outcome.memory.id] = outcome.memory.content
            if turn == shared_at:
                told.append("shared " + type(lore.remember(SHARED)).__name__)
            if turn % 5 == 0:
                lore.recall(" ".join(text.split()[:3]))
    pipe.send((said, told))


def run(project: Path, processes: int, each: int) -> None:
    loremap.open(project).close()
    children = [Child(_write, project, number, each) for number in range(processes)]
    for child in children:
        child.tell("go")
    results = [child.says(timeout_s=900) for child in children]
    for child in children:
        child.__exit__()
    told = [word for _, words in results for word in words]
    assert told.count("Stored") == processes * each
    assert told.count(f"shared {Stored.__name__}") == 1
    assert told.count(f"shared {Merged.__name__}") == processes - 1
    said = {id_: {text} for texts, _ in results for id_, text in texts.items()}
    assert len(said) == processes * each
    with loremap.open(project) as lore:
        assert_in_step(lore, said)
        assert len(lore.list(limit=1_000_000)) == processes * each + 1
        shared = [memory for memory in lore.list(limit=1_000_000) if memory.content == SHARED]
        assert [memory.strength for memory in shared] == [processes]
        assert lore.model_state().waiting == 0


def _only_write(pipe: Any, folder: Path, number: int, count: int) -> None:
    """Write as fast as can be; tells how many were acknowledged and what was refused."""
    rng, refused, done = random.Random(number), [], 0
    store = store_at(folder, options=Options())
    pipe.recv()
    for _ in range(count):
        try:
            with store.write(now=NOW, actor=ME) as tx:
                memories.insert_memory(tx, memory(rare_text(rng, 8)))
            done += 1
        except LoremapError as fault:
            refused.append(str(fault))
    store.close()
    pipe.send((done, refused))


@pytest.mark.faults
@pytest.mark.timeout(900)
def test_no_writer_is_refused_while_others_write_without_a_pause(tmp_path: Path) -> None:
    processes, each = (16, 300) if WHOLE in os.environ else (8, 60)
    store_at(tmp_path).close()
    children = [Child(_only_write, tmp_path, number, each) for number in range(processes)]
    for child in children:
        child.tell("go")
    results = [child.says(timeout_s=900) for child in children]
    for child in children:
        child.__exit__()
    assert [refused for _, refused in results] == [[]] * processes
    store = store_at(tmp_path)
    with store.read() as conn:
        assert memories.count(conn, Filter(everywhere=True)) == processes * each
        assert log_loss(conn) is None
    store.close()


def test_two_processes_write_at_once(hashing_home: Path, project: Path) -> None:
    run(project, 2, 40)


@pytest.mark.faults
@pytest.mark.timeout(900)
def test_eight_processes_write_at_once(hashing_home: Path, project: Path) -> None:
    run(project, 8, 500)


@pytest.mark.faults
@pytest.mark.timeout(900)
def test_eight_processes_write_at_once_with_the_real_model(home: Path, project: Path) -> None:
    deliver(default_cache())
    run(project, 8, 50)

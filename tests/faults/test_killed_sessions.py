"""A session whose reader is killed at any moment: what was kept is there, and nothing twice."""

from __future__ import annotations

import random
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from session_tools import Transcript, memory_of, unread
from store_tools import Child, rare_text

import loremap
from loremap.model.memory import Status
from loremap.storage import findings
from loremap.storage.sqlite.store import check_integrity


def _told(number: int) -> str:
    """What is typed at that number, like nothing else that is."""
    return f"{rare_text(random.Random(number), 8)} always n{number}"


def _go_on(pipe: Any, project: Path, path: Path, begun: int) -> None:
    """Type, read and finish without end; tell what was kept once it is."""
    with loremap.open(project) as lore:
        session = Transcript(lore, path)
        pipe.send(("begun", begun))
        for number in range(begun, begun + 10_000):
            session.typed(_told(number))
            for part in range(9):
                session.ran(f"make part{part}")
            session.row(ended=number % 3 == 0)
            for one in unread(lore):
                seen = memory_of(lore).take_up(one)
                if seen is not None:
                    pipe.send(("kept", number))


def kill_readers(project: Path, path: Path, times: int, seed: int) -> None:
    rng = random.Random(seed)
    kept: set[int] = set()
    for turn in range(times):
        child = Child(_go_on, project, path, turn * 10_000)
        heard = [child.says() for _ in range(1 + rng.randrange(3))]
        time.sleep(rng.random() ** 2 * 0.1)
        kept |= {number for what, number in (*heard, *child.kill()) if what == "kept"}
    assert len(kept) >= times / 2
    with loremap.open(project) as lore:
        check_integrity(lore.store, whole=True)
        with lore.store.read() as conn:
            held = [one.finding.content for one in findings.of_session(conn, "s1")]
        assert max(Counter(held).values()) == 1
        numbers = {int(text.rpartition(" n")[2]) for text in held}
        assert kept <= numbers
        session = Transcript(lore, path)
        session.said("Done.")
        session.row(ended=True)
        for one in unread(lore):
            memory_of(lore).take_up(one)
        with lore.store.read() as conn:
            became = findings.of_session(conn, "s1")
        assert all(one.memory_id or one.refused for one in became)
        learned = lore.list(statuses=(Status.CANDIDATE,), limit=100_000)
        said = Counter(one.content for one in learned)
        assert max(said.values()) == 1
        assert all(one.repetitions == 0 for one in learned)


def test_a_reader_is_killed_a_few_times(hashing_home: Path, project: Path, tmp_path: Path) -> None:
    kill_readers(project, tmp_path / "s1.jsonl", 4, seed=1)


@pytest.mark.faults
@pytest.mark.timeout(600)
def test_a_reader_is_killed_at_fifty_moments(
    hashing_home: Path, project: Path, tmp_path: Path
) -> None:
    kill_readers(project, tmp_path / "s1.jsonl", 50, seed=2)

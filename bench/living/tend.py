"""A run of tending on many memories: how long it takes, and how long others wait to write.

    python -m bench.living.tend [--memories 10000] [--results DIR]

A quarter of them is let go of by the run, and as many begin their quarantine. Where others load the
machine, the times of the processor tell more than those of the clock.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

from bench.speed.sentences import Writer
from loremap.app import Lore
from loremap.config.folders import Folders, folders
from loremap.config.settings import load
from loremap.memory.admission.fingerprint import fingerprint
from loremap.model.clock import new_id
from loremap.model.kind import Kind
from loremap.model.memory import Memory, Origin, Scope, Status
from loremap.storage import memories
from loremap.storage.store import Connection, Store

MAX_RUN_S = 10.0
MAX_LOCK_MS = 50.0
MAX_AUDIT_S = 10.0
SEED = 20_260_101
NOW = datetime(2026, 6, 1, tzinfo=UTC)
AT_ONCE = 2_000


def main() -> int:
    """Measure, print, write; 1 where a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--results", type=Path, default=Path("bench/results"))
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = measured(Path(folder), given.memories)
    bars = {"run_s": MAX_RUN_S, "longest_lock_ms": MAX_LOCK_MS, "audit_s": MAX_AUDIT_S}
    missed = [f"{name}: {found[name]}, at most {bar}" for name, bar in bars.items()
              if found[name] > bar]  # fmt: skip
    for name, value in found.items():
        print(f"{name:<18} {value}")
    for line in missed:
        print(f"missed: {line}")
    written = {"memories": given.memories, "figures": found, "bars": bars, "missed": missed}
    (given.results / "tend.json").write_text(json.dumps(written, indent=1) + "\n", "utf-8")
    return bool(missed)


def measured(folder: Path, size: int) -> dict[str, float]:
    """The figures of one run, of the audit before it, and of its undoing."""
    project = folder / "project"
    project.mkdir()
    places = Folders(home=folder / "home", cache=folders().cache)
    with Lore(project, places=places, settings=load(folder / "none"), now=lambda: NOW) as lore:
        lore.use_embedder(None)
        lore.init()
        lore.tending.run()
        fill(lore, size)
        began = time.perf_counter()
        lore.tending.audit()
        audit_s = time.perf_counter() - began
        with locks_held(lore.store) as held:
            began, began_cpu = time.perf_counter(), time.process_time()
            done = lore.tending.run()
            run_s, cpu_s = time.perf_counter() - began, time.process_time() - began_cpu
        began = time.perf_counter()
        lore.undo()
        undo_s = time.perf_counter() - began
    locks = [lasted for lasted, _ in held]
    return {
        "changes": len(done.steps),
        "run_s": round(run_s, 2),
        "run_cpu_s": round(cpu_s, 2),
        "longest_lock_ms": round(1000 * max(locks), 1),
        "longest_lock_cpu_ms": round(1000 * max(worked for _, worked in held), 1),
        "median_lock_ms": round(1000 * sorted(locks)[len(locks) // 2], 1),
        "transactions": len(held),
        "audit_s": round(audit_s, 2),
        "undo_s": round(undo_s, 2),
    }


def fill(lore: Lore, size: int) -> None:
    """Store candidates and confirmed memories: every fourth has had its time, and for every fourth
    enough speaks."""
    made = _memories(lore.project_id)
    for _ in range(0, size, AT_ONCE):
        with lore.store.write(now=NOW, actor=lore.actor) as tx:
            for _ in range(min(AT_ONCE, size)):
                memories.insert_memory(tx, next(made))


def _memories(project_id: str | None) -> Iterator[Memory]:
    dice, writer = Random(SEED), Writer(SEED)
    for place, text in enumerate(writer.sentences()):
        old, ready = place % 4 == 0, place % 4 == 1
        at = NOW - timedelta(days=90 if old else dice.random() * 14)
        yield Memory(
            id=new_id(),
            kind=Kind.ERROR_PATTERN if ready else Kind.FACT,
            content=text,
            summary=text,
            status=Status.CANDIDATE if old or ready else Status.CONFIRMED,
            scope=Scope.PROJECT,
            project_id=project_id,
            created_at=at,
            updated_at=at,
            last_accessed_at=at,
            importance=0.8 if ready else dice.random(),
            origin=Origin.USER_STATED if place % 4 == 2 else Origin.OBSERVED,
            fingerprint=fingerprint(text),
            created_by="agent:claude",
        )


@contextmanager
def locks_held(store: Store) -> Iterator[list[tuple[float, float]]]:
    """How long each write of this store held its lock, from when it has it to the end of its
    commit, in seconds: by the clock, and how long the processor worked."""
    held: list[tuple[float, float]] = []
    append = store.append

    @contextmanager
    def timed() -> Iterator[Connection]:
        with append() as conn:
            began, worked = time.perf_counter(), time.thread_time()
            yield conn
        held.append((time.perf_counter() - began, time.thread_time() - worked))

    store.append = timed  # type: ignore[method-assign]
    try:
        yield held
    finally:
        del store.append


if __name__ == "__main__":
    sys.exit(main())

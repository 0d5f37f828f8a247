"""A session of the size that its design names takes less than 20 MB."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from store_tools import NOW, store_at

from loremap.model.clock import new_id
from loremap.model.event import Event
from loremap.model.hook import FileUse, Moment, Operation
from loremap.model.snapshot import ContextItem, Snapshot, SnapshotReason
from loremap.model.task import Task, TaskStatus
from loremap.storage import events, snapshots, tasks

EXECUTIONS, INTERACTIONS, TASKS, SNAPSHOTS = 1_000, 10_000, 100, 1_000
PARAMETERS, RESULT, CHANGED, ITEMS = 400, 1_200, 80, 20
"""Of a call its input, and as much of its result as is ever kept; twenty things in a context."""
MOST_BYTES = 20_000_000


def test_a_typical_session_takes_less_than_20_mb(tmp_path: Path) -> None:
    store = store_at(tmp_path)
    empty = store.size_bytes()
    made = []
    for number in range(EXECUTIONS):
        files = tuple(
            FileUse(
                path=f"src/module_{number % 40}/part_{place}_{number % 7}.py",
                operation=Operation.EDIT,
                lines=(number, number + 40),
                changed="c" * CHANGED,
            )
            for place in range(INTERACTIONS // EXECUTIONS)
        )
        made.append(
            Event(
                id=new_id(),
                at=NOW + timedelta(seconds=number),
                client="claude",
                moment=Moment.AFTER_TOOL,
                session_id="s",
                tool="Edit",
                parameters='{"new_string": "' + "p" * PARAMETERS + '"}',
                result="r" * RESULT,
                success=True,
                duration_ms=20,
                files=files,
            )
        )
    items = tuple(ContextItem(new_id(), "task", 40, 0.123) for _ in range(ITEMS))
    with store.append() as conn:
        events.append(conn, made)
        tasks.put(conn, "s", [_task(number) for number in range(TASKS)], NOW)
        numbers = [seq for seq, _, _ in tasks.stops(conn, "s")]
        tasks.link(conn, {seq: f"{seq % TASKS:032x}" for seq in numbers})
        snapshots.put(
            conn,
            [
                Snapshot(
                    event_seq=seq,
                    at=NOW,
                    session_id="s",
                    task_id=None,
                    items=items,
                    total_tokens=90_000,
                    pruned=items,
                    reason=SnapshotReason.PRUNING,
                )
                for seq in numbers[:SNAPSHOTS]
            ],
        )
    with store.read() as conn:
        pages = conn.exec_driver_sql("PRAGMA page_count").scalar_one()
    store.close()
    taken = pages * 4096 - empty
    assert 5_000_000 < taken < MOST_BYTES, f"{taken / 1e6:.1f} MB"


def _task(number: int) -> Task:
    return Task(
        id=f"{number:032x}",
        session_id="s",
        description="d" * 200,
        status=TaskStatus.COMPLETED,
        started_at=NOW,
        files_touched=tuple(f"src/module_{each}/part_{number}.py" for each in range(20)),
        tools_used={"Edit": 10, "Read": 20, "Bash": 5},
        outcome="o" * 200,
    )

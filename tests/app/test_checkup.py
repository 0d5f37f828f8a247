"""What is told of damaged rows, and of how much there is, without reading all rows each time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from loremap.app.lore import Lore, open_workspaces
from loremap.config.folders import folders
from loremap.memory.workspaces import Workspaces
from loremap.model.memory import Trigger
from loremap.model.outcome import Stored
from loremap.storage import checkup as room
from loremap.storage import memories, vectors
from loremap.storage.checkup import EVERY


class Clock:
    def __init__(self) -> None:
        self.at = datetime(2026, 5, 4, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.at


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def workspaces(home: Path, clock: Clock) -> Iterator[Workspaces[Lore]]:
    made = open_workspaces(folders(), now=clock)
    made.engine.use_embedder(None)
    yield made
    made.close()


@pytest.fixture
def lore(workspaces: Workspaces[Lore], tmp_path: Path) -> Iterator[Lore]:
    with workspaces.at(tmp_path) as lore:
        for number in range(7):
            lore.remember(
                f"Door {number} leads to the room of ledger {number * 3}.", scope="global"
            )
        yield lore


@pytest.fixture
def damage(workspaces: Workspaces[Lore]) -> Callable[..., str]:
    """Changes the row of the memory that says something, as nobody who writes would."""

    def done(said: str, how: str = "content || '?'") -> str:
        sql = f"UPDATE memories SET content = {how} WHERE content LIKE ? RETURNING id"
        with workspaces.engine.store.engine.connect() as conn, conn.begin():
            return str(conn.exec_driver_sql(sql, (f"%{said}%",)).scalar_one())

    return done


def looked_at_all(workspaces: Workspaces[Lore]) -> int:
    """Look as the resident does, to the end; how many steps that took."""
    steps = 1
    while workspaces.engine.checkup.go_on():
        steps += 1
    return steps


def test_who_asks_once_is_told_what_is_so_now(lore: Lore, damage: Callable[..., str]) -> None:
    assert (lore.status().damaged, lore.withheld()) == ((), 0)
    hurt = damage("Door 3")
    assert (lore.status().damaged, lore.withheld()) == ((hurt,), 1)


def test_a_few_rows_at_a_time(
    lore: Lore,
    workspaces: Workspaces[Lore],
    damage: Callable[..., str],
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(room, "ROWS_AT_ONCE", 2)
    hurt = damage("Door 6")
    assert looked_at_all(workspaces) == 4
    began, clock.at = clock.at, clock.at + EVERY / 2
    state = lore.status()
    assert (state.damaged, state.checked_at) == ((hurt,), began)
    assert not workspaces.engine.checkup.go_on(), "not yet again"


def test_it_is_remembered_until_the_next_look(
    lore: Lore, workspaces: Workspaces[Lore], damage: Callable[..., str], clock: Clock
) -> None:
    looked_at_all(workspaces)
    clock.at += timedelta(minutes=1)
    hurt = damage("Door 2")
    assert lore.status().damaged == ()
    assert lore.status().checked_at == clock.at - timedelta(minutes=1)
    clock.at += EVERY
    looked_at_all(workspaces)
    assert (lore.status().damaged, lore.status().checked_at) == ((hurt,), clock.at)


def test_a_list_that_comes_upon_one_says_so(
    lore: Lore, workspaces: Workspaces[Lore], damage: Callable[..., str]
) -> None:
    looked_at_all(workspaces)
    hurt = damage("Door 2")
    assert len(lore.list(limit=2)) == 2
    assert lore.withheld() == 0
    assert hurt not in [memory.id for memory in lore.list(limit=9)]
    assert lore.withheld() == 1
    assert lore.status().damaged == (hurt,)


def test_what_was_mended_is_no_longer_told(
    lore: Lore, workspaces: Workspaces[Lore], damage: Callable[..., str]
) -> None:
    hurt, other = damage("Door 2"), damage("Door 4")
    looked_at_all(workspaces)
    assert lore.withheld() == 2
    assert damage("Door 2", "rtrim(content, '?')") == hurt
    assert lore.status().damaged == (other,)
    assert hurt in [memory.id for memory in lore.list(limit=9)]


def test_no_row_is_read_to_tell_the_state_again(
    lore: Lore, workspaces: Workspaces[Lore], monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_at_all(workspaces)
    before = lore.status()

    def refuse(*given: object, **named: object) -> None:
        raise AssertionError("all rows were read")

    for module, name in (
        *((memories, each) for each in ("damaged", "damaged_after", "count", "counts_by_kind")),
        *((vectors, each) for each in ("spaces", "count_without")),
    ):
        monkeypatch.setattr(module, name, refuse)
    lore.used([lore.list(limit=1)[0].id])  # that one was used is no change of what there is
    assert lore.status() == before


def test_a_use_does_not_make_triggers_be_read_again(
    lore: Lore, monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    trigger = Trigger("literal", "git push --force", "command")
    warning = lore.remember("Ask before.", kind="warning", scope="global", triggers=[trigger])
    assert isinstance(warning, Stored)
    (before,) = lore.check(command="git push -f")
    reads: list[object] = []
    read = memories.with_triggers
    monkeypatch.setattr(memories, "with_triggers", lambda conn: reads.append(conn) or read(conn))
    clock.at += timedelta(hours=1)
    lore.used([warning.memory.id])
    (after,) = lore.check(command="git push -f")
    assert reads == []
    assert after.memory.access_count == before.memory.access_count + 1
    assert after.memory.last_accessed_at == clock.at
    lore.retract(warning.memory.id)
    assert not lore.check(command="git push -f")
    assert len(reads) == 1


def test_what_was_written_counts_at_once(lore: Lore, workspaces: Workspaces[Lore]) -> None:
    looked_at_all(workspaces)
    assert lore.status().memories_global == 7
    kept = lore.remember("The cellar is flooded.", scope="global", kind="warning", pin=True)
    state = lore.status()
    assert (state.memories_global, state.pinned, state.by_kind["warning"]) == (8, 1, 1)
    assert isinstance(kept, Stored)
    lore.forget(kept.memory.id)
    state = lore.status()
    assert (state.memories_global, state.pinned, state.forgotten) == (7, 0, 1)
    lore.undo()
    assert lore.status().memories_global == 8
    lore.forget(kept.memory.id, now_and_forever=True)
    assert (lore.status().memories_global, lore.status().forgotten) == (7, 0)

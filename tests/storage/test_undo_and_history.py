"""One change is undone as one; what it made is forgotten, what it altered is as before."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import loremap
from loremap.errors import BadInput, NotFound
from loremap.lifecycle import amend
from loremap.lore import Lore
from loremap.lore.writing import writing
from loremap.model.memory import Status
from loremap.model.outcome import Stored, Superseded
from loremap.storage import changes


@pytest.fixture
def lore(quick_home: Path, project: Path) -> Iterator[Lore]:
    with loremap.open(project) as opened:
        yield opened


def stored(lore: Lore, text: str) -> str:
    outcome = lore.remember(text)
    assert isinstance(outcome, Stored)
    return outcome.memory.id


def test_undo_goes_back_step_by_step_and_keeps_the_history(lore: Lore) -> None:
    id_ = stored(lore, "The nightly export runs at two in the morning.")
    lore.tag(id_, add=["cron"])
    lore.pin(id_)
    lore.undo()
    assert (lore.find(id_).pinned, lore.find(id_).tags) == (False, ("cron",))
    lore.undo()
    assert lore.find(id_).tags == ()
    lore.undo()
    assert lore.find(id_).deleted_at is not None
    with pytest.raises(NotFound, match="nothing to undo"):
        lore.undo()
    told = [(change.action, change.version, change.undone) for change in lore.history(id_)]
    assert told == [
        ("add", 1, True), ("tag", 2, True), ("pin", 3, True),
        ("undo", 4, False), ("undo", 5, False), ("undo", 6, False),
    ]  # fmt: skip


def test_a_replacement_is_undone_whole(lore: Lore) -> None:
    old = stored(lore, "The request timeout of the gateway is 30 seconds.")
    outcome = lore.remember("The request timeout of the gateway is 60 seconds.")
    assert isinstance(outcome, Superseded)
    new = outcome.memory.id
    assert lore.find(old).status is Status.SUPERSEDED
    touched = lore.undo()
    assert {memory.id for memory in touched} == {old, new}
    assert lore.find(old).status is Status.CONFIRMED
    assert lore.find(old).superseded_by is None
    assert lore.find(new).deleted_at is not None
    assert [memory.id for memory in lore.list()] == [old]
    assert not lore.conflicts()


def test_a_change_with_a_later_one_on_top_is_not_undone(lore: Lore) -> None:
    id_ = stored(lore, "Fixtures live below the tests folder.")
    lore.pin(id_)
    first = lore.history(id_)[0].change_id
    with pytest.raises(BadInput, match="changed again since"), writing(lore) as tx:
        amend.undo(tx, first)
    assert lore.find(id_).pinned
    with lore.store.read() as conn:
        assert changes.last_change(conn, memory_id=id_) == lore.history(id_)[1].change_id

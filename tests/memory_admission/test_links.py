"""Links that have an effect, conflicts that know who won, and taking both back."""

from __future__ import annotations

from pathlib import Path

import pytest

import loremap
from loremap.app import Lore
from loremap.errors import BadInput
from loremap.model.memory import Relation, Status
from loremap.storage import relations
from loremap.storage.tables import conflicts


@pytest.fixture
def lore(home: Path, tmp_path: Path) -> Lore:
    with loremap.open(tmp_path) as opened:
        yield opened


@pytest.fixture
def pair(lore: Lore) -> tuple[str, str]:
    """The ids of two statements, the older first."""
    old = lore.remember("Go code is formatted with gofumpt")
    new = lore.remember("Go code is formatted with gofmt")
    return old.memory.id, new.memory.id


def settled(lore: Lore) -> list[tuple[str, str, str | None]]:
    with lore.store.read() as conn:
        return [(row.memory_a, row.memory_b, row.resolution) for row in conn.execute(
            conflicts.select()
        )]  # fmt: skip


def test_a_link_that_supersedes_replaces_and_can_be_undone(
    lore: Lore, pair: tuple[str, str]
) -> None:
    old, new = pair
    lore.link(new, old, Relation.SUPERSEDES)
    assert lore.find(old).status is Status.SUPERSEDED
    assert lore.find(old).superseded_by == new
    lore.undo()
    assert lore.find(old).active
    assert lore.show(old).links == ()
    assert lore.conflicts() == []


def test_taking_such_a_link_away_brings_back_what_it_replaced(
    lore: Lore, pair: tuple[str, str]
) -> None:
    old, new = pair
    lore.link(new, old, Relation.SUPERSEDES)
    assert lore.unlink(new, old, Relation.SUPERSEDES)
    assert lore.find(old).active
    lore.undo()
    assert lore.find(old).status is Status.SUPERSEDED


def test_a_link_that_contradicts_opens_a_conflict_that_quotes_the_difference(
    lore: Lore, pair: tuple[str, str]
) -> None:
    old, new = pair
    lore.link(old, new, Relation.CONTRADICTS)
    ((conflict, first, second),) = lore.conflicts()
    assert (first.id, second.id) == (new, old)  # the newer first, whichever way it was linked
    assert conflict.reason == "“gofmt” against “gofumpt”"
    lore.undo()
    assert lore.conflicts() == []
    assert lore.show(old).links == ()


def test_any_link_is_taken_back_by_the_next_undo(lore: Lore, pair: tuple[str, str]) -> None:
    lore.link(*pair, Relation.DEPENDS_ON)
    lore.undo()
    assert lore.show(pair[0]).links == ()
    assert lore.find(pair[1]).active


@pytest.mark.parametrize(
    ("resolution", "alive"), [("first", "new"), ("second", "old"), ("both", "new old"),
                              ("neither", "")],
)  # fmt: skip
def test_a_settled_conflict_says_which_side_won(
    lore: Lore, pair: tuple[str, str], resolution: str, alive: str
) -> None:
    old, new = pair
    lore.link(new, old, Relation.CONTRADICTS)
    lore.resolve(lore.conflicts()[0][0].id, resolution)
    assert settled(lore) == [(new, old, resolution)]
    named = {"new": new, "old": old}
    assert {memory.id for memory in lore.list()} == {named[name] for name in alive.split()}
    lore.undo()
    assert {memory.id for memory in lore.list()} == {old, new}
    assert len(lore.conflicts()) == 1


def test_what_replaces_by_itself_is_recorded_as_the_winner(lore: Lore) -> None:
    old = lore.remember("The client times out after 30 seconds")
    new = lore.remember("The client times out after 60 seconds")
    assert settled(lore) == [(new.memory.id, old.memory.id, "first")]


def test_an_agent_cannot_link_a_persons_word_away(home: Path, tmp_path: Path) -> None:
    with loremap.open(tmp_path) as user, loremap.open(tmp_path, agent="coder") as agent:
        stated = user.remember("Go code is formatted with gofumpt").memory.id
        noted = agent.remember("Go code is formatted with gofmt").memory.id
        with pytest.raises(BadInput, match="cannot take the place"):
            agent.link(noted, stated, Relation.SUPERSEDES)
        agent.link(noted, stated, Relation.CONTRADICTS)
        assert user.find(stated).active
        assert len(user.conflicts()) == 1


def test_the_same_thing_said_twice_becomes_one_memory(lore: Lore, pair: tuple[str, str]) -> None:
    old, new = pair
    kept = lore.merge(new, old)
    assert (kept.id, kept.strength) == (old, 2)
    assert [memory.id for memory in lore.list()] == [old]
    assert lore.show(old).provenance[-1].snippet == "Go code is formatted with gofmt"
    lore.undo()
    assert {memory.id for memory in lore.list()} == {old, new}


def test_closing_a_conflict_of_two_leaves_others_open(lore: Lore, pair: tuple[str, str]) -> None:
    third = lore.remember("Go code is formatted by hand").memory.id
    lore.link(pair[0], pair[1], Relation.CONTRADICTS)
    lore.link(pair[0], third, Relation.CONTRADICTS)
    with lore.store.write(now=lore.now(), actor=lore.actor) as tx:
        relations.close_between(tx, pair[0], third, "both")
    assert len(lore.conflicts()) == 1

"""What stands near a memory and what it is joined with, through the store."""

from __future__ import annotations

from pathlib import Path

import pytest
from graph_tools import kept

import loremap
from loremap.app import Lore
from loremap.errors import BadInput
from loremap.model.memory import Relation, Status
from loremap.model.neighbourhood import Branch


def told(branch: Branch) -> list[str]:
    """A neighbourhood as lines, deeper ones further in."""
    lines = [branch.text + (" (above)" if branch.again else "")]
    for each in branch.below:
        assert each.edge is not None
        way = f"{'→' if each.edge.forward else '←'} {each.edge.kind.value} "
        first, *rest = told(each)
        lines += [f"  {way}{first}", *(f"  {line}" for line in rest)]
    return lines


def test_what_is_similar_comes_nearest_first_and_not_itself(lore: Lore) -> None:
    id_ = kept(lore, "Passwords are hashed with argon2id")
    kept(lore, "Ducks eat no bread")
    kept(lore, "A password has at least twelve letters")
    found = lore.graph.similar(id_)
    assert [one.summary for one in found] == [
        "A password has at least twelve letters",
        "Ducks eat no bread",
    ]
    assert found[0].similarity > found[1].similarity
    assert {one.by for one in found} == {"vector"}
    assert len(lore.graph.similar(id_, limit=1)) == 1


def test_words_tell_what_is_similar_where_there_is_no_vector(lore: Lore) -> None:
    lore.use_embedder(None)
    id_ = kept(lore, "Passwords are hashed with argon2id")
    kept(lore, "Ducks eat no bread")
    kept(lore, "A hashed password is never logged")
    assert [(one.summary, one.by) for one in lore.graph.similar(id_)] == [
        ("A hashed password is never logged", "words")
    ]


def test_a_neighbourhood_is_told_once_each_and_in_circles_too(lore: Lore) -> None:
    one = kept(lore, "Passwords are hashed with argon2id", tags=["auth"])
    two = kept(lore, "Lunch is at noon", tags=["auth"])
    three = kept(lore, "Ducks eat no bread")
    lore.link(one, three, Relation.CAUSED_BY)
    lore.link(three, two, Relation.DEPENDS_ON)
    lore.link(two, one, Relation.RELATES_TO, weight=0.5)
    assert told(lore.graph.around(one)) == [
        "Passwords are hashed with argon2id",
        "  → caused_by Ducks eat no bread",
        "    → depends_on Lunch is at noon",
        "  ← relates_to Lunch is at noon (above)",
        "  → has_tag #auth",
        "    ← has_tag Lunch is at noon (above)",
    ]
    assert len(told(lore.graph.around(one, depth=1))) == 4


def test_of_many_neighbours_some_are_shown(lore: Lore) -> None:
    ids = [kept(lore, f"Shelf {n} holds parcel {n * 7}", tags=["shelf"]) for n in range(20)]
    found = lore.graph.around(ids[0]).below[0]
    assert (len(found.below), found.left_out) == (12, 7)


def test_how_deep_is_bounded(lore: Lore) -> None:
    id_ = kept(lore, "Ducks eat no bread")
    for depth in (0, 5):
        with pytest.raises(BadInput):
            lore.graph.around(id_, depth=depth)


def test_what_belongs_to_another_project_is_not_shown(lore: Lore, tmp_path: Path) -> None:
    here = kept(lore, "Passwords are hashed with argon2id")
    (tmp_path / "other").mkdir()
    with loremap.open(tmp_path / "other") as other:
        there = kept(other, "Lunch is at noon")
    lore.link(here, there, Relation.RELATES_TO)
    assert told(lore.graph.around(here)) == ["Passwords are hashed with argon2id"]


@pytest.mark.parametrize("relation", list(Relation))
def test_every_relation_has_its_effect_and_is_undone(lore: Lore, relation: Relation) -> None:
    old = kept(lore, "Ducks eat no bread")
    new = kept(lore, "Lunch is at noon")
    lore.link(new, old, relation)
    kinds = [each.edge.kind.value for each in lore.graph.around(new).below if each.edge]
    assert kinds == [relation.value]
    superseded = lore.find(old).status is Status.SUPERSEDED
    assert superseded is (relation is Relation.SUPERSEDES)
    assert bool(lore.conflicts()) is (relation is Relation.CONTRADICTS)
    lore.undo()
    assert lore.find(old).status is Status.CONFIRMED
    assert not lore.conflicts()
    assert not lore.graph.around(new).below


def test_what_is_derived_goes_with_what_it_was_derived_from(lore: Lore) -> None:
    fact = kept(lore, "Ducks eat no bread")
    procedure = kept(lore, "Feed ducks with oats")
    lore.link(procedure, fact, Relation.DERIVED_FROM)
    gone, _ = lore.forget(fact, now_and_forever=True)
    assert {one.id for one in gone} == {fact, procedure}

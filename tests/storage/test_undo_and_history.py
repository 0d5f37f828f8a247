"""One change is undone as one; what it made is forgotten, what it altered is as before."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import loremap
from loremap.agent import switches
from loremap.app import Lore
from loremap.errors import BadInput, NotFound
from loremap.memory.admission import amend
from loremap.memory.writing import writing
from loremap.model.clock import short_id
from loremap.model.map_edits import EditKind
from loremap.model.memory import Relation, Status
from loremap.model.outcome import Stored, Superseded


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
    assert lore.last_act(id_).change_id == lore.history(id_)[1].change_id


def linked(lore: Lore, one: str, other: str) -> list[tuple[Relation, float]]:
    return [(link.relation, link.weight) for link in lore.show(one).links]


def test_links_are_undone(lore: Lore) -> None:
    one = stored(lore, "The nightly export runs at two in the morning.")
    other = stored(lore, "Fixtures live below the tests folder.")
    lore.link(one, other, Relation.DEPENDS_ON, weight=0.5)
    lore.link(one, other, Relation.DEPENDS_ON, weight=0.9)
    lore.unlink(one, other, Relation.DEPENDS_ON)
    assert linked(lore, one, other) == []
    said = lore.named_act(lore.last_act())
    assert said.startswith(f'unlinked {short_id(one)} "The nightly export')
    lore.undo()
    assert linked(lore, one, other) == [(Relation.DEPENDS_ON, 0.9)]
    lore.undo()
    assert linked(lore, one, other) == [(Relation.DEPENDS_ON, 0.5)]
    lore.undo(one)
    assert linked(lore, one, other) == []
    assert lore.last_act().deeds[0].memory_id == other


def test_an_alias_is_undone(lore: Lore) -> None:
    lore.set_alias("k8s", ["kubernetes"])
    lore.set_alias("k8s", ["cluster"])
    lore.set_alias("k8s", [])
    assert lore.named_act(lore.last_act()) == "changed an alias"
    for expected in (["cluster"], ["kubernetes"], None):
        lore.undo()
        assert lore.aliases().get("k8s") == expected
    with pytest.raises(NotFound, match="nothing to undo"):
        lore.undo()


def test_edits_of_the_map_are_undone(lore: Lore, project: Path) -> None:
    for name in ("auth", "cart"):
        (project / name).mkdir()
        for part in ("one", "two", "three"):
            (project / name / f"{part}.py").write_text(f"def {name}_{part}():\n    return 1\n")
    first = lore.modules.map().modules
    names = [module.name for module in first]
    assert len(names) > 1, names
    lore.modules.annotate(names[0], "Ask Ann before changing this.")
    lore.modules.annotate(names[0], "Ask Bob before changing this.")
    lore.modules.edit(EditKind.RENAME, names[0], value="gate")
    lore.modules.edit(EditKind.MERGE, "gate", value=names[1])
    assert lore.named_act(lore.last_act()) == "changed the module map"
    lore.undo()
    assert {"gate", names[1]} <= {module.name for module in lore.modules.map().modules}
    lore.undo()
    assert [module.name for module in lore.modules.map().modules] == names
    assert lore.modules.map().modules[0].annotation == "Ask Bob before changing this."
    lore.undo()
    assert lore.modules.map().modules[0].annotation == "Ask Ann before changing this."
    lore.undo()
    assert [replace(one, version=1) for one in lore.modules.map().modules] == [
        replace(one, version=1) for one in first
    ]
    assert lore.modules.edits() == []


def test_switching_a_project_off_is_undone(lore: Lore) -> None:
    switches.switch_project(lore, on=False)
    assert lore.named_act(lore.last_act()) == "switched Loremap off for this project"
    lore.undo()
    assert not switches.project_is_off(lore)


def test_an_act_done_meanwhile_is_not_the_one_undone(lore: Lore) -> None:
    id_ = stored(lore, "Fixtures live below the tests folder.")
    seen = lore.last_act()
    lore.pin(id_)
    with pytest.raises(BadInput, match="meanwhile"):
        lore.undo(change_id=seen.change_id)
    assert lore.find(id_).pinned


def test_acts_of_another_project_are_left_alone(lore: Lore, tmp_path: Path) -> None:
    one = stored(lore, "Fixtures live below the tests folder.")
    other = stored(lore, "The nightly export runs at two in the morning.")
    lore.link(one, other, Relation.DEPENDS_ON)
    (tmp_path / "elsewhere").mkdir()
    with loremap.open(tmp_path / "elsewhere") as there, pytest.raises(NotFound):
        there.last_act()

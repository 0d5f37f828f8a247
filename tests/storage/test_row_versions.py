"""An edit that names the version it saw is refused where another came between."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import Table, select

import loremap
from loremap.app import Lore
from loremap.errors import Stale
from loremap.memory.admission.amend import Edit
from loremap.model.map_edits import EditKind
from loremap.model.memory import Relation
from loremap.model.outcome import Stored
from loremap.storage import tables

ONE = "The nightly export runs at two in the morning."
OTHER = "Fixtures live below the tests folder."


@pytest.fixture
def lore(quick_home: Path, project: Path) -> Iterator[Lore]:
    for name in ("auth", "cart"):
        (project / name).mkdir()
        for part in ("one", "two", "three"):
            (project / name / f"{part}.py").write_text(f"def {name}_{part}():\n    return 1\n")
    with loremap.open(project) as opened:
        yield opened


def stored(lore: Lore, text: str) -> str:
    outcome = lore.remember(text)
    assert isinstance(outcome, Stored)
    return outcome.memory.id


Verb = Callable[[Lore, str, int | None], object]
VERBS: dict[str, Verb] = {
    "edit": lambda lore, id_, seen: lore.edit(
        id_, Edit(content="The export runs at three."), expected_version=seen
    ),
    "pin": lambda lore, id_, seen: lore.pin(id_, expected_version=seen),
    "unpin": lambda lore, id_, seen: lore.unpin(id_, expected_version=seen),
    "confirm": lambda lore, id_, seen: lore.confirm(id_, expected_version=seen),
    "feedback": lambda lore, id_, seen: lore.feedback(id_, helpful=True, expected_version=seen),
    "retract": lambda lore, id_, seen: lore.retract(id_, expected_version=seen),
    "forget": lambda lore, id_, seen: lore.forget(id_, expected_version=seen),
    "erase": lambda lore, id_, seen: lore.forget(id_, now_and_forever=True, expected_version=seen),
    "restore": lambda lore, id_, seen: lore.restore(id_, expected_version=seen),
    "tag": lambda lore, id_, seen: lore.tag(id_, add=["cron"], expected_version=seen),
}


@pytest.mark.parametrize("verb", VERBS.values(), ids=VERBS)
def test_a_memory_changed_since_is_left_alone(lore: Lore, verb: Verb) -> None:
    id_ = stored(lore, ONE)
    seen = lore.find(id_).version
    lore.tag(id_, add=["jobs"])
    before = lore.find(id_)
    with pytest.raises(Stale, match=f"at version {before.version} by now, not {seen}"):
        verb(lore, id_, seen)
    assert lore.find(id_) == before
    verb(lore, id_, before.version)


MAP_VERBS: dict[str, Verb] = {
    "edit": lambda lore, name, seen: lore.modules.edit(
        EditKind.RENAME, name, value="gate", expected_version=seen
    ),
    "annotate": lambda lore, name, seen: lore.modules.annotate(
        name, "Ask Bob.", expected_version=seen
    ),
    "update": lambda lore, name, seen: lore.modules.update_module(
        name, description="Signs people in.", expected_version=seen
    ),
}


@pytest.mark.parametrize("verb", MAP_VERBS.values(), ids=MAP_VERBS)
def test_a_module_changed_since_is_left_alone(lore: Lore, verb: Verb) -> None:
    module = lore.modules.map().modules[0]
    lore.modules.annotate(module.name, "Ask Ann.")
    now = lore.modules.map().modules[0]
    with pytest.raises(Stale, match="by now, not"):
        verb(lore, module.name, module.version)
    assert lore.modules.map().modules[0] == now
    verb(lore, module.name, now.version)


def link(lore: Lore, number: int) -> object:
    one, other = (memory.id for memory in lore.list())
    return lore.link(one, other, Relation.DEPENDS_ON, weight=number / 10)


def annotate(lore: Lore, number: int) -> object:
    return lore.modules.annotate(lore.modules.map().modules[0].name, f"Ask Ann {number}.")


@pytest.mark.parametrize(
    ("act", "table"),
    [
        (lambda lore, number: lore.tag(lore.list()[0].id, add=[f"t{number}"]), tables.memories),
        (lambda lore, number: lore.set_alias("k8s", [f"cluster {number}"]), tables.aliases),
        (link, tables.links),
        (annotate, tables.modules),
    ],
    ids=["memory", "alias", "link", "module"],
)
def test_no_version_comes_twice(
    lore: Lore, act: Callable[[Lore, int], object], table: Table
) -> None:
    stored(lore, ONE)
    stored(lore, OTHER)
    versions = []
    for step in (partial(act, lore, 1), partial(act, lore, 2), lore.undo, partial(act, lore, 3)):
        step()
        with lore.store.read() as conn:
            versions.append(max(conn.execute(select(table.c.version)).scalars()))
    assert versions == sorted(set(versions))

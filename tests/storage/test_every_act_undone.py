"""Every kind of act is taken back exactly: each row is what it was, but for what counts changes."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

import loremap
from loremap.agent import switches
from loremap.app import Lore, guard_packs
from loremap.errors import BadInput
from loremap.memory import seeding
from loremap.memory.admission.amend import Edit
from loremap.model.guard_pack import PACKS
from loremap.model.map_edits import EditKind
from loremap.model.memory import Relation, Trigger
from loremap.model.outcome import Merged, Stored, Superseded
from loremap.storage.dialect import dialect_of
from loremap.storage.tables import memories, metadata

TRAIL = {"audit", "history", "row_history", "meta", "migrations"}
"""What tells of changes: these only grow."""
COUNTS = {"seq", "version", "updated_at", "checksum", "map_version", "map_updated_at", "row"}
"""What counts the changes of a row, or numbers it."""
ONE = "The nightly export runs at two in the morning."
OTHER = "Fixtures live below the tests folder."
TIMEOUT = "The request timeout of the gateway is 30 seconds."
LATER = "The request timeout of the gateway is 60 seconds."


@pytest.fixture
def lore(quick_home: Path, project: Path) -> Iterator[Lore]:
    """A project with code, a convention in a file, and memories in every state."""
    for name in ("auth", "cart"):
        (project / name).mkdir()
        for part in ("one", "two", "three"):
            (project / name / f"{part}.py").write_text(f"def {name}_{part}():\n    return 1\n")
    (project / "CLAUDE.md").write_text("# Rules\n\n- Always run `make check` before you push.\n")
    subprocess.run(["git", "init", "--quiet", str(project)], check=True)
    with loremap.open(project) as opened:
        opened.init()
        opened.modules.map()
        yield opened


def stored(lore: Lore, text: str, **rest: Any) -> str:
    outcome = lore.remember(text, **rest)
    assert isinstance(outcome, Stored), outcome
    return outcome.memory.id


def rows(lore: Lore, *, of: set[str] | None = None) -> dict[str, list[Any]]:
    """All that the store holds, of the memories `of` where given, with the words of its index."""
    found: dict[str, list[Any]] = {}
    with lore.store.read() as conn:
        for name, table in metadata.tables.items():
            if name not in TRAIL:
                kept = [column for column in table.c if column.name not in COUNTS]
                found[name] = sorted(
                    (
                        tuple(row)
                        for row in conn.execute(select(*kept))
                        if of is None or not _made_since(row, of)
                    ),
                    key=repr,
                )
        if of is not None:  # what was made since and is forgotten keeps its tags
            used = {row[2] for row in found["memory_tags"]}
            found["tags"] = [row for row in found["tags"] if row[1] in used]
        query = select(memories.c.row, memories.c.id)
        ids = {number: id_ for number, id_ in conn.execute(query)}
        found["words"] = sorted(
            (ids[row[0]], *(bytes(said) for said in row[1:]))
            for row in dialect_of(conn).words_of(conn, since=None)
            if of is None or ids[row[0]] in of
        )
    return found


def _made_since(row: Any, of: set[str]) -> bool:
    """Whether a row is one of a memory that was made since, and is forgotten now."""
    held = row._mapping
    id_ = held.get("memory_id", held.get("id") if "content" in held else None)
    return id_ is not None and id_ not in of


def ids_of(lore: Lore) -> set[str]:
    with lore.store.read() as conn:
        return set(conn.execute(select(memories.c.id)).scalars())


# Each makes what it needs and returns the act itself.

Act = Callable[[], object]


def remembering(lore: Lore) -> Act:
    return lambda: stored(lore, ONE, tags=["cron"], files=["auth/one.py"])


def repeating(lore: Lore) -> Act:
    stored(lore, ONE)

    def act() -> None:
        again = lore.remember(ONE, tags=["cron"], files=["auth/one.py"])
        assert isinstance(again, Merged)
        assert again.counted

    return act


def repeating_as_agent(lore: Lore) -> Act:
    agent = lore.as_session("s1", "claude")
    stored(agent, ONE)
    other = lore.as_session("s2", "claude")

    def act() -> None:
        again = other.remember(ONE)
        assert isinstance(again, Merged)
        assert not again.counted

    return act


def replacing(lore: Lore) -> Act:
    stored(lore, TIMEOUT)

    def act() -> None:
        assert isinstance(lore.remember(LATER), Superseded)

    return act


def saying_forgotten(lore: Lore) -> Act:
    lore.forget(stored(lore, ONE))
    return lambda: stored(lore, ONE)


def editing(lore: Lore) -> Act:
    id_ = stored(lore, ONE, kind="warning", tags=["cron"], files=["auth/one.py"])
    change = Edit(
        content="The nightly export runs at three.",
        tags=("jobs",),
        files=("cart/one.py",),
        triggers=(Trigger("literal", "crontab", "command"),),
        importance=0.9,
    )
    return lambda: lore.edit(id_, change)


def pinning(lore: Lore) -> Act:
    id_ = stored(lore.as_session("s1", "claude"), ONE)
    return lambda: lore.pin(id_)


def unpinning(lore: Lore) -> Act:
    id_ = stored(lore, ONE, pin=True)
    return lambda: lore.unpin(id_)


def confirming(lore: Lore) -> Act:
    id_ = stored(lore.as_session("s1", "claude"), "See auth/one.py for the login.")
    code = lore.folder / "auth" / "one.py"
    code.write_text(code.read_text() + "\n\ndef more():\n    return 2\n")
    return lambda: lore.confirm(id_)


def confirming_retracted(lore: Lore) -> Act:
    id_ = stored(lore, ONE)
    lore.retract(id_)
    return lambda: lore.confirm(id_)


def helping(lore: Lore) -> Act:
    id_ = stored(lore, ONE)
    return lambda: lore.feedback(id_, helpful=True)


def not_helping(lore: Lore) -> Act:
    id_ = stored(lore, ONE)
    return lambda: lore.feedback(id_, helpful=False)


def retracting(lore: Lore) -> Act:
    id_ = stored(lore, ONE)
    return lambda: lore.retract(id_)


def forgetting(lore: Lore) -> Act:
    id_ = stored(lore, ONE)
    return lambda: lore.forget(id_)


def restoring(lore: Lore) -> Act:
    old = stored(lore, TIMEOUT)
    lore.link(stored(lore, OTHER), old, Relation.CONTRADICTS)
    lore.forget(old)
    return lambda: lore.restore(old)


def tagging(lore: Lore) -> Act:
    id_ = stored(lore, ONE, tags=["cron"])
    return lambda: lore.tag(id_, add=["jobs"], remove=["cron"])


def linking(lore: Lore) -> Act:
    one, other = stored(lore, ONE), stored(lore, OTHER)
    return lambda: lore.link(one, other, Relation.DEPENDS_ON)


def linking_again(lore: Lore) -> Act:
    one, other = stored(lore, ONE), stored(lore, OTHER)
    lore.link(one, other, Relation.DEPENDS_ON, weight=0.5)
    return lambda: lore.link(one, other, Relation.DEPENDS_ON, weight=0.9)


def linking_as_replaced(lore: Lore) -> Act:
    one, other = stored(lore, ONE), stored(lore, OTHER)
    return lambda: lore.link(one, other, Relation.SUPERSEDES)


def linking_as_contradiction(lore: Lore) -> Act:
    one, other = stored(lore, ONE), stored(lore, OTHER)
    lore.link(other, one, Relation.CONTRADICTS)
    lore.resolve(lore.conflicts()[0][0].id, "both")
    return lambda: lore.link(one, other, Relation.CONTRADICTS)


def unlinking(lore: Lore) -> Act:
    one, other = stored(lore, ONE), stored(lore, OTHER)
    lore.link(one, other, Relation.SUPERSEDES)
    return lambda: lore.unlink(one, other, Relation.SUPERSEDES)


def merging(lore: Lore) -> Act:
    one, other = stored(lore, ONE, tags=["cron"]), stored(lore, OTHER)
    lore.link(one, other, Relation.CONTRADICTS)
    return lambda: lore.merge(one, other)


def settling(resolution: str) -> Callable[[Lore], Act]:
    def made(lore: Lore) -> Act:
        one = stored(lore, ONE)
        lore.link(one, stored(lore.as_session("s1", "claude"), OTHER), Relation.CONTRADICTS)
        conflict = lore.conflicts()[0][0].id
        return lambda: lore.resolve(conflict, resolution)

    made.__name__ = f"settling_{resolution}"
    return made


def naming_alias(lore: Lore) -> Act:
    lore.set_alias("k8s", ["kubernetes"])
    return lambda: lore.set_alias("k8s", ["cluster"])


def dropping_alias(lore: Lore) -> Act:
    lore.set_alias("k8s", ["kubernetes"])
    return lambda: lore.set_alias("k8s", [])


def renaming_module(lore: Lore) -> Act:
    name = lore.modules.map().modules[0].name
    return lambda: lore.modules.edit(EditKind.RENAME, name, value="gate")


def merging_modules(lore: Lore) -> Act:
    one, other, *_ = (module.name for module in lore.modules.map().modules)
    lore.modules.annotate(one, "Ask Ann before changing this.")
    return lambda: lore.modules.edit(EditKind.MERGE, one, value=other)


def annotating(lore: Lore) -> Act:
    name = lore.modules.map().modules[0].name
    return lambda: lore.modules.annotate(name, "Ask Ann before changing this.")


def describing(lore: Lore) -> Act:
    name = lore.modules.map().modules[0].name
    return lambda: lore.modules.update_module(name, description="Signs people in.")


def forgetting_edit(lore: Lore) -> Act:
    name = lore.modules.map().modules[0].name
    lore.modules.annotate(name, "Ask Ann before changing this.")
    lore.modules.edit(EditKind.RENAME, name, value="gate")
    number = lore.modules.edits()[0][0]
    return lambda: lore.modules.forget_edit(number)


def switching_off(lore: Lore) -> Act:
    return lambda: switches.switch_project(lore, on=False)


def keeping_seeds(lore: Lore) -> Act:
    found = seeding.found(lore).seeds
    assert found
    return lambda: seeding.keep(lore, found, confirmed=True)


def keeping_seeds_unreviewed(lore: Lore) -> Act:
    found = seeding.found(lore).seeds
    return lambda: seeding.keep(lore, found, confirmed=False)


def declining_seeds(lore: Lore) -> Act:
    found = seeding.found(lore).seeds
    return lambda: seeding.decline(lore, found)


def guarding(lore: Lore) -> Act:
    return lambda: guard_packs.switch_on(lore, PACKS[:1])


def unguarding(lore: Lore) -> Act:
    guard_packs.switch_on(lore, PACKS[:1])
    return lambda: guard_packs.switch_off(lore, PACKS[:1])


def stating_a_fact(lore: Lore) -> Act:
    lore.facts.add("cart", "owned_by", "Red Team")
    return lambda: lore.facts.add("cart", "owned_by", "Blue Team")


def withdrawing_a_fact(lore: Lore) -> Act:
    lore.facts.add("cart", "owned_by", "Red Team")
    newer = lore.facts.add("cart", "owned_by", "Blue Team")
    return lambda: lore.facts.retract(newer.fact.id)


def naming_an_entity(lore: Lore) -> Act:
    lore.facts.add("cart", "owned_by", "Red Team")
    return lambda: lore.facts.name("cart", "basket")


ACTS: tuple[Callable[[Lore], Act], ...] = (
    remembering, repeating, repeating_as_agent, replacing, saying_forgotten, editing, pinning,
    unpinning, confirming, confirming_retracted, helping, not_helping, retracting, forgetting,
    restoring, tagging, linking, linking_again, linking_as_replaced, linking_as_contradiction,
    unlinking, merging, settling("first"), settling("second"), settling("both"),
    settling("neither"), naming_alias, dropping_alias, renaming_module, merging_modules, annotating,
    describing, forgetting_edit, switching_off, keeping_seeds, keeping_seeds_unreviewed,
    declining_seeds, guarding, unguarding, stating_a_fact, withdrawing_a_fact, naming_an_entity,
)  # fmt: skip


@pytest.mark.parametrize("kind", ACTS, ids=lambda kind: kind.__name__)
def test_an_act_is_taken_back_exactly(lore: Lore, kind: Callable[[Lore], Act]) -> None:
    act = kind(lore)
    before, known = rows(lore), ids_of(lore)
    act()
    assert rows(lore) != before, "the act did nothing"
    lore.undo()
    after = rows(lore, of=known)
    assert {name: after[name] for name in before if after[name] != before[name]} == {
        name: before[name] for name in before if after[name] != before[name]
    }
    assert all(lore.find(id_).deleted_at for id_ in ids_of(lore) - known)


def test_erasing_is_the_one_act_that_stays(lore: Lore) -> None:
    id_ = stored(lore, ONE)
    lore.forget(id_, now_and_forever=True)
    with pytest.raises(BadInput, match="cannot be undone"):
        lore.undo()

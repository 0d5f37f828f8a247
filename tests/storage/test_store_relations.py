"""Links, conflicts, aliases and projects as they are kept."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy.exc import IntegrityError
from store_tools import ME, NOW, memory

from loremap.model.identity import Repository
from loremap.model.memory import Actor, ConflictType, Link, Memory, Relation
from loremap.storage import memories, projects, relations
from loremap.storage.store import Store


@pytest.fixture
def three(store: Store) -> tuple[Memory, ...]:
    made = tuple(memory(f"Statement number {number}.") for number in range(3))
    with store.write(now=NOW, actor=ME) as tx:
        for one in made:
            memories.insert_memory(tx, one)
    return made


def test_links_are_seen_from_both_ends(store: Store, three: tuple[Memory, ...]) -> None:
    a, b, c = three
    with store.write(now=NOW, actor=Actor(name="agent:x")) as tx:
        relations.add_link(tx, a.id, b.id, Relation.DEPENDS_ON, weight=0.5)
        relations.add_link(tx, c.id, a.id, Relation.RELATES_TO)
        relations.add_link(tx, a.id, b.id, Relation.DEPENDS_ON, weight=0.25)
    with store.read() as conn:
        assert relations.links_of(conn, b.id) == [
            Link(a.id, b.id, Relation.DEPENDS_ON, 0.25, NOW, "agent:x")
        ]
        assert {link.source_id for link in relations.links_of(conn, a.id)} == {a.id, c.id}
    with store.write(now=NOW, actor=ME) as tx:
        assert relations.remove_link(tx, a.id, b.id, Relation.DEPENDS_ON)
        assert not relations.remove_link(tx, a.id, b.id, Relation.DEPENDS_ON)
        assert relations.links_of(tx.conn, b.id) == []


def test_a_link_joins_two_memories_that_are_there(store: Store, three: tuple[Memory, ...]) -> None:
    a = three[0]
    for target in (a.id, "0" * 32):
        with pytest.raises(IntegrityError), store.write(now=NOW, actor=ME) as tx:
            relations.add_link(tx, a.id, target, Relation.RELATES_TO)


def test_what_was_derived_is_found_through_others_and_in_circles(
    store: Store, three: tuple[Memory, ...]
) -> None:
    a, b, c = three
    with store.write(now=NOW, actor=ME) as tx:
        relations.add_link(tx, b.id, a.id, Relation.DERIVED_FROM)
        relations.add_link(tx, c.id, b.id, Relation.DERIVED_FROM)
        relations.add_link(tx, a.id, c.id, Relation.DERIVED_FROM)
        assert relations.derived_from(tx.conn, [a.id]) == [b.id, c.id]


def test_erasing_a_memory_takes_its_links_and_conflicts(
    store: Store, three: tuple[Memory, ...]
) -> None:
    a, b, c = three
    with store.write(now=NOW, actor=ME) as tx:
        relations.add_link(tx, a.id, b.id, Relation.CAUSED_BY)
        relations.add_conflict(tx, a.id, b.id, ConflictType.AMBIGUOUS, "either")
        relations.add_conflict(tx, b.id, c.id, ConflictType.CONTRADICTORY, "or")
        memories.erase(tx, [a.id])
        assert relations.links_of(tx.conn, b.id) == []
        assert [found.reason for found in relations.open_conflicts(tx.conn)] == ["or"]


def test_a_conflict_is_noted_once_and_closed(store: Store, three: tuple[Memory, ...]) -> None:
    a, b, c = three
    with store.write(now=NOW, actor=ME) as tx:
        first = relations.add_conflict(tx, a.id, b.id, ConflictType.AMBIGUOUS, "first")
        again = relations.add_conflict(tx, b.id, a.id, ConflictType.CONTRADICTORY, "again")
        assert relations.open_conflicts(tx.conn, [a.id]) == [again]
        assert relations.open_conflicts(tx.conn, [c.id]) == []
        assert first.id != again.id
        relations.resolve_conflict(tx, again.id, "both")
        assert relations.open_conflicts(tx.conn) == []
        closed = tx.conn.exec_driver_sql("SELECT resolution FROM conflicts").scalars().all()
        assert closed == ["both"]


def test_an_alias_of_a_project_goes_before_one_for_everywhere(store: Store) -> None:
    with store.write(now=NOW, actor=ME) as tx:
        relations.set_alias(tx, None, "db", ["database"])
        relations.set_alias(tx, None, "ci", ["pipeline"])
        relations.set_alias(tx, "p", "db", ["PostgreSQL", "größe"])
        assert relations.aliases_of(tx.conn, "local", "p") == {
            "db": ["PostgreSQL", "größe"],
            "ci": ["pipeline"],
        }
        assert relations.aliases_of(tx.conn, "local", None)["db"] == ["database"]
        assert relations.aliases_of(tx.conn, "other", "p") == {}
        relations.set_alias(tx, "p", "db", [])
        assert relations.aliases_of(tx.conn, "local", "p")["db"] == ["database"]


def repository(**given: object) -> Repository:
    return Repository(**({"root": Path("/a"), "kind": "repository", "name": "a"} | given))  # type: ignore[arg-type]


def test_a_project_is_made_once_and_learns_new_keys(store: Store) -> None:
    local = repository(roots=("c0ffee" * 6 + "c0ff",), common_dir=Path("/a/.git"))
    pushed = repository(
        roots=local.roots,
        common_dir=Path("/a/.git"),
        remote="github.com/me/a",
        remote_name="origin",
    )
    with store.write(now=NOW, actor=ME) as tx:
        made = projects.settle(tx, local)
        assert made is not None
        assert projects.settle(tx, local) == made
        known = projects.settle(tx, pushed)
        assert known is not None
        assert known.id == made.id
        assert known.remote == "github.com/me/a"
        assert "remote:github.com/me/a" in projects.keys_of(tx.conn, made.id)
        assert projects.all_projects(tx.conn, "local") == [known]
        assert projects.all_projects(tx.conn, "other") == []
    assert projects.find(store, pushed, tenant_id="local") == known
    assert projects.find(store, pushed, tenant_id="other") is None


def test_the_trail_can_be_asked_for_one_memory(store: Store, three: tuple[Memory, ...]) -> None:
    from loremap.storage import changes

    later = NOW + timedelta(minutes=1)
    with store.write(now=later, actor=ME) as tx:
        relations.add_link(tx, three[0].id, three[1].id, Relation.RELATES_TO)
    with store.read() as conn:
        told = changes.trail(conn, limit=9, memory_id=three[0].id)
    assert [(event.action, event.at) for event in told] == [("link", later), ("add", NOW)]

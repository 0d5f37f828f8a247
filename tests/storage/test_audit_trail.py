"""The trail: written before the change and gone with it, unchangeable, bounded, without content."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, event, select
from sqlalchemy.exc import IntegrityError
from store_tools import ME, NOW, memory

from loremap.errors import BadInput
from loremap.model.identity import Repository
from loremap.model.kind import Kind
from loremap.model.memory import (
    Actor,
    ConflictType,
    Memory,
    Origin,
    Procedure,
    Provenance,
    Relation,
    Trigger,
)
from loremap.storage import changes, memories, projects, relations
from loremap.storage.store import Store
from loremap.storage.tables import AUDIT_KEPT, AUDIT_LIMIT, metadata
from loremap.storage.tables import memories as memory_rows
from loremap.storage.transaction import Tx, log
from loremap.storage.warm import Warm


def count(conn: Connection, table: str) -> int:
    return int(conn.exec_driver_sql(f"SELECT count(*) FROM {table}").scalar_one())


@pytest.fixture
def pair(store: Store) -> tuple[Memory, Memory]:
    one, other = memory("One thing."), memory("Another matter.")
    with store.write(now=NOW, actor=ME) as tx:
        memories.insert_memory(tx, one)
        memories.insert_memory(tx, other)
        relations.add_link(tx, one.id, other.id, Relation.CAUSED_BY)
        relations.add_conflict(tx, one.id, other.id, ConflictType.AMBIGUOUS, "both")
    return one, other


Change = Callable[[Tx, Memory, Memory], object]
CHANGES: dict[str, Change] = {
    "add": lambda tx, one, other: memories.insert_memory(tx, memory("A third thing.")),
    "pin": lambda tx, one, other: memories.update_memory(
        tx, one, replace(one, pinned=True), action="pin"
    ),
    "erase": lambda tx, one, other: memories.erase(tx, [one.id]),
    "link": lambda tx, one, other: relations.add_link(tx, other.id, one.id, Relation.RELATES_TO),
    "unlink": lambda tx, one, other: relations.remove_link(
        tx, one.id, other.id, Relation.CAUSED_BY
    ),
    "conflict": lambda tx, one, other: relations.add_conflict(
        tx, other.id, one.id, ConflictType.CONTRADICTORY, "no"
    ),
    "resolve": lambda tx, one, other: relations.resolve_conflict(
        tx, relations.open_conflicts(tx.conn)[0].id, "both"
    ),
    "alias": lambda tx, one, other: relations.set_alias(tx, None, "k8s", ["kubernetes"]),
    "project": lambda tx, one, other: projects.settle(
        tx, Repository(root=Path("/somewhere"), kind="folder", name="somewhere")
    ),
}


@pytest.mark.parametrize("action", CHANGES)
def test_the_trail_is_written_before_the_change(
    store: Store, pair: tuple[Memory, Memory], action: str
) -> None:
    written: list[str] = []

    def note(conn: object, cursor: object, statement: str, parameters: object, *_: object) -> None:
        if statement.lstrip().upper().startswith(("INSERT", "UPDATE", "DELETE")):
            written.append(statement)

    with store.write(now=NOW, actor=ME) as tx:
        event.listen(store.engine, "before_cursor_execute", note)
        CHANGES[action](tx, *pair)
        event.remove(store.engine, "before_cursor_execute", note)
    assert written[0].startswith("INSERT INTO audit")
    assert len(written) > 1
    with store.read() as conn:
        last = changes.trail(conn, limit=1, actions=(action,))[0]
    assert (last.action, last.actor, last.at) == (action, "user", NOW)


@pytest.mark.parametrize("action", CHANGES)
def test_a_change_that_fails_leaves_neither_change_nor_trail(
    store: Store, pair: tuple[Memory, Memory], action: str
) -> None:
    def everything() -> dict[str, list[tuple[object, ...]]]:
        with store.read() as conn:
            warm = Warm(None)
            warm.refresh(conn, seq=store.change_seq(conn))
            words = warm.words(conn, at_once=True).vocabulary()
            return {"words": [tuple(words)]} | {
                name: [tuple(row) for row in conn.execute(select(table))]
                for name, table in metadata.tables.items()
            }

    before = everything()
    with pytest.raises(BadInput), store.write(now=NOW, actor=ME) as tx:  # noqa: PT012
        CHANGES[action](tx, *pair)
        assert changes.trail(tx.conn, limit=1)[0].action == action
        raise BadInput("the power went")
    assert everything() == before


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE audit SET action = 'add'",
        "UPDATE audit SET detail = '' WHERE seq = 1",
        "DELETE FROM audit",
        "DELETE FROM audit WHERE seq = 1",
    ],
)
def test_the_trail_cannot_be_changed(
    store: Store, pair: tuple[Memory, Memory], statement: str
) -> None:
    _is_refused(store, statement)


@pytest.mark.sqlite
@pytest.mark.parametrize(
    "statement",
    [
        "REPLACE INTO audit (seq, at, action, actor) VALUES (1, 0, 'add', 'nobody')",
        "INSERT OR REPLACE INTO audit (seq, at, action, actor) VALUES (2, 0, 'add', 'nobody')",
    ],
)
def test_the_trail_cannot_be_replaced(
    store: Store, pair: tuple[Memory, Memory], statement: str
) -> None:
    _is_refused(store, statement)


def _is_refused(store: Store, statement: str) -> None:
    with store.read() as conn:
        before = changes.trail(conn, limit=99)
    with pytest.raises(IntegrityError, match="cannot be changed"), store.engine.connect() as conn:
        conn.exec_driver_sql(statement)
    with store.read() as conn:
        assert changes.trail(conn, limit=99) == before


def test_the_trail_is_cut_to_the_newest_once_it_is_over_its_limit(store: Store) -> None:
    with store.write(now=NOW, actor=ME) as tx:
        for _ in range(AUDIT_LIMIT):
            log(tx, "settings")
        assert count(tx.conn, "audit") == AUDIT_LIMIT
        log(tx, "key")
        assert count(tx.conn, "audit") == AUDIT_KEPT
        kept = tx.conn.exec_driver_sql("SELECT min(seq), max(seq) FROM audit").one()
    assert kept == (AUDIT_LIMIT + 2 - AUDIT_KEPT, AUDIT_LIMIT + 1)
    assert (AUDIT_LIMIT, AUDIT_KEPT) == (5_000, 4_000)


def test_only_what_is_older_than_the_newest_4000_can_be_trimmed(store: Store) -> None:
    with store.write(now=NOW, actor=ME) as tx:
        for _ in range(AUDIT_KEPT + 3):
            log(tx, "settings")
    with store.engine.connect() as conn, conn.begin():
        conn.exec_driver_sql("DELETE FROM audit WHERE seq <= 3")
    with pytest.raises(IntegrityError, match="cannot be changed"), store.engine.connect() as conn:
        conn.exec_driver_sql("DELETE FROM audit WHERE seq = 4")


def test_an_unknown_action_is_refused(store: Store) -> None:
    with pytest.raises(ValueError, match="knows no action"), store.write(now=NOW, actor=ME) as tx:
        log(tx, "invented")


SAYINGS: dict[str, Callable[[Tx, list[Memory], str], object]] = {
    "add": lambda tx, held, said: held.append(_said(tx, said)),
    "reword": lambda tx, held, said: held.__setitem__(
        0,
        memories.update_memory(
            tx,
            held[0],
            replace(held[0], content=said, summary=said, tags=(said,), retracted_reason=said),
            action="update",
            detail="edited",
        ),
    ),
    "conflict": lambda tx, held, said: relations.add_conflict(
        tx, held[0].id, held[-1].id, ConflictType.AMBIGUOUS, said
    ),
    "source": lambda tx, held, said: memories.add_provenance(
        tx, held[0].id, Provenance(Origin.WEB, NOW, said, said, said, said, 1)
    ),
    "alias": lambda tx, held, said: relations.set_alias(tx, None, said, [said]),
    "touch": lambda tx, held, said: memories.touch(tx, [held[0].id]),
    "erase": lambda tx, held, said: memories.erase(tx, [one.id for one in held[1:-1]]),
}


def _said(tx: Tx, said: str) -> Memory:
    made = memory(
        f"{said} {secrets.token_hex(4)}",
        kind=Kind.GOTCHA,
        summary=said,
        tags=(said,),
        files=(said,),
        triggers=(Trigger("literal", said),),
        procedure=Procedure(said, said, (said,)),
        session_id=said,
        branch=said,
        source_file=said,
        seasonal=said,
    )
    memories.insert_memory(tx, made, [Provenance(Origin.USER_STATED, NOW, said, said, said)])
    return made


@given(steps=st.lists(st.sampled_from(sorted(SAYINGS)), min_size=1, max_size=8))
@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_the_trail_never_holds_what_was_said(store: Store, steps: list[str]) -> None:
    canary = "canary" + secrets.token_hex(8)
    with store.write(now=NOW, actor=Actor(name="agent:x")) as tx:
        held = [_said(tx, canary), _said(tx, canary)]
        for step in steps:
            SAYINGS[step](tx, held, canary)
        trail = [tuple(row) for row in tx.conn.exec_driver_sql("SELECT * FROM audit")]
        said = select(memory_rows.c.id).where(memory_rows.c.summary == canary)
        assert len(tx.conn.execute(said).all()) >= 2
    assert len(trail) >= 2
    assert not [cell for row in trail for cell in row if canary in str(cell)]

"""Anchors in the store: put, replaced, read by memory and by project, erased with the memory."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from sqlalchemy import insert
from store_tools import ME, NOW, holding, memory, store_at

from loremap.model.anchor import Anchor, AnchorKind
from loremap.model.memory import Memory, Scope
from loremap.storage import anchors, memories
from loremap.storage.store import Store
from loremap.storage.tables import projects

SYMBOL = Anchor(
    path="auth/tokens.py",
    kind=AnchorKind.SYMBOL,
    symbol="Store.refresh",
    digest="d1",
    span="1:abc",
    head="f" * 40,
    dirty=True,
)
FILE = Anchor(path="README.md", kind=AnchorKind.FILE)


def stored(store: Store, content: str, *taken: Anchor) -> Memory:
    made = memory(content)
    with store.write(now=NOW, actor=ME) as tx:
        memories.insert_memory(tx, made)
        anchors.put(tx, made.id, taken)
    return made


def test_what_is_put_is_read_back_in_order(store: Store) -> None:
    one, other = stored(store, "one", SYMBOL, FILE), stored(store, "other", FILE)
    bare = stored(store, "bare")
    with store.read() as conn:
        assert anchors.of(conn, [one.id, other.id, bare.id]) == {
            one.id: (SYMBOL, FILE),
            other.id: (FILE,),
        }
        assert anchors.of(conn, []) == {}
        assert anchors.anchored(conn) == {one.id, other.id}


def test_putting_again_replaces_and_nothing_takes_them_away(store: Store) -> None:
    one = stored(store, "one", SYMBOL, FILE)
    for taken in ((FILE,), ()):
        with store.write(now=NOW, actor=ME) as tx:
            anchors.renew(tx, one.id, taken)
        with store.read() as conn:
            assert anchors.of(conn, [one.id]).get(one.id, ()) == taken


def test_a_project_has_its_own(store: Store) -> None:
    with store.write(now=NOW, actor=ME) as tx:
        for name in ("p1", "p2"):
            row = {"id": name, "name": name, "created_at": 0, "updated_at": 0}
            tx.conn.execute(insert(projects).values(row))
            made = memory(name, project_id=name, scope=Scope.PROJECT)
            memories.insert_memory(tx, made)
            anchors.put(tx, made.id, [SYMBOL])
    with store.read() as conn:
        assert len(anchors.of_project(conn, "p1")) == 1
        assert anchors.of_project(conn, "p3") == {}


def test_erasing_a_memory_erases_its_anchors_from_every_byte(tmp_path: Path) -> None:
    store = store_at(tmp_path)
    telling = Anchor(path="quorvaxel/zimbleth.py", kind=AnchorKind.SYMBOL, symbol="Frobnazzle.quux")
    one = stored(store, "one", telling)
    store.back_up()
    assert holding(tmp_path, ["zimbleth", "frobnazzle"])
    assert store.erase([one.id], now=NOW, actor=ME)
    store.close()
    assert not holding(tmp_path, ["zimbleth", "frobnazzle"])


def test_a_store_without_the_table_can_still_be_read(tmp_path: Path) -> None:
    store = store_at(tmp_path)
    one = stored(store, "one", SYMBOL)
    store.close()
    with sqlite3.connect(tmp_path / "lore.db") as db:
        db.execute("DROP TABLE anchors")
    store = store_at(tmp_path)
    with store.read() as conn:
        assert anchors.anchored(conn) == frozenset()
        assert anchors.of(conn, [one.id]) == {}
        assert anchors.of_project(conn, "p1") == {}
    store.close()

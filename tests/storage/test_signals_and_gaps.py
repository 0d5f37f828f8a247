"""What speaks for and against memories, what nobody linked by hand, and what was asked in vain."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from sqlalchemy import select
from store_tools import ME, NOW, memory

from loremap.model.gap import Gap
from loremap.model.memory import Memory, Relation
from loremap.model.signal import Sign, Signal, Voice
from loremap.storage import gaps, memories, relations, row_history, signals, tombstones
from loremap.storage.store import Store
from loremap.storage.tables import projects
from loremap.storage.tombstones import Grave, Known


def stored(store: Store, one: Memory) -> Memory:
    with store.write(now=NOW, actor=ME) as tx:
        memories.insert_memory(tx, one)
    return one


def vote(id_: str, sign: Sign, session: str | None = "s1") -> Signal:
    return Signal(memory_id=id_, sign=sign, voice=Voice.AGENT, at=NOW, session_id=session)


def test_a_session_speaks_once_and_its_last_vote_counts(store: Store) -> None:
    one = stored(store, memory("Deploys go out on Tuesdays"))
    with store.write(now=NOW, actor=ME) as tx:
        assert signals.add(tx, [vote(one.id, Sign.WRONG), vote(one.id, Sign.WRONG)]) == 1
        assert signals.vote_of(tx.conn, vote(one.id, Sign.HELPFUL)) is Sign.WRONG
        assert signals.vote_of(tx.conn, vote(one.id, Sign.WRONG, "s2")) is None
        assert signals.vote_of(tx.conn, vote(one.id, Sign.WRONG, None)) is None
        signals.add(tx, [vote(one.id, Sign.USED)])
        assert signals.noted_in(tx.conn, "s1", Sign.USED) == {one.id}
    with store.write(now=NOW, actor=ME) as tx:
        signals.withdraw(tx, vote(one.id, Sign.HELPFUL))
        taken = tx.change_id
        assert [each.sign for each in signals.of(tx.conn, [one.id])[one.id]] == [Sign.USED]
    with store.write(now=NOW, actor=ME) as tx:
        row_history.put_back(tx, taken)
        assert signals.vote_of(tx.conn, vote(one.id, Sign.HELPFUL)) is Sign.WRONG


def test_a_confidence_that_drifts_leaves_the_row_whole(store: Store) -> None:
    one = stored(store, memory("Deploys go out on Tuesdays"))
    with store.write(now=NOW, actor=ME) as tx:
        memories.reweigh(tx, one, 1.7)
    with store.read() as conn:
        assert memories.get(conn, one.id) == replace(one, confidence=1.0)
        assert not memories.damaged(conn)


def test_links_of_nobody_grow_and_are_whole(store: Store) -> None:
    one, other = (stored(store, memory(text)) for text in ("Carts expire", "Prices are in cents"))
    for weight in (0.3, 0.4):
        with store.write(now=NOW, actor=ME) as tx:
            relations.relate(tx, other.id, one.id, first=0.3, more=0.1)
        with store.read() as conn:
            (link,) = relations.links_of(conn, one.id)
            assert not relations.damaged_links(conn)
        assert (link.relation, link.created_by) == (Relation.RELATES_TO, "tending")
        assert link.weight == pytest.approx(weight)


def test_a_tombstone_with_a_vector_comes_back_as_it_was(store: Store) -> None:
    one = stored(store, memory("Deploys go out on Tuesdays"))
    vector = np.arange(4, dtype=np.float32).tobytes()
    known = Known(one.id, "fact", {"said": ["aa"]}, "toy", vector)
    with store.write(now=NOW, actor=ME) as tx:
        tombstones.lay(tx, one, Grave.RETRACTED, known)
        tombstones.lay(tx, one, Grave.FORGOTTEN)  # what was called wrong stays so
    with store.write(now=NOW, actor=ME) as tx:
        before = tombstones.neighbours(tx.conn, one)
        assert [grave.known for grave in before] == [known]
        tombstones.take_away(tx, before)
        taken = tx.change_id
    with store.write(now=NOW, actor=ME) as tx:
        assert not tombstones.neighbours(tx.conn, one)
        row_history.put_back(tx, taken)
        assert tombstones.neighbours(tx.conn, one) == before


def test_the_key_of_a_store_is_made_once(store: Store) -> None:
    with store.write(now=NOW, actor=ME) as tx:
        assert tombstones.key(tx.conn) is None
        made = tombstones.made_key(tx)
        assert tombstones.made_key(tx) == made == tombstones.key(tx.conn)


def test_gaps_are_counted_closed_and_listed_by_how_often_they_were_asked(store: Store) -> None:
    later = NOW + timedelta(hours=1)
    with store.append() as conn:
        for id_ in ("g1", "g2", "g3"):
            vector = np.ones(4, np.float32).tobytes()
            gaps.put(conn, Gap(id=id_, asked="?", at=NOW, last_at=NOW, model="toy", vector=vector))
        gaps.asked_again(conn, "g2", later)
        gaps.close(conn, "g3", later)
    with store.read() as conn:
        found = gaps.of_project(conn, None)
        assert [(one.id, one.times) for one in found] == [("g2", 2), ("g1", 1)]
        assert (found[0].last_at, found[0].vector) == (later, np.ones(4, np.float32).tobytes())
        every = gaps.of_project(conn, None, closed=True)
        assert {one.id: one.closed_at for one in every}["g3"] == later
        assert not gaps.of_project(conn, "elsewhere")
        assert conn.execute(select(projects.c.total_recalls)).all() == []

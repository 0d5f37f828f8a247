"""Rows of sessions and injections: written, found again, marked, erased with a memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import loremap
from loremap.app import Lore
from loremap.model.clock import new_id
from loremap.model.session import Injection, Session, Tier
from loremap.storage import injections, sessions

NOW = datetime(2026, 5, 4, tzinfo=UTC)
SESSION = Session(id="s1", client="claude", created_at=NOW, always_on="block", reset_at=NOW)


@pytest.fixture
def lore(home: Path, tmp_path: Path) -> Iterator[Lore]:
    with loremap.open(tmp_path) as opened:
        opened.use_embedder(None)
        opened.init()
        yield opened


def given(minute: int, memory_id: str | None = "m1", **more: object) -> Injection:
    usual: dict[str, object] = {
        "id": new_id(),
        "at": NOW + timedelta(minutes=minute),
        "session_id": "s1",
        "project_id": "p",
        "client": "claude",
        "moment": "prompt",
        "tier": Tier.TASK,
        "memory_id": memory_id,
        "tokens": 20,
        "why": "it fits",
        "score": 0.5,
    }
    return Injection(**(usual | more))  # type: ignore[arg-type]


def test_a_session_is_written_and_changed(lore: Lore) -> None:
    later = replace(SESSION, created_at=NOW + timedelta(1), ended_at=NOW, held_out=True)
    with lore.store.read() as conn:
        seq = lore.store.change_seq(conn)
        assert sessions.find(conn, "s1") is None
    for one in (SESSION, later):
        with lore.store.append() as conn:
            sessions.upsert(conn, one)
    with lore.store.read() as conn:
        assert sessions.find(conn, "s1") == replace(later, created_at=NOW, heard_at=NOW)
        assert lore.store.change_seq(conn) == seq


def test_injections_by_session_and_moment(lore: Lore) -> None:
    first, second, third = given(1), given(2, None), given(2, "m2", score=None)
    other = given(3, session_id="s2", project_id="q")
    with lore.store.append() as conn:
        injections.put(conn, [first, second, third, other])
        injections.put(conn, [])
    with lore.store.read() as conn:
        assert injections.since(conn, "s1", None) == [first, second, third]
        assert injections.since(conn, "s1", NOW + timedelta(minutes=2)) == [second, third]
        assert injections.last(conn, project_id="p") == [second, third]
        assert injections.last(conn) == [other]
        assert injections.last(conn, project_id="none") == []
        assert injections.recent(conn, project_id="p", limit=2) == [third, second]
        assert injections.count(conn, "s1") == 3


def test_rejected_and_referenced_once(lore: Lore) -> None:
    one, two = given(1), given(2, "m2")
    with lore.store.append() as conn:
        injections.put(conn, [one, two])
        assert injections.reject(conn, [one.id], NOW) == 1
        assert injections.reject(conn, [one.id], NOW) == 0
        assert injections.rejected_in(conn, "s1") == {"m1"}
        assert injections.refer(conn, "s1", ["m2", "m3"], NOW) == 1
        assert injections.refer(conn, "s1", ["m2"], NOW) == 0
        rows = injections.since(conn, "s1", None)
    assert [(row.rejected_at, row.referenced_at) for row in rows] == [(NOW, None), (None, NOW)]


def test_rows_of_a_memory_are_erased(lore: Lore) -> None:
    with lore.store.append() as conn:
        injections.put(conn, [given(1), given(2, "m2")])
        injections.erase(conn, ["m1"])
        assert [row.memory_id for row in injections.since(conn, "s1", None)] == ["m2"]

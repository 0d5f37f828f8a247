"""What sessions show again and again: counted once a session, looked up by file, forgotten."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import pytest
from sqlalchemy import insert, select
from store_tools import ME, NOW, memory

from loremap.model.pattern import KEPT, ONCE_KEPT, Pattern, PatternType, Sighting, key_of
from loremap.storage import memories, pattern_sightings, patterns
from loremap.storage.store import Store
from loremap.storage.tables import pattern_files, projects
from loremap.storage.tables import pattern_sightings as sighting_rows

SECRET_WORD = "Quartz"


@pytest.fixture
def store(store: Store) -> Store:
    """A store with two projects."""
    with store.append() as conn:
        rows = [{"id": id_, "name": id_, "created_at": 0, "updated_at": 0} for id_ in ("p", "q")]
        conn.execute(insert(projects), rows)
    return store


def pair(first: str, second: str, supports: int = 1, against: int = 0, days: int = 0) -> Sighting:
    at = NOW + timedelta(days=days)
    return Sighting(
        type=PatternType.CO_EDIT,
        about=(first, second),
        data={"files": [first, second]},
        files=(first, second),
        supports=supports,
        against=against,
        first=at,
        last=at,
    )


def fix(text: str) -> Sighting:
    return Sighting(
        type=PatternType.ERROR_FIX, about=("E",), data={"fix": text}, first=NOW, last=NOW
    )


def read(store: Store, session: str, *found: Sighting, client: str = "claude") -> None:
    """A session was read and showed this."""
    with store.append() as conn:
        pattern_sightings.put(conn, "p", session, found, client=client, now=NOW)


def kept(store: Store, project: str = "p") -> Sequence[Pattern]:
    with store.read() as conn:
        return patterns.of_project(conn, project)


def test_a_session_counts_once_however_often_it_is_read(store: Store) -> None:
    read(store, "s1", pair("a", "b", 2))
    read(store, "s1", pair("a", "b", 2))
    read(store, "s1", pair("a", "b", 3, days=1))
    (one,) = kept(store)
    assert (one.observed, one.against, one.sessions) == (3, 0, 1)
    assert one.confidence == pytest.approx(0.6)
    assert (one.first_seen, one.last_seen) == (NOW + timedelta(days=1),) * 2


def test_sessions_add_up_with_what_speaks_against(store: Store) -> None:
    read(store, "s1", pair("a", "b", 3))
    read(store, "s2", pair("a", "b", 1, 2, days=3), client="codex")
    read(store, "s3", pair("a", "b", 0, 1, days=4))
    (one,) = kept(store)
    assert (one.observed, one.against, one.sessions) == (4, 3, 2)
    assert one.clients == ("claude", "codex")
    assert one.confidence == pytest.approx(4 / (4 + 3 + 2))
    assert (one.first_seen, one.last_seen) == (NOW, NOW + timedelta(days=3))


def test_what_a_session_shows_no_more_goes(store: Store) -> None:
    read(store, "s1", pair("a", "b"), pair("a", "c"))
    read(store, "s2", pair("a", "c"))
    read(store, "s1", pair("a", "b"))
    assert {tuple(one.data["files"]): one.sessions for one in kept(store)} == {
        ("a", "b"): 1,
        ("a", "c"): 1,
    }
    read(store, "s1")
    assert [one.data["files"] for one in kept(store)] == [["a", "c"]]


def test_what_only_speaks_against_makes_no_pattern(store: Store) -> None:
    read(store, "s1", pair("a", "b", 0, 3))
    assert not kept(store)
    with store.read() as conn:
        assert not conn.execute(select(sighting_rows)).all()


def test_projects_are_apart(store: Store) -> None:
    read(store, "s1", pair("a", "b"))
    assert not kept(store, "q")
    with store.append() as conn:
        pattern_sightings.put(conn, "q", "s1", [pair("a", "b")], client="", now=NOW)
    read(store, "s1")
    assert (len(kept(store)), len(kept(store, "q"))) == (0, 1)


def test_which_files_change_together(store: Store) -> None:
    read(store, "s1", pair("a", "b", 3), pair("a", "c", 3), pair("a", "d", 2), pair("b", "c", 3))
    read(store, "s2", pair("a", "c", 1))
    with store.read() as conn:
        found = patterns.together(conn, "p", "a")
        assert [(other, one.observed) for other, one in found] == [("c", 4), ("b", 3)]
        assert [other for other, _ in patterns.together(conn, "p", "d", least=1)] == ["a"]
        assert not patterns.together(conn, "q", "a")
        of_file = patterns.of_project(conn, "p", file="d")
        assert [one.data["files"] for one in of_file] == [["a", "d"]]
        assert not patterns.of_project(conn, "p", type_=PatternType.BACKTRACK)


def test_what_others_showed_leaves_a_session_out(store: Store) -> None:
    read(store, "s1", fix("first"), pair("a", "b"))
    read(store, "s2", fix("second"))
    with store.read() as conn:
        (one,) = patterns_of_others = pattern_sightings.of_others(conn, "p", "s1")
        assert (one.data, one.observed, len(patterns_of_others)) == ({"fix": "second"}, 1, 1)
        found = patterns.find(conn, "p", PatternType.ERROR_FIX, key_of("E"))
    assert found is not None
    assert (found.observed, found.sessions) == (2, 2)


def test_a_pattern_that_is_forgotten_is_not_learned_again(store: Store) -> None:
    read(store, "s1", pair("a", "b", 3))
    (one,) = kept(store)
    with store.append() as conn:
        assert patterns.ending_with(conn, "p", one.id[-8:]) == [one]
        patterns.forget(conn, [one.id], NOW)
    read(store, "s1", pair("a", "b", 3))
    read(store, "s2", pair("a", "b", 3))
    assert not kept(store)
    with store.read() as conn:
        assert not patterns.together(conn, "p", "a")
        assert not conn.execute(select(sighting_rows)).all()
        assert not conn.execute(select(pattern_files)).all()


def test_what_is_erased_elsewhere_is_erased_here(store: Store) -> None:
    read(store, "s1", fix(f"{SECRET_WORD} was “set”\nwrongly"))
    read(store, "s2", fix("another fix"))  # it stands in an older sighting only
    read(store, "s2", fix("another fix"), pair("a", "b"))
    one = memory(f"{SECRET_WORD} was “set”\nwrongly")
    with store.write(now=NOW, actor=ME) as tx:
        memories.insert_memory(tx, one)
    store.erase([one.id], now=NOW, actor=ME)
    assert [each.type for each in kept(store)] == [PatternType.CO_EDIT]
    with store.read() as conn:
        held = [*conn.execute(select(sighting_rows.c.data)).scalars()]
    assert not any(SECRET_WORD in text for text in held)


def test_a_pattern_goes_with_the_memory_that_it_became(store: Store) -> None:
    read(store, "s1", pair("a", "b", 3), pair("a", "c", 3))
    one = memory("The files a and b are changed together.")
    with store.write(now=NOW, actor=ME) as tx:
        memories.insert_memory(tx, one)
        wanted = next(each for each in kept(store) if each.data["files"] == ["a", "b"])
        pattern_sightings.note_remembered(tx.conn, wanted.id, "s1", one.id)
    read(store, "s1", pair("a", "b", 3), pair("a", "c", 3))
    assert {each.memory_id for each in kept(store)} == {one.id, None}
    with store.read() as conn:
        told = [each.remembered for each in pattern_sightings.of_pattern(conn, wanted.id)]
    assert told == [True]  # reading the session again does not tell it twice
    store.erase([one.id], now=NOW, actor=ME)
    assert [each.data["files"] for each in kept(store)] == [["a", "c"]]


def test_what_was_not_seen_for_long_goes(store: Store) -> None:
    read(store, "s1", pair("a", "b"), pair("a", "c"), pair("a", "d", days=25))
    read(store, "s2", pair("a", "c"))
    soon = NOW + ONCE_KEPT + timedelta(days=1)
    with store.append() as conn:
        assert patterns.prune(conn, now=soon) == 1
    assert {tuple(one.data["files"]) for one in kept(store)} == {("a", "c"), ("a", "d")}
    with store.append() as conn:
        assert patterns.prune(conn, now=NOW + KEPT + timedelta(days=26)) == 2

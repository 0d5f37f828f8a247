"""A source that takes too long is cut off, and the trace says so."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import loremap
from loremap.app import Lore
from loremap.memory.recall.context import Limits
from loremap.memory.recall.recipes import RECIPES
from loremap.memory.recall.run import tuned
from loremap.storage.dialect import CutOff
from loremap.storage.sqlite.connect import asked
from loremap.storage.sqlite.cut_off import time_bound
from loremap.storage.store import Store

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"


@pytest.fixture
def lore(home: Path, tmp_path: Path) -> Iterator[Lore]:
    """A project with a few memories, by words alone."""
    with loremap.open(tmp_path) as opened:
        opened.use_embedder(None)
        for number in range(12):
            opened.remember(f"Tokens of kind {number} live for {number} hours in Redis")
        yield opened


@pytest.fixture
def store(lore: Lore) -> Store:
    return lore.store


def test_a_statement_without_end_is_stopped_and_the_connection_lives_on(store: Store) -> None:
    with store.read() as conn:
        began = time.perf_counter()
        with pytest.raises(CutOff), time_bound(conn, until=began + 0.2):
            conn.exec_driver_sql(ENDLESS).scalar_one()
        assert 0.15 < time.perf_counter() - began < 10
        assert conn.exec_driver_sql("SELECT count(*) FROM memories").scalar_one() == 12


def test_a_statement_of_the_driver_itself_is_stopped_too(store: Store) -> None:
    with store.read() as conn:
        with pytest.raises(CutOff), time_bound(conn, until=time.perf_counter() + 0.1):
            asked(conn, ENDLESS)
        assert asked(conn, "SELECT count(*) FROM memories") == [(12,)]


def test_what_ends_in_time_is_left_alone(store: Store) -> None:
    with store.read() as conn:
        with time_bound(conn, until=time.perf_counter() + 5):
            assert conn.exec_driver_sql("SELECT 7").scalar_one() == 7
        with time_bound(conn, until=None):
            assert conn.exec_driver_sql("SELECT 7").scalar_one() == 7


def test_another_error_is_not_taken_for_a_cut(store: Store) -> None:
    from sqlalchemy.exc import OperationalError

    with (
        store.read() as conn,
        pytest.raises(OperationalError),
        time_bound(conn, until=time.perf_counter() + 5),
    ):
        conn.exec_driver_sql("SELECT nothing FROM nowhere")


@pytest.mark.parametrize("recipe", ["hybrid", "lexical", "words"])
def test_the_trace_says_that_words_were_cut_off(lore: Lore, recipe: str) -> None:
    """With no time at all, even a small search is too slow."""
    assert lore.recall("how long do tokens live in Redis?", recipe=recipe, gate=False).hits
    limits = Limits(source_ms=0.0)

    def hurried(context, source=RECIPES[recipe].source):  # type: ignore[no-untyped-def]
        context.until, context.limits = time.perf_counter(), limits
        return source(context)

    from dataclasses import replace

    cut = lore.recall(
        "how long do tokens live in Redis?", recipe=replace(RECIPES[recipe], source=hurried)
    )
    assert cut.hits == ()
    assert "words were cut off after 0 ms" in cut.trace.notes


def test_no_more_candidates_than_allowed(lore: Lore) -> None:
    few = tuned(RECIPES["words"], vector=None, limits=Limits(candidates=4))
    assert len(lore.recall("tokens in Redis", recipe=few, gate=False, limit=50).hits) == 4
    assert len(lore.recall("tokens in Redis", recipe="words", gate=False, limit=50).hits) == 12


def test_fewer_are_offered_where_retrieval_is_held_short(lore: Lore) -> None:
    short = tuned(RECIPES["lexical"], vector=None, limits=Limits(top=2))
    assert len(lore.recall("tokens in Redis", recipe=short, limit=50).hits) == 2


def test_a_person_who_searches_is_not_hurried(lore: Lore, monkeypatch: pytest.MonkeyPatch) -> None:
    from loremap.memory.recall import run

    seen: list[float | None] = []
    real = run.Context

    def noted(**given):  # type: ignore[no-untyped-def]
        seen.append(given["limits"].source_ms)
        return real(**given)

    monkeypatch.setattr(run, "Context", noted)
    lore.search("tokens")
    lore.recall("tokens")
    assert seen == [None, 200.0]

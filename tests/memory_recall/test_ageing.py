"""What age and season do to an answer: a boost for what was used lately is off until it is set, and
what is out of season is told to nobody who did not ask for it."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest

import loremap
from loremap.app import Lore
from loremap.memory import standing
from loremap.memory.admission.amend import Edit
from loremap.memory.recall import hybrid
from loremap.memory.recall.recipes import RECIPES
from loremap.model.clock import short_id
from loremap.model.memory import Memory
from loremap.model.outcome import Stored
from loremap.storage import memories

NOW = datetime(2026, 3, 1, tzinfo=UTC)
FREEZE = "Deploys to production are frozen while the release candidate is tested"
QUESTION = "when are deploys to production frozen?"


@pytest.fixture
def lore(home: Path, tmp_path: Path) -> Iterator[Lore]:
    folder = tmp_path / "project"
    folder.mkdir()
    subprocess.run(["git", "init", "-q", "-b", "main", str(folder)], check=True)
    with loremap.open(folder, now=lambda: NOW) as opened:
        opened.use_embedder(None)
        opened.init()
        yield opened


def stored(lore: Lore, text: str, **rest: object) -> Memory:
    outcome = lore.remember(text, **rest)  # type: ignore[arg-type]
    assert isinstance(outcome, Stored)
    return outcome.memory


def given(lore: Lore, question: str) -> list[str]:
    return [hit.memory.content for hit in lore.recall(question, gate=False, count_use=False)]


def set_to(lore: Lore, name: str, value: object) -> None:
    values = {**lore.settings.values, name: value}
    lore.engine.settings = replace(lore.settings, values=values)  # type: ignore[arg-type]


def test_out_of_season_nobody_is_told_who_did_not_ask(lore: Lore) -> None:
    one = stored(lore, FREEZE, kind="convention", seasonal="release-week")
    assert given(lore, QUESTION) == []
    assert standing.standing_of(lore) == []
    assert given(lore, f"It is release week: {QUESTION}") == [FREEZE]
    assert [hit.memory.id for hit in lore.search(QUESTION)] == [one.id]  # a person's own search


def test_a_season_that_is_set_is_now(lore: Lore) -> None:
    stored(lore, FREEZE, kind="convention", seasonal="release-week")
    set_to(lore, "recall.seasons", ("Release-Week",))
    assert given(lore, QUESTION) == [FREEZE]
    assert [one.content for one in standing.standing_of(lore)] == [FREEZE]


def test_a_branch_may_be_of_a_season(lore: Lore) -> None:
    stored(lore, FREEZE, kind="convention", seasonal="release-week")
    root = lore.repository.root
    subprocess.run(["git", "checkout", "-q", "-b", "release-week/7"], cwd=root, check=True)
    with loremap.open(root, now=lambda: NOW) as again:
        again.use_embedder(None)
        assert given(again, QUESTION) == [FREEZE]


def test_a_pin_is_told_in_any_season(lore: Lore) -> None:
    stored(lore, FREEZE, kind="convention", seasonal="release-week", pin=True)
    assert given(lore, QUESTION) == [FREEZE]


def test_a_season_is_set_and_taken_away_by_an_edit(lore: Lore) -> None:
    one = stored(lore, FREEZE)
    lore.edit(short_id(one.id), Edit(seasonal="release-week"))
    assert given(lore, QUESTION) == []
    lore.edit(short_id(one.id), Edit(importance=0.9))  # leaves the season
    assert given(lore, QUESTION) == []
    lore.edit(short_id(one.id), Edit(seasonal=""))
    assert given(lore, QUESTION) == [FREEZE]


OLD, NEW = "The importer reads ledgers in batches", "The importer reads invoices in batches"
ASKED = "what does the importer read in batches?"


def two_ages(lore: Lore, **newer: object) -> None:
    """Two memories that answer alike, the second stored first and used just now."""
    aged = {OLD: NOW - timedelta(days=20), NEW: NOW}
    for text in (OLD, NEW):
        one = stored(lore, text, kind="decision", confidence=0.5)
        with lore.store.write(now=NOW, actor=lore.actor) as tx:
            fields = {"last_accessed_at": aged[text], **(newer if text == NEW else {})}
            now = memories.get(tx.conn, one.id)
            memories.update_memory(
                tx,
                now,
                replace(now, **fields),  # type: ignore[arg-type]
                action="update",
            )


def scores(lore: Lore) -> dict[str, float]:
    return {
        hit.memory.content: hit.score for hit in lore.recall(ASKED, gate=False, count_use=False)
    }


@pytest.mark.parametrize(
    ("is_on", "weight", "factor"), [(False, 1.0, 1.0), (True, 1.0, 1.5), (True, 0.0, 1.0)]
)
def test_recency_counts_where_it_is_set(
    lore: Lore, is_on: bool, weight: float, factor: float
) -> None:
    two_ages(lore, recency_weight=weight)
    set_to(lore, "recall.recency", is_on)
    found = scores(lore)
    assert found[NEW] / found[OLD] == pytest.approx(factor, rel=1e-3)


def test_confidence_counts_unless_it_is_switched_off(lore: Lore) -> None:
    two_ages(lore, confidence=1.0)
    weighed = scores(lore)
    assert weighed[NEW] > weighed[OLD]
    flat = replace(
        RECIPES["hybrid"], source=partial(hybrid.blended, use_confidence=False), name="flat"
    )
    answer = lore.recall(ASKED, recipe=flat, gate=False, count_use=False)
    assert len({round(hit.score, 9) for hit in answer}) == 1

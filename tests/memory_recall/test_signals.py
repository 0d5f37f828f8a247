"""What a memory's word is worth moves the default order: who said it, how sure, a file in hand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

import loremap
from loremap.app import Lore
from loremap.memory.recall.signals import confidence
from loremap.model.decay import effective_confidence

NOW = datetime(2026, 6, 1, tzinfo=UTC)


@pytest.fixture
def lore(home: Path, tmp_path: Path) -> Iterator[Lore]:
    with loremap.open(tmp_path, now=lambda: NOW) as opened:
        opened.use_embedder(None)
        yield opened


def first(lore: Lore, query: str, **given: object) -> str:
    return lore.recall(query, gate=False, **given).hits[0].memory.content  # type: ignore[arg-type]


def test_a_confirmed_one_stands_before_a_candidate(lore: Lore) -> None:
    lore.remember("Sessions of the shop live in Redis", origin="extracted")
    lore.remember("Sessions of the forum live in Redis")
    assert first(lore, "sessions in Redis") == "Sessions of the forum live in Redis"


def test_what_is_believed_less_stands_below(lore: Lore) -> None:
    lore.remember("Sessions of the shop live in Redis", confidence=0.5)
    lore.remember("Sessions of the forum live in Redis")
    assert first(lore, "sessions in Redis") == "Sessions of the forum live in Redis"


def test_a_heavier_kind_stands_before_a_lighter_one(lore: Lore) -> None:
    lore.remember("Sessions of the shop live in Redis", kind="fact")
    lore.remember("Sessions of the forum live in Redis", kind="correction")
    assert first(lore, "sessions in Redis") == "Sessions of the forum live in Redis"


def test_what_did_not_help_often_enough_is_no_longer_given(lore: Lore) -> None:
    lore.remember("Sessions of the shop live in Redis")
    one = lore.recall("sessions in Redis", gate=False).hits[0].memory
    for _ in range(7):
        lore.feedback(one.id, helpful=False)
    assert not lore.recall("sessions in Redis", gate=False).hits
    assert lore.search("sessions in Redis").hits  # a person still finds it


def test_a_file_in_hand_raises_what_is_known_of_it(lore: Lore, tmp_path: Path) -> None:
    for name in ("shop", "forum"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "sessions.py").write_text("")
        lore.remember(f"Sessions of the {name} live in Redis", files=[f"{name}/sessions.py"])
    for name in ("shop", "forum"):
        asked = first(lore, "sessions in Redis", files=[f"{name}/sessions.py"])
        beside = first(lore, "sessions in Redis", files=[f"{name}/other.py"])
        assert asked == beside == f"Sessions of the {name} live in Redis"


def test_a_users_alias_finds_in_the_default_recipe(lore: Lore) -> None:
    lore.remember("The ledger is closed on Fridays")
    lore.remember("Sessions live in Redis")
    assert not lore.recall("buchhaltung", gate=False).hits
    lore.set_alias("buchhaltung", ["ledger"])
    assert first(lore, "buchhaltung") == "The ledger is closed on Fridays"


def test_confidence_of_many_is_that_of_one(lore: Lore) -> None:
    outcome = lore.remember("Sessions live in Redis", confidence=0.7)
    memory = replace(outcome.memory, uses=4, last_accessed_at=NOW - timedelta(days=20))  # type: ignore[union-attr]
    many = confidence(
        np.array([memory.confidence]),
        trust=np.array([memory.trust]),
        idle_days=np.array([20.0]),
        half_life_days=np.array([30.0]),
        used=np.array([4]),
    )
    assert many[0] == pytest.approx(effective_confidence(memory, NOW))

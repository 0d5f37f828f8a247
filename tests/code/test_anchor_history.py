"""A long made-up history: what becomes of anchors is told right, and edits elsewhere do nothing."""

from __future__ import annotations

from collections import Counter

import pytest
from anchor_history import History, Judged

from loremap.model.anchor import Freshness

EDITS = 240
SEEDS = (20, 100, 101, 102)
"""One seed alone may fall short: 20 is at 97.2 %, for copies whose original is then rewritten."""
LANGUAGES = ("python", "typescript", "go", "make", "markdown", "yaml")


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> list[Judged]:
    return [
        one
        for seed in SEEDS
        for one in History(
            tmp_path_factory.mktemp(f"history{seed}"), seed=seed, languages=LANGUAGES
        ).run(EDITS)
    ]


def wrong(judged: list[Judged]) -> list[Judged]:
    return [one for one in judged if one.said is not one.truth]


def test_what_was_touched_is_judged_right_in_98_of_100(judged: list[Judged]) -> None:
    touched = [one for one in judged if one.touched]
    assert len(touched) >= 200
    assert len(wrong(touched)) <= 0.02 * len(touched), wrong(touched)


def test_an_edit_elsewhere_never_marks_a_memory(judged: list[Judged]) -> None:
    elsewhere = [one for one in judged if one.edit.startswith("elsewhere")]
    assert len(elsewhere) > 1000
    assert not wrong(elsewhere)


def test_layout_never_marks_a_memory(judged: list[Judged]) -> None:
    laid_out = [one for one in judged if one.edit == "reformatted" and one.touched]
    fresh = [one for one in laid_out if one.truth is Freshness.FRESH]
    assert len(fresh) > 20
    assert not wrong(fresh)


def test_the_history_holds_every_truth_and_every_sort_of_edit(judged: list[Judged]) -> None:
    touched = [one for one in judged if one.touched]
    truths = Counter(one.truth for one in touched)
    assert all(truths[truth] >= 15 for truth in Freshness), truths
    assert len({one.edit for one in judged}) >= 18

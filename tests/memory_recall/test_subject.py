"""Statements on one subject stand together: confirmed before candidates, the newest first."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from loremap.embedding.scale import GUESS, HIGHEST, KNOWN, Scale, scale_of
from loremap.memory.recall.steps import SITTING_SECONDS, Said, shared, together
from loremap.model.words import words

SCALE = Scale(0.5, 0.05)
NEAR, FAR = np.array([1.0, 0.0], np.float32), np.array([0.5, 0.866], np.float32)


ASKED = frozenset(words("What is the max upload size and the gateway?"))


def said(text: str, at: float, *, confirmed: bool = True, near: bool = True) -> Said:
    vector = NEAR if near else FAR
    spoken = words(text)
    return Said(at, confirmed, dict.fromkeys(spoken, 1.0), vector, ASKED.intersection(spoken))


OLD = said("Max upload size is 5 MB", 1)
NEW = said("The max upload size is 50 MB", 2)
SIDE = said("Uploads are scanned by ClamAV", 3)


@pytest.mark.parametrize(
    ("ranked", "order"),
    [
        ((OLD, NEW), [1, 0]),
        ((OLD, SIDE, NEW), [2, 0, 1]),  # what shares a word alone is another subject
        ((OLD, said("The max upload size is 50 MB", 2, near=False)), [0, 1]),
        ((OLD, said("The max upload size is 50 MB", 2, confirmed=False)), [0, 1]),
        ((said("Max upload size is 5 MB", 1, confirmed=False), NEW), [1, 0]),
    ],
)
def test_the_order_of_one_subject(ranked: tuple[Said, ...], order: list[int]) -> None:
    assert [one.place for one in together(ranked, SCALE)] == order


def test_the_older_one_knows_which_stands_above_it() -> None:
    first, second = together([OLD, NEW], SCALE)
    assert (first.after, second.after) == (None, 1)


def test_a_subject_that_changed_twice_is_told_in_the_words_of_the_last_change() -> None:
    first = said("The gateway is Kong", 1 * SITTING_SECONDS)
    second = said("Envoy replaced Kong", 2 * SITTING_SECONDS)
    third = said("Envoy caused incidents", 3 * SITTING_SECONDS)
    other = said("Incidents are reported", 0)
    assert [one.place for one in together([first, second, third, other], SCALE)] == [2, 1, 0, 3]


def test_a_candidate_does_not_lead_from_one_confirmed_statement_to_another() -> None:
    first = said("The gateway is Kong", 1 * SITTING_SECONDS)
    between = said("Envoy replaced Kong", 2 * SITTING_SECONDS, confirmed=False)
    third = said("Envoy caused incidents", 3 * SITTING_SECONDS)
    assert [one.place for one in together([first, between, third], SCALE)] == [0, 1, 2]


@pytest.mark.parametrize(("later", "order"), [(60, [0, 1]), (SITTING_SECONDS, [1, 0])])
def test_what_does_not_say_what_was_asked_overtakes_another_day(
    later: float, order: list[int]
) -> None:
    answer = said("The max upload size of Japan is 5 MB", 0)
    beside = said("The language of Japan is 5 MB", later)
    assert [one.place for one in together([answer, beside], SCALE)] == order


def test_two_in_an_open_conflict_have_one_subject() -> None:
    one = Said(1, True, {}, conflicts=frozenset({1}))
    other = Said(2, True, {}, conflicts=frozenset({0}))
    assert [each.place for each in together([one, other], SCALE)] == [1, 0]


def test_what_names_another_thing_than_was_asked_for_overtakes_nothing() -> None:
    asked = replace(OLD, named=frozenset({"4001"}))
    assert [one.place for one in together([asked, NEW], SCALE)] == [0, 1]


def test_what_happened_once_has_no_words_and_so_no_subject() -> None:
    notes = [Said(1, True, {}, NEAR), Said(2, True, {}, NEAR)]
    assert [each.place for each in together(notes, SCALE)] == [0, 1]


def test_the_shorter_ones_words_count() -> None:
    assert shared({"a": 1.0, "b": 3.0}, {"b": 3.0}) == pytest.approx(1.0)
    assert shared({"a": 1.0}, {"b": 1.0}) == 0.0
    assert shared({}, {"b": 1.0}) == 0.0


def test_a_model_nobody_measured_is_judged_by_its_vectors() -> None:
    known = scale_of("all-MiniLM-L6-v2@abcdef01", np.zeros((0, 2), np.float32))
    assert known == KNOWN["all-MiniLM-L6-v2"]
    assert scale_of("other", np.zeros((1, 2), np.float32)) == GUESS
    drawn = np.random.default_rng(1).normal(size=(200, 32)).astype(np.float32)
    drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
    estimated = scale_of("other", drawn)
    assert estimated.usual == pytest.approx(0.0, abs=0.02)
    assert estimated.of(0.9) > 4
    assert Scale(0.5, 0.3).cosine(4.2) == HIGHEST

"""The rules that make one score of words, vectors and context."""

from __future__ import annotations

import numpy as np
import pytest

from loremap.retrieval import blend
from loremap.retrieval.newest import Said, newest_first, same_frame


@pytest.mark.parametrize(
    ("code", "long", "weight"),
    [(0.0, 0.0, 0.4), (0.0, 1.0, 0.6), (1.0, 0.0, 0.9), (0.5, 0.0, 0.65)],
)
def test_vectors_weigh_more_on_long_texts_and_code(code: float, long: float, weight: float) -> None:
    assert blend.dense_weight(code_share=code, long_share=long) == pytest.approx(weight)


def test_both_sources_are_brought_to_one_scale() -> None:
    dense = np.array([0.9, 0.5, 0.1] + [0.1] * 997)
    lexical = np.array([0.0, 8.0, 4.0] + [0.0] * 997)
    assert blend.blended(dense, lexical, 1.0)[:3] == pytest.approx([1.0, 0.5, 0.0], abs=0.01)
    assert blend.blended(dense, lexical, 0.0)[:3] == pytest.approx([0.0, 1.0, 0.5])
    assert blend.blended(dense, lexical, 0.5)[:3] == pytest.approx([0.5, 0.75, 0.25], abs=0.01)


def test_of_two_memories_that_fit_the_second_is_not_far() -> None:
    assert blend.blended(np.array([0.7, 0.6]), np.zeros(2), 1.0)[1] > 0.7


def test_no_words_or_equal_vectors_divide_by_nothing() -> None:
    same, none = np.array([0.1, 0.1]), np.zeros(2)
    assert blend.blended(same, none, 0.5) == pytest.approx([0.0, 0.0])
    assert blend.blended(np.array([-0.3]), np.zeros(1), 0.5) == pytest.approx([0.0])


def test_what_is_near_to_everything_is_crowded() -> None:
    vectors = np.array([[1, 0], [0.995, 0.0999], [0.98, 0.199], [0, 1]], np.float32)
    crowd = blend.crowding(vectors)
    assert crowd[3] == crowd.min() < crowd[:3].min()
    assert blend.crowding(vectors[:1]).tolist() == [0.0]


def test_neighbours_are_those_of_the_same_session_in_time() -> None:
    sessions, at = np.array([1, 2, 1, 1, -1, -1]), np.array([30, 5, 10, 20, 1, 2])
    before, after = blend.neighbours(sessions, at)
    assert before.tolist() == [3, -1, -1, 2, -1, -1]
    assert after.tolist() == [-1, -1, 3, 0, -1, -1]


def test_context_lends_a_part_of_the_neighbours_scores() -> None:
    scores = np.array([1.0, 0.0, 0.0, -1.0])
    before, after = np.array([-1, 0, 1, 2]), np.array([1, 2, 3, -1])
    raised = blend.with_context(scores, before=before, after=after, share=np.ones(4))
    assert raised == pytest.approx([1.0, 0.3, 0.2, -1.0])  # what is below average lends nothing
    none = blend.with_context(scores, before=before, after=after, share=np.zeros(4))
    assert none == pytest.approx(scores)


@pytest.mark.parametrize(("characters", "share"), [(0, 1.0), (300, 1.0), (600, 0.5), (3000, 0.1)])
def test_a_long_text_needs_less_context(characters: int, share: float) -> None:
    assert blend.context_share(np.array([characters])) == pytest.approx([share])


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("The capital of France is Paris", "The capital of France is Lyon", True),
        ("The capital of France is Paris", "The capital of Spain is Madrid", True),
        ("Chanel was founded by Coco Chanel", "Chanel was founded by Andy Warhol", True),
        ("Use tabs", "Use spaces", False),  # too little is shared to be a frame
        ("Deploys run on Tuesday", "Backups run on Tuesday", False),
    ],
)
def test_a_frame_is_a_shared_opening(one: str, other: str, same: bool) -> None:
    assert same_frame(one, other) is same


def test_of_one_frame_the_newest_stands_first_if_it_holds_the_querys_words() -> None:
    france = {"capit", "franc"}
    ranked = [
        Said("The capital of France is Paris", 1, france),
        Said("The capital of Spain is Madrid", 9, {"capit"}),
        Said("The capital of France is Lyon", 5, france),
        Said("France exports wine", 7, {"franc"}),
    ]
    assert newest_first(ranked) == [2, 1, 0, 3]
    unconfirmed = Said("The capital of France is Nice", 8, france, confirmed=False)
    assert newest_first([unconfirmed, *ranked]) == [3, 1, 2, 0, 4]


def test_a_candidates_word_and_a_faded_one_count_for_less() -> None:
    worth = blend.standing(
        candidate=np.array([False, True, False, False]),
        idle_days=np.array([0.0, 0.0, 30.0, 9999.0]),
        half_life_days=np.array([30.0, 30.0, 30.0, np.inf]),
    )
    assert worth == pytest.approx([1.0, 0.85, 0.975, 1.0])
    scores = np.array([1.0, 1.0, 1.0, -1.0])
    assert blend.weighed(scores, worth * 0.5) == pytest.approx([0.5, 0.425, 0.4875, -1.0])

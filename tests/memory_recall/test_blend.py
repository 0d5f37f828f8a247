"""The rules that make one score of words, vectors and context, and an answer of scores."""

from __future__ import annotations

import numpy as np
import pytest

from loremap.memory.recall import signals


@pytest.mark.parametrize(
    ("talk", "code", "weight"),
    [(0.0, 0.0, 2.0), (1.0, 0.0, 5.0), (0.0, 1.0, 0.5), (0.5, 0.0, 3.5)],
)
def test_words_weigh_more_in_talk_and_less_in_code(talk: float, code: float, weight: float) -> None:
    assert signals.words_weight(talk_share=talk, code_share=code) == pytest.approx(weight)


def test_the_nearest_scores_one_and_words_add_what_they_cover() -> None:
    dense = np.array([0.9, 0.5, 0.1] + [0.1] * 997)
    said = np.array([0.0, 0.5, 0.25] + [0.0] * 997)
    none = signals.blended(dense, np.zeros(1000), weight=2.0, usual=0.1)
    assert none[:3] == pytest.approx([1.0, 0.5, 0.0], abs=0.01)
    both = signals.blended(dense, said, weight=2.0, usual=0.1)
    assert both[:3] == pytest.approx([1.0, 1.5, 0.5], abs=0.01)


@pytest.mark.parametrize("dense", [[0.1, 0.1], [-0.3], [0.7, 0.6]])
def test_equal_or_few_vectors_divide_by_nothing(dense: list[float]) -> None:
    scores = signals.blended(np.array(dense), np.zeros(len(dense)), weight=2.0, usual=0.1)
    assert np.isfinite(scores).all()
    assert scores.argmax() == 0


def test_neighbours_are_those_of_the_same_session_in_time() -> None:
    sessions, at = np.array([1, 2, 1, 1, -1, -1]), np.array([30, 5, 10, 20, 1, 2])
    before, after = signals.neighbours(sessions, at)
    assert before.tolist() == [3, -1, -1, 2, -1, -1]
    assert after.tolist() == [-1, -1, 3, 0, -1, -1]


def test_context_lends_a_part_of_the_neighbours_scores() -> None:
    scores = np.array([1.0, 0.0, 0.0, -1.0])
    before, after = np.array([-1, 0, 1, 2]), np.array([1, 2, 3, -1])
    raised = signals.with_context(scores, before=before, after=after, share=np.ones(4))
    assert raised == pytest.approx([1.0, 0.3, 0.2, -1.0])  # what is below average lends nothing
    none = signals.with_context(scores, before=before, after=after, share=np.zeros(4))
    assert none == pytest.approx(scores)


@pytest.mark.parametrize(("characters", "share"), [(0, 1.0), (300, 1.0), (600, 0.5), (3000, 0.1)])
def test_a_long_text_needs_less_context(characters: int, share: float) -> None:
    assert signals.context_share(np.array([characters])) == pytest.approx([share])


@pytest.mark.parametrize(
    ("scores", "given"),
    [
        ([], 0),
        ([1.0], 1),
        ([1.0, 0.4], 1),
        ([1.0, 0.7], 2),  # from the second to nothing is farther than from the first to it
        ([2.0, 0.5, 0.4, 0.3], 1),
        ([2.0, 1.9, 0.4, 0.3], 2),
        ([2.0, 1.9, 1.8, 0.3], 3),
        ([2.0, 1.7, 1.0, 0.9], 2),
        ([2.0, 1.9, 1.8, 1.7, 1.6], 3),  # never more than three
    ],
)
def test_an_answer_ends_where_the_scores_fall_off(scores: list[float], given: int) -> None:
    assert signals.given(scores) == given


def test_what_counts_for_less_loses_of_its_score_and_a_negative_one_stays() -> None:
    scores, worth = np.array([1.0, 2.0, -1.0]), np.array([0.5, 1.0, 0.5])
    assert signals.weighed(scores, worth) == pytest.approx([0.5, 2.0, -1.0])

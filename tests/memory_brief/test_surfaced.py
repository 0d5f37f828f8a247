"""When a session's subject has changed, by vectors or by words."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from loremap.agent.state import Topic, continued, is_new_topic
from loremap.embedding.scale import Scale

WORDS = ("login", "token", "refresh")
OTHERS = ("five", "words", "of", "something", "else")

SCALE = Scale(0.2, 0.1)
"""Below a cosine of .3 texts are unrelated."""


def at(cosine: float) -> NDArray[np.float32]:
    """A unit vector of that similarity with (1, 0)."""
    return np.asarray([cosine, math.sqrt(1 - cosine * cosine)], np.float32)


@pytest.mark.parametrize(
    ("cosine", "new"), [(1.0, False), (0.31, False), (0.29, True), (0.0, True), (-0.5, True)]
)
def test_below_three_tenths_begins_another_topic(cosine: float, new: bool) -> None:
    topic = Topic(at(1.0), WORDS)
    assert is_new_topic(topic, vector=at(cosine), words=OTHERS, scale=SCALE) is new


@pytest.mark.parametrize(
    ("words", "new"),
    [
        (("login", "token", "expire", "every", "night"), False),
        (("cart", "total", "wrong", "for", "discounts"), True),
        (("cart", "total", "token", "wrong", "here"), True),  # a fifth is too little
        (("thanks", "looks", "good"), False),  # too short to tell
        ((), False),
    ],
)
def test_without_vectors_words_tell(words: tuple[str, ...], new: bool) -> None:
    assert is_new_topic(Topic(None, WORDS), vector=None, words=words, scale=SCALE) is new


def test_where_there_is_nothing_to_compare_with_nothing_is_new() -> None:
    assert not is_new_topic(Topic(), vector=at(1.0), words=WORDS, scale=SCALE)
    assert not is_new_topic(Topic(None, WORDS), vector=at(1.0), words=OTHERS, scale=SCALE)
    assert not is_new_topic(Topic(at(1.0), WORDS), vector=None, words=OTHERS, scale=SCALE)


def test_the_topic_moves_with_the_prompts_and_forgets() -> None:
    topic = Topic(at(1.0), ("login",))
    drifted = topic
    for _ in range(8):
        drifted = continued(drifted, vector=at(0.5), words=("cart",), anew=False)
    assert drifted.vector is not None
    assert float(np.linalg.norm(drifted.vector)) == pytest.approx(1.0)
    assert 0.5 <= float(drifted.vector @ at(1.0)) < 0.6
    assert drifted.words == ("cart", "login")


def test_a_new_topic_forgets_the_old_one_and_small_talk_changes_nothing() -> None:
    topic = Topic(at(1.0), ("login",))
    fresh = continued(topic, vector=at(0.0), words=("cart",), anew=True)
    assert fresh.words == ("cart",)
    assert fresh.vector is not None
    assert float(fresh.vector @ at(1.0)) == pytest.approx(0.0)
    assert continued(topic, vector=None, words=(), anew=False) is topic


def test_the_vector_of_a_model_that_came_late_is_taken() -> None:
    topic = continued(Topic(None, ("login",)), vector=at(1.0), words=("login",), anew=False)
    assert topic.vector is not None

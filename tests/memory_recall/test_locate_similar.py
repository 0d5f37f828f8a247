"""Symbols as texts, and what their vectors say of files."""

from __future__ import annotations

import numpy as np
import pytest

from loremap.code.extraction.extract import extract
from loremap.code.locate.similar import (
    expected_similarity,
    file_similarity,
    symbol_texts,
    task_texts,
)

NAN = float("nan")

SOURCE = b'''
class HTTPGateway:
    """Talks to the bank."""

    def __init__(self): ...

    def send_request(self, card):
        """Ask the bank."""
'''


@pytest.mark.parametrize(
    ("path", "source", "texts"),
    [
        (
            "src/shop/pay/gateway.py",
            SOURCE,
            [
                "shop pay gateway: HTTP Gateway. Talks to the bank.",
                "shop pay gateway: HTTP Gateway send request. Ask the bank.",
            ],
        ),
        ("shop/pay/__init__.py", b"", ["shop pay"]),  # a file without symbols is its place
    ],
)
def test_a_symbol_is_told_in_plain_words(path: str, source: bytes, texts: list[str]) -> None:
    assert symbol_texts(path, extract(source, "python")) == texts


def test_a_task_is_its_title_and_its_opening() -> None:
    title, opening = task_texts("Cart is slow\n" + "x" * 5000)
    assert title == "Cart is slow"
    assert opening.startswith("Cart is slow\nx")
    assert len(opening) == 2000


def test_a_file_is_as_like_as_its_likest_symbol() -> None:
    vectors = np.array([[1, 0], [0, 1], [0.6, 0.8]], np.float32)
    task = np.array([[1, 0], [1, 0]], np.float32)
    owners = np.array([0, 0, 2], np.int32)
    found = file_similarity(vectors, owners, task, file_count=3)
    assert found == pytest.approx([1.0, np.nan, 0.6], nan_ok=True)  # the second has no vectors


@pytest.mark.parametrize(
    ("similar", "words", "expected"),
    [
        ([0.9, 0.5, 0.1], [3, 2, 1], [0.9, 0.5, 0.1]),  # all are known
        ([0.9, NAN, 0.1], [3, 2, 1], [0.9, 0.5, 0.1]),  # between two others by its words
        ([0.5, NAN, 0.1], [2, 9, 1], [0.5, 0.5, 0.1]),  # never above what was seen
        ([0.1, NAN, 0.9], [3, 2, 1], [0.1, 0.5, 0.9]),  # where words mislead: the mean
        ([0.4, NAN, NAN], [1, 0, 5], [0.4, 0.4, 0.4]),  # one file tells no slope
        ([NAN, NAN, NAN], [3, 2, 1], [0.0, 0.0, 0.0]),
    ],
)
def test_a_file_without_vectors_is_as_like_as_its_words_let_expect(
    similar: list[float], words: list[float], expected: list[float]
) -> None:
    found = expected_similarity(np.array(similar), np.array(words, np.float64))
    assert found == pytest.approx(expected)

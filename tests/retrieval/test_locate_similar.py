"""Symbols as texts, and what their vectors say of files."""

from __future__ import annotations

import numpy as np
import pytest

from loremap.codegraph.extraction.extract import extract
from loremap.retrieval.locate.similar import file_similarity, symbol_texts, task_texts

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
    assert found == pytest.approx([1.0, -1.0, 0.6])  # the second file has no symbols

"""Graphs written by ourselves, run by the real onnxruntime."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from loremap.embedding.onnx_file import FLOAT, INT32, Weight, model, node, value
from loremap.embedding.session import Session
from loremap.errors import ModelFailed

IDS = np.array([[2, 0], [1, 1]], np.int32)


def run(nodes: list[bytes], **weights: Weight) -> NDArray[np.float32]:
    """What the nodes make of `ids` in `out`."""
    graph = model(
        nodes,
        constants={"zero": np.array(0, np.int64), "flat": np.array([-1], np.int64)},
        weights=weights,
        inputs=[value("ids", INT32, ["rows", 2])],
        outputs=[value("out", FLOAT, ["rows", "columns"])],
        opsets={"": 17},
    )
    return Session(graph, 1, weights=weights or None).run({"ids": IDS})


def test_weights_are_looked_up() -> None:
    table = np.array([0.5, 1.5, 1e-30], np.float32)
    found = run([node("Gather", ["table", "ids"], "out")], table=table)
    assert (found == table[IDS]).all()


def test_int8_weights_keep_their_sign() -> None:
    table = np.array([-128, 0, 127], np.int8)
    nodes = [node("Gather", ["table", "ids"], "taken"), node("Cast", ["taken"], "out", to=FLOAT)]
    assert (run(nodes, table=table) == table[IDS]).all()


def test_options_are_whole_negative_or_fractional_numbers() -> None:
    table = np.array([[3.0, -1.0]], np.float32)
    normed = node("LayerNormalization", ["table", "one", "none"], "out", axis=-1, epsilon=5.0)
    found = run([normed], table=table, one=np.ones(2, np.float32), none=np.zeros(2, np.float32))
    assert np.abs(found - np.array([[2.0, -2.0]]) / 3.0).max() < 1e-6  # variance 4, epsilon 5


def test_constants_lie_within() -> None:
    table = np.arange(6, dtype=np.float32).reshape(3, 2)
    nodes = [
        node("Reshape", ["table", "flat"], "row"),  # -1: as many as there are
        node("Gather", ["row", "zero"], "first"),
        node("Add", ["first", "table"], "out"),
    ]
    assert (run(nodes, table=table) == table).all()


@pytest.mark.parametrize("size", [1, 127, 128, 16_383, 16_384, 300_000])
def test_lengths_of_every_number_of_bytes(size: int) -> None:
    table = np.linspace(0, 1, size, dtype=np.float32).reshape(1, -1)
    assert (run([node("Identity", ["table"], "out")], table=table) == table).all()


@pytest.mark.parametrize("graph", [b"", b"\xff" * 100, b"not a graph"])
def test_what_is_no_graph_is_our_error(graph: bytes) -> None:
    with pytest.raises(ModelFailed):
        Session(graph, 1)


def test_a_weight_that_is_not_given_is_our_error() -> None:
    graph = model(
        [node("Identity", ["table"], "out")],
        constants={},
        weights={"table": np.zeros((1, 2), np.float32)},
        inputs=[],
        outputs=[value("out", FLOAT, [1, 2])],
        opsets={"": 17},
    )
    with pytest.raises(ModelFailed):
        Session(graph, 1)

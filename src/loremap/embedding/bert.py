"""Granite as an ONNX graph: pure, from its pack to what onnxruntime loads.

The table of words, two thirds of all weights, stays int8: few of its rows are ever read. The layers
are widened to float32: with int8 arithmetic batches were slower on processors without VNNI, and
vectors would differ from one processor to the next.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from loremap.embedding.onnx_file import FLOAT, INT32, Weight, model, node, value
from loremap.embedding.pack import Pack

INPUT_IDS, INPUT_MASK, OUTPUT = "ids", "mask", "vectors"
DIM = 384
_LAYERS, _HEADS, _EPSILON = 6, 12, 1e-12
_POSITION_OFFSET = 2
"""RoBERTa's first token stands at position 2."""
_FUSED = "com.microsoft"
"""onnxruntime's own fused operators: with them nothing is left to optimise at every load."""
_OPSETS = {"": 17, _FUSED: 1}


def graph_of(weights: Mapping[str, Weight]) -> bytes:
    """The graph from token ids and mask to unit vectors; `weights` are only declared in it."""
    return model(
        _nodes(),
        constants={
            "zero": np.array(0, np.int64),
            "start": np.array([0], np.int64),
            "row": np.array([0, 0, DIM], np.int64),
        },
        weights=weights,
        inputs=[value(name, INT32, ["texts", "tokens"]) for name in (INPUT_IDS, INPUT_MASK)],
        outputs=[value(OUTPUT, FLOAT, ["texts", DIM])],
        opsets=_OPSETS,
    )


def weights_of(pack: Pack) -> dict[str, Weight]:
    """The graph's weights."""
    words = pack.matrices["word_emb"]
    positions = pack.vectors["pos_emb"][_POSITION_OFFSET:]
    weights: dict[str, Weight] = {
        "words": words.steps,
        "word_scales": words.scales,
        # A text is always of type 0, so that row is added to the positions once and for all.
        "positions": positions + pack.vectors["type_emb"][0],
    }
    for layer in range(_LAYERS):
        for name in ("qkv", "ao", "f1", "f2"):  # the operators want input by output
            weights[f"l{layer}.{name}.w"] = pack.matrices[f"l{layer}.{name}.w"].transposed()
    return weights | {name: row for name, row in pack.vectors.items() if row.ndim == 1}


def _nodes() -> Iterator[bytes]:
    yield from _words()
    for layer in range(_LAYERS):
        yield from _layer(f"l{layer}", f"in{layer}", f"in{layer + 1}", last=layer == _LAYERS - 1)
    yield node("LpNormalization", [f"in{_LAYERS}"], OUTPUT, axis=-1, p=2)


def _words() -> Iterator[bytes]:
    yield node("Gather", ["words", INPUT_IDS], "steps")
    yield node("Gather", ["word_scales", INPUT_IDS], "scales")
    yield node("Cast", ["steps"], "wide_steps", to=FLOAT)
    yield node("Mul", ["wide_steps", "scales"], "groups")
    yield node("Reshape", ["groups", "row"], "word_rows")
    yield node("Shape", [INPUT_IDS], "length", start=1)
    yield node("Slice", ["positions", "start", "length", "start"], "places")
    yield node("Add", ["word_rows", "places"], "tokens")
    normed = ["tokens", "emb_ln.w", "emb_ln.b"]
    yield node("LayerNormalization", normed, "in0", axis=-1, epsilon=_EPSILON)


def _layer(at: str, entered: str, left: str, *, last: bool) -> Iterator[bytes]:
    def weights(name: str) -> list[str]:
        return [f"{at}.{name}.w", f"{at}.{name}.b"]

    def fused(op: str, inputs: list[str], output: str, **options: float) -> bytes:
        return node(op, inputs, output, domain=_FUSED, **options)

    seen, mixed, mid = f"{at}.seen", f"{at}.mixed", f"{at}.mid"
    wide, active, narrow = f"{at}.wide", f"{at}.active", f"{at}.narrow"
    yield fused("Attention", [entered, *weights("qkv"), INPUT_MASK], seen, num_heads=_HEADS)
    if last:  # the first token stands for the text: nobody asks for the others any more
        yield node("Gather", [seen, "zero"], f"{at}.first", axis=1)
        yield node("Gather", [entered, "zero"], f"{at}.entered", axis=1)
        seen, entered = f"{at}.first", f"{at}.entered"
    yield node("MatMul", [seen, f"{at}.ao.w"], mixed)
    skipped = [mixed, entered, *weights("aln"), f"{at}.ao.b"]
    yield fused("SkipLayerNormalization", skipped, mid, epsilon=_EPSILON)
    yield node("MatMul", [mid, f"{at}.f1.w"], wide)
    yield fused("BiasGelu", [wide, f"{at}.f1.b"], active)
    yield node("MatMul", [active, f"{at}.f2.w"], narrow)
    skipped = [narrow, mid, *weights("fln"), f"{at}.f2.b"]
    yield fused("SkipLayerNormalization", skipped, left, epsilon=_EPSILON)

"""The sentence model as an ONNX graph: pure, from named weights to nodes and tensors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from loremap.embedding.pinned import DIM, MAX_TOKENS, MODEL

if TYPE_CHECKING:
    import onnx

Array = NDArray[np.float32]
Weights = Mapping[str, Array]
Tensors = dict[str, Array]

INPUT_IDS, INPUT_MASK, OUTPUT = "ids", "mask", "vectors"
_LAYERS, _HEADS, _EPSILON = 6, 12, 1e-12
_FUSED = "com.microsoft"
"""onnxruntime's own fused operators: with them nothing is left to optimise at every load."""
_FUSED_VERSION, _OPSET, _IR_VERSION = 1, 17, 8
_INLINE_BYTES = 1024
_ALIGNMENT_BYTES = 64


def tensors_of(weights: Weights) -> Tensors:
    """The graph's constants: weights as the fused operators want them (input by output)."""
    token_type = weights["embeddings.token_type_embeddings.weight"][0]
    tensors = {
        "words": weights["embeddings.word_embeddings.weight"],
        # A sentence is always of type 0, so its row is added to the positions once and for all.
        "positions": weights["embeddings.position_embeddings.weight"][:MAX_TOKENS] + token_type,
        "scale": weights["embeddings.LayerNorm.weight"],
        "shift": weights["embeddings.LayerNorm.bias"],
    }
    for layer in range(_LAYERS):
        tensors |= _layer_tensors(weights, layer)
    return tensors


def placed(tensors: Tensors) -> Iterator[tuple[str, Array, int]]:
    """Each large tensor with its offset in the data file, in file order."""
    offset = 0
    for name, tensor in tensors.items():
        if tensor.nbytes > _INLINE_BYTES:
            yield name, tensor, offset
            offset += -(-tensor.nbytes // _ALIGNMENT_BYTES) * _ALIGNMENT_BYTES


def model_of(tensors: Tensors, *, data_name: str) -> onnx.ModelProto:
    """The graph from token ids and mask to unit vectors; large constants lie in `data_name`."""
    from onnx import TensorProto, helper, numpy_helper

    outside = {name: offset for name, _, offset in placed(tensors)}
    constants = [numpy_helper.from_array(np.array([1], dtype=np.int64), "axis")]
    for name, tensor in tensors.items():
        if name in outside:
            constants.append(_reference(name, tensor, offset=outside[name], data_name=data_name))
        else:
            constants.append(numpy_helper.from_array(tensor, name))
    shape = ["texts", "tokens"]
    graph = helper.make_graph(
        list(_nodes()),
        MODEL,
        [
            helper.make_tensor_value_info(name, TensorProto.INT32, shape)
            for name in (INPUT_IDS, INPUT_MASK)
        ],
        [helper.make_tensor_value_info(OUTPUT, TensorProto.FLOAT, ["texts", DIM])],
        constants,
    )
    opsets = [helper.make_opsetid("", _OPSET), helper.make_opsetid(_FUSED, _FUSED_VERSION)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=_IR_VERSION)


def _layer_tensors(weights: Weights, layer: int) -> Tensors:
    def of(name: str) -> Array:
        return weights[f"encoder.layer.{layer}.{name}"]

    heads = [f"attention.self.{part}" for part in ("query", "key", "value")]
    return {
        f"{layer}.qkv": np.concatenate([of(f"{head}.weight").T for head in heads], axis=1),
        f"{layer}.qkv_bias": np.concatenate([of(f"{head}.bias") for head in heads]),
        f"{layer}.mix": of("attention.output.dense.weight").T,
        f"{layer}.mix_bias": of("attention.output.dense.bias"),
        f"{layer}.mix_scale": of("attention.output.LayerNorm.weight"),
        f"{layer}.mix_shift": of("attention.output.LayerNorm.bias"),
        f"{layer}.up": of("intermediate.dense.weight").T,
        f"{layer}.up_bias": of("intermediate.dense.bias"),
        f"{layer}.down": of("output.dense.weight").T,
        f"{layer}.down_bias": of("output.dense.bias"),
        f"{layer}.down_scale": of("output.LayerNorm.weight"),
        f"{layer}.down_shift": of("output.LayerNorm.bias"),
    }


def _nodes() -> Iterator[onnx.NodeProto]:
    from onnx import TensorProto, helper

    def fused(op: str, inputs: list[str], *outputs: str, **options: float) -> onnx.NodeProto:
        node = helper.make_node(op, inputs, outputs, domain=_FUSED)
        node.attribute.extend(helper.make_attribute(key, options[key]) for key in options)
        return node

    words = [INPUT_IDS, "", "words", "positions", "", "scale", "shift"]
    yield fused("EmbedLayerNormalization", words, "0.in", "unused", epsilon=_EPSILON)
    for n in range(_LAYERS):
        seen = [f"{n}.in", f"{n}.qkv", f"{n}.qkv_bias", INPUT_MASK]
        yield fused("Attention", seen, f"{n}.seen", num_heads=_HEADS)
        yield helper.make_node("MatMul", [f"{n}.seen", f"{n}.mix"], [f"{n}.mixed"])
        mixed = [f"{n}.mixed", f"{n}.in", f"{n}.mix_scale", f"{n}.mix_shift", f"{n}.mix_bias"]
        yield fused("SkipLayerNormalization", mixed, f"{n}.mid", epsilon=_EPSILON)
        yield helper.make_node("MatMul", [f"{n}.mid", f"{n}.up"], [f"{n}.wide"])
        yield fused("BiasGelu", [f"{n}.wide", f"{n}.up_bias"], f"{n}.active")
        yield helper.make_node("MatMul", [f"{n}.active", f"{n}.down"], [f"{n}.narrow"])
        narrow = [f"{n}.narrow", f"{n}.mid", f"{n}.down_scale", f"{n}.down_shift", f"{n}.down_bias"]
        yield fused("SkipLayerNormalization", narrow, f"{n + 1}.in", epsilon=_EPSILON)
    # The mean over the tokens that are not padding, then unit length: the length of the text
    # cancels out in the last step, so the sum serves as the mean.
    yield helper.make_node("Cast", [INPUT_MASK], ["weight"], to=TensorProto.FLOAT)
    yield helper.make_node("Unsqueeze", ["weight", "axis"], ["weight_row"])
    yield helper.make_node("MatMul", ["weight_row", f"{_LAYERS}.in"], ["sum_row"])
    yield helper.make_node("Squeeze", ["sum_row", "axis"], ["sum"])
    yield helper.make_node("LpNormalization", ["sum"], [OUTPUT], axis=-1, p=2)


def _reference(name: str, tensor: Array, *, offset: int, data_name: str) -> onnx.TensorProto:
    from onnx import TensorProto

    reference = TensorProto(
        name=name,
        dims=tensor.shape,
        data_type=TensorProto.FLOAT,
        data_location=TensorProto.EXTERNAL,
    )
    place = {"location": data_name, "offset": str(offset), "length": str(tensor.nbytes)}
    for key, value in place.items():
        reference.external_data.add(key=key, value=value)
    return reference

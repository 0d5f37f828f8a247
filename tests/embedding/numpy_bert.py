"""The models written out once more from their description, in numpy and double precision."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Iterator, Mapping
from math import erf, sqrt
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

Array = NDArray[np.float64]
Named = Mapping[str, Array]


class NumpyBert:
    """Six layers of twelve heads; how weights are named and tokens pooled is the model's affair."""

    def __init__(
        self,
        tokenizer: Tokenizer,
        weights: Named,
        *,
        max_tokens: int,
        first_position: int,
        pooled: Callable[[Array], Array],
    ) -> None:
        self._tokenizer, self._weights, self._pooled = tokenizer, weights, pooled
        self._first = first_position
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(max_tokens)
        self._erf = np.vectorize(erf, otypes=[np.float64])

    def vector(self, text: str) -> Array:
        ids = self._tokenizer.encode(text).ids
        places = self._weights["positions"][self._first : self._first + len(ids)]
        x = self._norm(self._weights["words"][ids] + places + self._weights["types"][0], "start")
        for layer in range(6):
            x = self._layer(x, f"{layer}.")
        pooled = self._pooled(x)
        return np.asarray(pooled / np.linalg.norm(pooled))

    def _layer(self, x: Array, at: str) -> Array:
        query, key, value = (
            self._linear(x, f"{at}{part}").reshape(len(x), 12, 32).swapaxes(0, 1)
            for part in ("query", "key", "value")
        )
        scores = np.exp(query @ key.swapaxes(1, 2) / sqrt(32))
        shares = scores / scores.sum(axis=-1, keepdims=True)
        seen = (shares @ value).swapaxes(0, 1).reshape(len(x), 384)
        x = self._norm(self._linear(seen, f"{at}mix") + x, f"{at}mix_norm")
        wide = self._linear(x, f"{at}up")
        active = wide * 0.5 * (1 + self._erf(wide / sqrt(2)))
        return self._norm(self._linear(active, f"{at}down") + x, f"{at}down_norm")

    def _linear(self, x: Array, name: str) -> Array:
        return x @ self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"]

    def _norm(self, x: Array, name: str) -> Array:
        centred = x - x.mean(axis=-1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-12)
        return np.asarray(scaled * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"])


def granite(home: Path) -> NumpyBert:
    """Granite from its pack."""
    content = (home / "granite-embedding-30m-english-int8.hmsemb").read_bytes()
    (length,) = struct.unpack_from("<Q", content, 8)
    header = json.loads(content[16 : 16 + length])
    at = 16 + length + header["tokenizer_len"]
    tokenizer = Tokenizer.from_buffer(content[16 + length : at])
    found: dict[str, Array] = {}
    for entry in header["tensors"]:
        part = content[at : at + entry["len"]]
        at += entry["len"]
        if entry["dtype"] == "i8":
            count = int(np.prod(entry["shape"]))
            steps = np.frombuffer(part, np.int8, count).astype(np.float64)
            scales = np.frombuffer(part, "<f4", offset=count)
            numbers = steps * np.repeat(scales, 64)
        else:
            numbers = np.frombuffer(part, "<f4").astype(np.float64)
        found[entry["name"]] = numbers.reshape(entry["shape"])
    assert at == len(content)
    weights = {"words": found["word_emb"], "positions": found["pos_emb"]}
    weights |= {"types": found["type_emb"], **_both(found, "start", "emb_ln")}
    for n in range(6):
        parts = zip(
            ("query", "key", "value"),
            np.split(found[f"l{n}.qkv.w"], 3),
            np.split(found[f"l{n}.qkv.b"], 3),
            strict=True,
        )
        for name, matrix, bias in parts:
            weights |= {f"{n}.{name}.weight": matrix.T, f"{n}.{name}.bias": bias}
        for ours, theirs in (("mix", "ao"), ("up", "f1"), ("down", "f2")):
            weights[f"{n}.{ours}.weight"] = found[f"l{n}.{theirs}.w"].T
            weights[f"{n}.{ours}.bias"] = found[f"l{n}.{theirs}.b"]
        weights |= _both(found, f"{n}.mix_norm", f"l{n}.aln")
        weights |= _both(found, f"{n}.down_norm", f"l{n}.fln")
    return NumpyBert(
        tokenizer, weights, max_tokens=512, first_position=2, pooled=lambda tokens: tokens[0]
    )


def _both(found: Named, ours: str, theirs: str) -> dict[str, Array]:
    return {f"{ours}.weight": found[f"{theirs}.w"], f"{ours}.bias": found[f"{theirs}.b"]}


def minilm(home: Path) -> NumpyBert:
    """MiniLM from its quantized graph, every weight widened again."""
    tensors, weight_of = _onnx((home / "model_quantized.onnx").read_bytes())

    def wide(name: str) -> Array:
        zero, scale = tensors[f"{name}_zero_point"], tensors[f"{name}_scale"]
        return (tensors[f"{name}_quantized"].astype(np.float64) - zero.astype(np.float64)) * scale

    weights = {
        "words": wide("embeddings.word_embeddings.weight"),
        "positions": wide("embeddings.position_embeddings.weight"),
        "types": wide("embeddings.token_type_embeddings.weight"),
        "start.weight": tensors["embeddings.LayerNorm.weight"],
        "start.bias": tensors["embeddings.LayerNorm.bias"],
    }
    names = {
        "query": "attention.self.query",
        "key": "attention.self.key",
        "value": "attention.self.value",
        "mix": "attention.output.dense",
        "up": "intermediate.dense",
        "down": "output.dense",
    }
    for n in range(6):
        at = f"encoder.layer.{n}."
        for ours, theirs in names.items():
            weights[f"{n}.{ours}.weight"] = wide(weight_of[f"{at}{theirs}"])
            weights[f"{n}.{ours}.bias"] = tensors[f"{at}{theirs}.bias"]
        for ours, theirs in (("mix_norm", "attention.output"), ("down_norm", "output")):
            for part in ("weight", "bias"):
                weights[f"{n}.{ours}.{part}"] = tensors[f"{at}{theirs}.LayerNorm.{part}"]
    return NumpyBert(
        Tokenizer.from_file(str(home / "tokenizer.json")),
        weights,
        max_tokens=256,
        first_position=0,
        pooled=lambda tokens: np.asarray(tokens.mean(axis=0)),
    )


def _onnx(content: bytes) -> tuple[dict[str, Array], dict[str, str]]:
    """The tensors of a model by name, and the weight that each integer product takes."""
    types = {1: "<f4", 2: "u1", 3: "i1", 7: "<i8"}
    tensors: dict[str, Array] = {}
    weight_of: dict[str, str] = {}
    (graph,) = [part for field, part in _fields(content) if field == 7]
    for field, part in _fields(graph):
        inner = list(_fields(part)) if field in (1, 5) else []
        if field == 5:
            shape = [size for key, size in inner if key == 1]
            (kind,), (name,) = ([v for k, v in inner if k == key] for key in (2, 8))
            raw = b"".join(value for key, value in inner if key in (4, 9))  # floats, or any bytes
            small = [n for key, value in inner if key == 5 for n in _numbers(value)]
            numbers = np.array(small) if small else np.frombuffer(raw, types[kind])
            tensors[name.decode()] = numbers.reshape(shape)
        elif field == 1 and (4, b"MatMulInteger") in inner:
            inputs = [value.decode() for key, value in inner if key == 1]
            (name,) = [value.decode() for key, value in inner if key == 3]
            place = name.removesuffix("/MatMul_quant").strip("/").replace("/", ".")
            weight_of[place] = inputs[1].removesuffix("_quantized")
    return tensors, weight_of


def _fields(content: bytes) -> Iterator[tuple[int, Any]]:
    """The fields of a protobuf message: numbers, and bytes of whatever has a length."""
    at = 0
    while at < len(content):
        key, at = _number(content, at)
        if key & 7 == 0:
            number, at = _number(content, at)
            yield key >> 3, number
        else:
            size, at = _number(content, at) if key & 7 == 2 else ({1: 8, 5: 4}[key & 7], at)
            yield key >> 3, content[at : at + size]
            at += size


def _numbers(value: int | bytes) -> Iterator[int]:
    """The numbers of a repeated field, which may be packed."""
    if isinstance(value, int):
        yield value
        return
    at = 0
    while at < len(value):
        number, at = _number(value, at)
        yield number


def _number(content: bytes, at: int) -> tuple[int, int]:
    total = shift = 0
    while content[at] > 0x7F:
        total |= (content[at] & 0x7F) << shift
        at, shift = at + 1, shift + 7
    return total | content[at] << shift, at + 1

"""Reads the pack that granite comes in: a header, the tokenizer, then the tensors one by one.

A weight matrix is int8 rows followed by float32 scales, one for each group of 64 in a row.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from loremap.errors import ModelFailed

_MAGIC = b"HMSEMB01"
_LENGTH_BYTES = 8


@dataclass(frozen=True)
class Quantized:
    """A matrix in groups: `steps` times the scale of their group."""

    steps: NDArray[np.int8]
    """(rows, groups, group size)."""
    scales: NDArray[np.float32]
    """(rows, groups, 1)."""

    def transposed(self) -> NDArray[np.float32]:
        """The numbers that are meant, (columns, rows)."""
        rows, groups, size = self.steps.shape
        steps = np.ascontiguousarray(self.steps.reshape(rows, -1).T).reshape(groups, size, rows)
        scales = np.ascontiguousarray(self.scales.reshape(rows, groups).T)[:, np.newaxis]
        numbers: NDArray[np.float32] = np.multiply(steps, scales, dtype=np.float32)
        return numbers.reshape(-1, rows)


@dataclass(frozen=True)
class Pack:
    """A model's tokenizer and weights."""

    tokenizer: bytes
    matrices: dict[str, Quantized]
    vectors: dict[str, NDArray[np.float32]]


def unpacked(content: bytes) -> Pack:
    """What a pack holds; its bytes are verified before, so only another format can fail here."""
    if not content.startswith(_MAGIC):
        raise ModelFailed("The model is no pack of the known format.")
    at = len(_MAGIC) + _LENGTH_BYTES
    end = at + int.from_bytes(content[len(_MAGIC) : at], "little")
    header = json.loads(content[at:end])
    at, end = end, end + header["tokenizer_len"]
    pack = Pack(content[at:end], {}, {})
    at = end
    for entry in header["tensors"]:
        if entry["group"]:
            pack.matrices[entry["name"]] = _quantized(content, at, entry["shape"], entry["group"])
        else:
            floats = np.frombuffer(content, "<f4", entry["len"] // 4, at)
            pack.vectors[entry["name"]] = floats.reshape(entry["shape"])
        at += entry["len"]
    return pack


def _quantized(content: bytes, at: int, shape: list[int], group: int) -> Quantized:
    rows, columns = shape
    steps = np.frombuffer(content, np.int8, rows * columns, at)
    scales = np.frombuffer(content, "<f4", rows * columns // group, at + steps.nbytes)
    return Quantized(steps.reshape(rows, -1, group), scales.reshape(rows, -1, 1))

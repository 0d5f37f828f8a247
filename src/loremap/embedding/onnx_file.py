"""Writes an ONNX model: the few protobuf messages a graph needs, so that no builder is installed.

Field numbers are those of onnx.proto; a message is its fields, each a key and a value.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

Weight = NDArray[np.float32] | NDArray[np.int8]

FLOAT, INT8, INT32, INT64 = 1, 3, 6, 7
_TYPES = {"float32": FLOAT, "int8": INT8, "int64": INT64}
_ATTRIBUTE_FLOAT, _ATTRIBUTE_INT = 1, 2
_EXTERNAL = 1
_VARINT, _BYTES, _FLOAT32 = 0, 2, 5
_IR_VERSION = 8


def node(
    op: str, inputs: Iterable[str], *outputs: str, domain: str = "", **options: float
) -> bytes:
    """One step of a graph."""
    return b"".join(
        [
            *(_text(1, name) for name in inputs),
            *(_text(2, name) for name in outputs),
            _text(4, op),
            *(_message(5, _attribute(name, value)) for name, value in options.items()),
            _text(7, domain),
        ]
    )


def value(name: str, element: int, shape: Iterable[str | int]) -> bytes:
    """The declaration of an input or output; a dimension of unknown size has a name."""
    dimensions = b"".join(
        _message(1, _number(1, size) if isinstance(size, int) else _text(2, size)) for size in shape
    )
    tensor_type = _number(1, element) + _message(2, dimensions)
    return _text(1, name) + _message(2, _message(1, tensor_type))


def model(
    nodes: Iterable[bytes],
    *,
    constants: Mapping[str, NDArray[np.int64]],
    weights: Mapping[str, Weight],
    inputs: Iterable[bytes],
    outputs: Iterable[bytes],
    opsets: Mapping[str, int],
) -> bytes:
    """The whole file: one graph and the versions of the operators it uses.

    Weights are only declared, as lying in another file; the session is given their numbers.
    """
    graph = [
        *(_message(1, step) for step in nodes),
        _text(2, "model"),
        *(_message(5, _constant(name, array)) for name, array in constants.items()),
        *(_message(5, _declared(name, array)) for name, array in weights.items()),
        *(_message(11, declared) for declared in inputs),
        *(_message(12, declared) for declared in outputs),
    ]
    versions = [
        _message(8, _text(1, domain) + _number(2, version)) for domain, version in opsets.items()
    ]
    return b"".join([_number(1, _IR_VERSION), _message(7, b"".join(graph)), *versions])


def _constant(name: str, array: NDArray[np.int64]) -> bytes:
    return _tensor(name, array) + _message(9, array.astype("<i8").tobytes())


def _declared(name: str, array: Weight) -> bytes:
    place = {"location": "weights", "offset": "0", "length": str(array.nbytes)}
    entries = [_message(13, _text(1, key) + _text(2, entry)) for key, entry in place.items()]
    return b"".join([_tensor(name, array), *entries, _number(14, _EXTERNAL)])


def _tensor(name: str, array: Weight | NDArray[np.int64]) -> bytes:
    sizes = [_number(1, size) for size in array.shape]
    return b"".join([*sizes, _number(2, _TYPES[array.dtype.name]), _text(8, name)])


def _attribute(name: str, given: float) -> bytes:
    if isinstance(given, int):
        return _text(1, name) + _number(3, given) + _number(20, _ATTRIBUTE_INT)
    fixed = _varint(2 << 3 | _FLOAT32) + struct.pack("<f", given)
    return _text(1, name) + fixed + _number(20, _ATTRIBUTE_FLOAT)


def _number(field: int, number: int) -> bytes:
    return _varint(field << 3 | _VARINT) + _varint(number)


def _text(field: int, text: str) -> bytes:
    return _message(field, text.encode())


def _message(field: int, content: bytes) -> bytes:
    return b"".join([_varint(field << 3 | _BYTES), _varint(len(content)), content])


def _varint(number: int) -> bytes:
    """Seven bits a byte, lowest first; a negative number is its 64-bit complement."""
    number &= (1 << 64) - 1
    encoded = bytearray()
    while number > 0x7F:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    encoded.append(number)
    return bytes(encoded)

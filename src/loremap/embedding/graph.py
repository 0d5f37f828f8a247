"""Keeps the built graph beside the weights, and rebuilds it when it is missing or damaged."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO

import numpy as np

from loremap.embedding import bert
from loremap.embedding.lock import exclusive
from loremap.embedding.pinned import WEIGHTS, require_delivered, sha256_of, verified_bytes
from loremap.errors import ModelFailed, ModelTampered

BUILDER_VERSION = 1
"""Part of the file names; raise it with every change of the graph."""

_STEM = f"graph-{BUILDER_VERSION}"
_GRAPH, _DATA, _RECORD = f"{_STEM}.onnx", f"{_STEM}.data", f"{_STEM}.json"


@dataclass(frozen=True)
class Built:
    """A built file as it was when written."""

    name: str
    size: int
    mtime_ns: int
    sha256: str


def ready_graph(home: Path) -> Path:
    """The graph's path, built first where need be; bytes are hashed only if times changed."""
    require_delivered(home)
    if _is_untouched(home):
        return home / _GRAPH
    if _is_intact(home):  # copied or restored: other times, the same bytes
        with suppress(OSError), exclusive(home):  # a folder for reading only will do
            record = _record(home)
            _write_record(home, [_stamped(home, built.name, built.sha256) for built in record])
        return home / _GRAPH
    return rebuilt_graph(home, unless_intact=True)


def rebuilt_graph(home: Path, *, unless_intact: bool = False) -> Path:
    """The graph's path after building it anew from the verified weights."""
    require_delivered(home)
    try:
        with exclusive(home):
            if not (unless_intact and _is_intact(home)):  # built while this process waited
                _build(home)
    except OSError as error:
        raise ModelFailed(
            f"The graph cannot be written in {home}: {error.strerror}.",
            hint="Make room, or set LOREMAP_CACHE to a folder that can be written.",
        ) from error
    return home / _GRAPH


def verify(home: Path) -> None:
    """Raise `ModelTampered` unless every byte of the built graph is as it was written."""
    if not _is_intact(home):
        raise ModelTampered(
            f"The graph in {home} is not as it was built.",
            hint=f"Delete {_RECORD} there; the graph is then built again from the weights.",
        )


def _is_untouched(home: Path) -> bool:
    record = _record(home)
    return bool(record) and all(_stamp(home / built.name) == _times(built) for built in record)


def _is_intact(home: Path) -> bool:
    record = _record(home)
    return bool(record) and all(
        _stamp(home / built.name)[0] == built.size and sha256_of(home / built.name) == built.sha256
        for built in record
    )


def _times(built: Built) -> tuple[int, int]:
    return built.size, built.mtime_ns


def _stamp(path: Path) -> tuple[int, int]:
    try:
        status = path.stat()
    except OSError:
        return -1, -1
    return status.st_size, status.st_mtime_ns


def _record(home: Path) -> tuple[Built, ...]:
    """What was built, or nothing if the record is missing, damaged or of other files."""
    try:
        written = json.loads((home / _RECORD).read_bytes())
        record = tuple(Built(**entry) for entry in written["files"])
    except (OSError, ValueError, KeyError, TypeError):
        return ()
    return record if {built.name for built in record} == {_GRAPH, _DATA} else ()


def _build(home: Path) -> None:
    """Write data, then graph, then record: a graph without its record is never trusted."""
    from safetensors.numpy import load

    tensors = bert.tensors_of(load(verified_bytes(home, WEIGHTS)))
    model = bert.model_of(tensors, data_name=_DATA).SerializeToString(deterministic=True)
    (home / _RECORD).unlink(missing_ok=True)
    _replace(home / _DATA, lambda file: _write_tensors(file, tensors))
    _replace(home / _GRAPH, lambda file: file.write(model))
    names = (_GRAPH, _DATA)
    _write_record(home, [_stamped(home, name, sha256_of(home / name)) for name in names])
    _remove_older(home)


def _write_tensors(file: IO[bytes], tensors: bert.Tensors) -> None:
    for _, tensor, offset in bert.placed(tensors):
        file.seek(offset)
        file.write(np.ascontiguousarray(tensor, dtype="<f4").data)


def _stamped(home: Path, name: str, sha256: str) -> Built:
    size, mtime_ns = _stamp(home / name)
    return Built(name, size, mtime_ns, sha256)


def _write_record(home: Path, files: Sequence[Built]) -> None:
    record = {"builder": BUILDER_VERSION, "files": [asdict(built) for built in files]}
    content = json.dumps(record, indent=1).encode()
    _replace(home / _RECORD, lambda file: file.write(content))


def _replace(path: Path, write: Callable[[IO[bytes]], object]) -> None:
    """Put a whole new file in the place of `path`; a process that maps the old one keeps it."""
    temporary = path.with_name(f"{path.name}.new")  # one name suffices: the folder is locked
    with temporary.open("wb") as file:
        write(file)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)


def _remove_older(home: Path) -> None:
    for path in home.glob("graph-*"):
        if path.name not in (_GRAPH, _DATA, _RECORD):
            path.unlink(missing_ok=True)

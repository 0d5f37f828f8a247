"""Signals from the names and places that a task gives."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from loremap.code.locate.asked import Asked
from loremap.code.locate.index import Floats, Ints, LocateIndex, dotted_path

_MAX_NAMED = 3.0
_IN_TITLE = 5.0
"""What naming a file in the title is worth; elsewhere, naming it three times is enough."""

_MAX_OUTRIGHT = 3

_TOP_PARTS = 2
"""A single name is a module's only at the top, or in a folder like `src` there."""


def file_named(asked: Asked) -> Floats:
    """Paths and dotted names that the task gives and that are the file's own."""
    given = {raw: files_at(asked.index, raw) for raw in asked.task.paths}
    paths = {raw: files for raw, (files, depth) in given.items() if depth > 1 or len(files) == 1}
    named = {chain: module_of(asked.index, chain) for chain in asked.task.dotted}
    modules = {chain: [at] for chain, (at, rest) in named.items() if at is not None and not rest}
    return _named(asked, {**paths, **modules})


def named_outright(asked: Asked) -> Ints:
    """The files whose path, or whose name that no other file has, the task gives in its prose.

    A task that gives many lists what there is, and means none of them before the others.
    """
    given = ((*files_at(asked.index, raw), raw) for raw in asked.task.whole_paths)
    found = {
        files[0] for files, depth, raw in given if len(files) == 1 and depth == len(_parts(raw))
    }
    return np.array(sorted(found) if len(found) <= _MAX_OUTRIGHT else [], np.int64)


def _named(asked: Asked, given: Mapping[str, list[int]]) -> Floats:
    """Each name shared among its files; the title's count most."""
    scores, titled = np.zeros(len(asked.index)), np.zeros(len(asked.index))
    for name, files in given.items():
        if files:
            (titled if name in asked.task.in_title else scores)[files] += 1 / len(files)
    return np.minimum(scores, _MAX_NAMED) + _IN_TITLE * np.minimum(titled, 1)


def traceback_end(asked: Asked) -> int | None:
    """The file of the innermost frame that lies in the project."""
    for frame in reversed(asked.task.frames):
        files, depth = files_at(asked.index, frame.path)
        known = asked.definers.get(frame.function, ())
        if len(files) == 1 and (depth > 1 or files[0] in known):
            return files[0]
    return None


def files_at(index: LocateIndex, raw: str) -> tuple[list[int], int]:
    """The files that a written path ends like, and how many parts it shares with them."""
    parts = _parts(raw)
    if not parts:
        return [], 0
    near = index.by_stem.get(dotted_path("/".join(parts)).rpartition(".")[2], [])
    for depth in range(len(parts), 0, -1):
        tail = "/".join(parts[-depth:])
        found = [at for at in near if f"/{index.paths[at]}".endswith(f"/{tail}")]
        if found:
            return found, depth
    return [], 0


def _parts(raw: str) -> list[str]:
    return [part for part in raw.replace("\\", "/").split("/") if part not in ("", ".", "..")]


def module_of(index: LocateIndex, chain: str) -> tuple[int | None, list[str]]:
    """The one file that the longest start of a dotted name names, and the rest of the name."""
    parts = chain.split(".")
    for depth in range(len(parts), 0, -1):
        head = "." + ".".join(parts[:depth])
        found = [
            at
            for at in index.by_stem.get(parts[depth - 1], ())
            if f".{dotted_path(index.paths[at])}".endswith(head)
            and (depth > 1 or dotted_path(index.paths[at]).count(".") < _TOP_PARTS)
        ]
        if len(found) == 1:
            return found[0], parts[depth:]
    return None, []

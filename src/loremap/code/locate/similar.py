"""Symbols and tasks as texts for an embedder, and what their vectors say of files."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from loremap.code.facts import FileFacts, qualified_names
from loremap.code.locate.index import Floats, dotted_path
from loremap.code.terms import passages

_OPENING_CHARS = 2_000
_FOLDERS = 3
_WORD_STARTS = re.compile(r"[._/#-]+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def symbol_texts(path: str, facts: FileFacts) -> list[str]:
    """One text per passage of a file: where it lies, its name and doc line, in plain words."""
    place = _spoken(".".join(dotted_path(path).split(".")[-_FOLDERS:]))
    qualified = qualified_names(facts)
    texts = [
        f"{place}: {_spoken(qualified[at])}. {facts.definitions[at].doc}".strip()
        for at in passages(facts.definitions)
        if facts.definitions[at].doc or not facts.definitions[at].name.startswith("__")
    ]
    return list(dict.fromkeys(texts)) or [place]


def task_texts(text: str) -> tuple[str, str]:
    """What of a task is embedded: its title, and its opening."""
    return text.strip().partition("\n")[0], text[:_OPENING_CHARS]


def file_similarity(
    vectors: NDArray[np.float32],
    owners: NDArray[np.int32],
    task: NDArray[np.float32],
    *,
    file_count: int,
) -> Floats:
    """The likeness of each file's likest symbol, not a number where a file has no vectors yet;
    `owners` says whose each vector is."""
    likeness: Floats = (vectors @ task.T).mean(axis=1).astype(np.float64)
    best = np.full(file_count, np.nan)
    np.fmax.at(best, owners, likeness)
    return best


def expected_similarity(similar: Floats, words: Floats) -> Floats:
    """`similar`, with what words let expect in the place of what is not known.

    A straight line through the files with vectors says how alike a file is that matches the words
    so well: one that has no vectors yet is neither ahead nor behind for it.
    """
    known = ~np.isnan(similar)
    if known.all() or not known.any():
        return np.nan_to_num(similar)
    spread = words[known] - words[known].mean()
    slope = float(spread @ similar[known]) / max(float(spread @ spread), 1e-9)
    line = similar[known].mean() + max(slope, 0.0) * (words - words[known].mean())
    return np.where(known, similar, np.minimum(line, similar[known].max()))


def _spoken(name: str) -> str:
    return " ".join(part for part in _WORD_STARTS.split(name.replace("_", " ")) if part)

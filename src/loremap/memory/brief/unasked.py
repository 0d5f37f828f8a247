"""What is told unasked must fit better than what answers a question: silence costs nothing."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from loremap.model.module import Module
from loremap.model.recall import Hit
from loremap.model.words import words

SURELY = 0.7
"""Log-odds by which the gate must believe in an answer that nobody asked for."""
ENOUGH = 2
"""So many words of a prompt must be said of a module, and it is spoken of."""
MAX_FILES = 0.5
"""From this share of the files found for a task they speak for the module they lie in."""


def worth_telling(hits: Sequence[Hit], *, belief: float | None) -> list[Hit]:
    """Of what answers a prompt, what may be told to somebody who did not ask: what is sure by its
    own evidence, and what qualifies it: a newer or older statement on its subject, the other side
    of a conflict."""
    if belief is not None and belief < SURELY:
        return []
    sure = [hit for hit in hits if hit.belief is None or hit.belief >= SURELY]
    told = {hit.memory.id for hit in sure}
    beside = {id_ for hit in sure for id_ in (hit.older, *hit.conflict_with)}
    return [
        hit
        for hit in hits
        if hit.memory.id in told | beside or not told.isdisjoint((hit.older, *hit.conflict_with))
    ]


def modules_worth_telling(
    said: Collection[str],
    modules: Sequence[Module],
    *,
    hits: Sequence[Hit],
    located: Sequence[str],
) -> list[Module]:
    """Of the modules that a prompt names, those that something else speaks for too: a memory that
    is told of one of its files, or most of the files found for a prompt that speaks of it."""
    files = {path for hit in hits for path in hit.memory.files}
    return [
        module
        for module in modules
        if not files.isdisjoint(module.core_files)
        or (spoken_of(said, module) >= ENOUGH and share_of(module, located) >= MAX_FILES)
    ]


def spoken_of(said: Collection[str], module: Module) -> int:
    """How many of these words the project itself says of a module: in its name, what it is for,
    and the names of its files."""
    text = " ".join((module.name, module.description, *module.core_files))
    return len(frozenset(said).intersection(words(text)))


def share_of(module: Module, located: Sequence[str]) -> float:
    """The share of a module in files that were found, best first; the first counts most."""
    weights = {path: 1 / (1 + rank) for rank, path in enumerate(located)}
    inside = sum(weights.get(path, 0.0) for path in module.core_files)
    return inside / sum(weights.values()) if weights else 0.0

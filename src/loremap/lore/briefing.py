"""The brief of a task: its modules by the map, and the memories that belong to them."""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import TYPE_CHECKING

from loremap.injection.brief import DEFAULT_TOKENS, Brief, Dress, Sides, brief
from loremap.injection.render import MOST_BYTES
from loremap.model.memory import Conflict
from loremap.model.module import Module
from loremap.model.recall import Hit
from loremap.retrieval.match_modules import modules_for

if TYPE_CHECKING:
    from loremap.lore.facade import Lore

MOST_MEMORIES = 20
MOST_OF_MODULES = 8
"""Memories of the matched modules' files that are told although the task does not name them."""
LOCATED_FILES = 10
MOST_BYTES_PER_TOKEN = 6


def briefed(lore: Lore, task: str, *, budget_tokens: int = DEFAULT_TOKENS) -> Brief:
    """What an agent is told before `task`; memories of the modules concerned come first."""
    project = lore.init()
    located = lore.code.locate(task, limit=LOCATED_FILES).files if project is not None else ()
    files = [(found.path, found.score) for found in located]
    chosen: list[Module] = []
    if project is not None:
        chosen = [module for module, _ in modules_for(task, lore.atlas.map(), files)]
    answer = lore.recall(task, limit=MOST_MEMORIES)
    most_bytes = max(MOST_BYTES, MOST_BYTES_PER_TOKEN * budget_tokens)  # a person may ask for more
    return composed(
        lore,
        chosen,
        with_modules(lore, answer.hits, core_of(chosen)),
        located=[path for path, _ in files],
        sides=sides_of(lore, answer.conflicts),
        dress=Dress(budget_tokens=budget_tokens, most_bytes=most_bytes),
    )


def composed(
    lore: Lore,
    modules: Sequence[Module],
    hits: Sequence[Hit],
    *,
    located: Sequence[str],
    sides: Sides,
    dress: Dress,
) -> Brief:
    """The brief of these modules and memories, with a hint to each file that is shown."""
    core = core_of(modules)
    first = [path for path in located if path in core]
    shown = [path for module in modules for path in module.core_files[:12]]
    return brief(
        modules,
        hits,
        hints=lore.atlas.hints({*shown, *first}) if modules else {},
        first=first[:4],
        sides=sides,
        dress=dress,
    )


def with_modules(lore: Lore, found: Sequence[Hit], core: Set[str]) -> list[Hit]:
    """What the gate lets through, and what is kept about the modules' files; these come first."""
    known = {hit.memory.id for hit in found}
    about = [hit for hit in lore.about(core) if hit.memory.id not in known]
    inside = [hit for hit in found if is_about(hit, core)]
    outside = [hit for hit in found if not is_about(hit, core)]
    return [*inside, *about[:MOST_OF_MODULES], *outside]


def is_about(hit: Hit, core: Set[str]) -> bool:
    """Whether a memory names one of these files."""
    return not core.isdisjoint(hit.memory.files)


def core_of(modules: Sequence[Module]) -> set[str]:
    """The files of some modules."""
    return {path for module in modules for path in module.core_files}


def sides_of(lore: Lore, conflicts: Sequence[Conflict]) -> Sides:
    """By memory: whom it is in conflict with, and what that one says."""
    if not conflicts:
        return {}
    said = lore.summaries([id_ for one in conflicts for id_ in (one.memory_a, one.memory_b)])
    sides: dict[str, list[tuple[str, str]]] = {}
    for one in conflicts:
        for id_, other in ((one.memory_a, one.memory_b), (one.memory_b, one.memory_a)):
            if other in said:
                sides.setdefault(id_, []).append((other, said[other]))
    return sides

"""The brief of a task: its modules by the map, and the memories that belong to them."""

from __future__ import annotations

from collections.abc import Set
from typing import TYPE_CHECKING

from loremap.injection.brief import DEFAULT_TOKENS, Brief, brief
from loremap.model.module import Module
from loremap.model.recall import Hit
from loremap.retrieval.match_modules import modules_for

if TYPE_CHECKING:
    from loremap.lore.facade import Lore

MOST_MEMORIES = 20
MOST_OF_MODULES = 8
"""Memories of the matched modules' files that are told although the task does not name them."""
LOCATED_FILES = 10


def briefed(lore: Lore, task: str, *, budget_tokens: int = DEFAULT_TOKENS) -> Brief:
    """What an agent is told before `task`; memories of the modules concerned come first."""
    project = lore.init()
    located = lore.code.locate(task, limit=LOCATED_FILES).files if project is not None else ()
    files = [(found.path, found.score) for found in located]
    chosen: list[Module] = []
    if project is not None:
        chosen = [module for module, _ in modules_for(task, lore.atlas.map(), files)]
    core = {path for module in chosen for path in module.core_files}
    hits = _memories(lore, task, core)
    shown = [path for module in chosen for path in module.core_files[:12]]
    first = [path for path, _ in files if path in core]
    return brief(
        chosen,
        hits,
        hints=lore.atlas.hints({*shown, *first}) if chosen else {},
        first=first[:4],
        budget_tokens=budget_tokens,
    )


def _memories(lore: Lore, task: str, core: Set[str]) -> list[Hit]:
    """What the gate lets through, and what is kept about the modules' files; these come first."""
    found = lore.recall(task, limit=MOST_MEMORIES).hits
    known = {hit.memory.id for hit in found}
    about = [hit for hit in lore.about(core) if hit.memory.id not in known]
    inside = [hit for hit in found if _is_about(hit, core)]
    outside = [hit for hit in found if not _is_about(hit, core)]
    return [*inside, *about[:MOST_OF_MODULES], *outside]


def _is_about(hit: Hit, core: Set[str]) -> bool:
    return not core.isdisjoint(hit.memory.files)

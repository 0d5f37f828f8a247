"""Which module is which after a rescan, where a new file belongs, how well a module is known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from loremap.model.module import MapConfidence, Module

SAME_FROM = 0.5
"""Share of common files from which two modules of different names are one."""
MAPPED_FROM_SESSIONS = 3
_SAYS_LITTLE = frozenset({"__init__.py", "index.ts", "index.js", "index.tsx", "mod.rs", "main.go"})


def overlap(one: Iterable[str], other: Iterable[str]) -> float:
    """How much two lists of files are the same, 0 to 1, even where their folder was renamed."""
    left, right = set(one), set(other)
    return max(_shared(left, right), 0.9 * _shared(_inside(left), _inside(right)))


def _shared(one: set[str], other: set[str]) -> float:
    return len(one & other) / len(one | other) if one and other else 0.0


def _inside(files: set[str]) -> set[str]:
    """The paths below the folder that holds all `files`, those of any name left out."""
    parts = [file.split("/") for file in sorted(files)]
    above = 0
    while parts and all(above < len(p) - 1 and p[above] == parts[0][above] for p in parts):
        above += 1
    return {"/".join(path[above:]) for path in parts} - _SAYS_LITTLE


def matched(found: Sequence[Module], stored: Sequence[Module]) -> dict[int, int]:
    """For modules that were found, the stored ones they are: by name, then by common files."""
    names = {module.name.casefold(): index for index, module in enumerate(stored)}
    pairs = {
        index: names[module.name.casefold()]
        for index, module in enumerate(found)
        if module.name.casefold() in names
    }
    taken = set(pairs.values())
    rivals = sorted(
        (-overlap(module.core_files, other.core_files), index, at)
        for index, module in enumerate(found)
        if index not in pairs
        for at, other in enumerate(stored)
        if at not in taken
    )
    for score, index, at in rivals:
        if -score >= SAME_FROM and index not in pairs and at not in taken:
            pairs[index] = at
            taken.add(at)
    return pairs


def named(name: str, files: Iterable[str], modules: Sequence[Module]) -> Module | None:
    """The module of that name, else the one that has become of it by its `files`."""
    for module in modules:
        if module.name.casefold() == name.casefold():
            return module
    files = tuple(files)
    best = max(modules, key=lambda module: overlap(module.core_files, files), default=None)
    return best if best and overlap(best.core_files, files) >= SAME_FROM else None


def holders(path: str, modules: Iterable[Module]) -> list[Module]:
    """The modules that a file belongs to, as source or as a test."""
    return [
        module
        for module in modules
        if path in module.core_files
        or path in module.entry_points
        or any(
            path == test or (test.endswith("/") and path.startswith(test))
            for test in module.test_files
        )
    ]


def home_of(
    path: str, modules: Sequence[Module], *, imported: Mapping[str, float] | None = None
) -> Module | None:
    """The module that a new source file belongs to: that of its folder, else of what it imports.

    `imported` are files it imports or is imported by, with weights. A file of a kind that the
    module has none of (a picture, a text) belongs to none.
    """
    ending = path.rpartition(".")[2]
    fit = [
        module
        for module in modules
        if any(file.endswith(f".{ending}") for file in module.core_files)
    ]
    folder = path.rpartition("/")[0]
    while folder:
        inside: Counter[str] = Counter()
        for module in fit:
            inside[module.name] = sum(file.startswith(f"{folder}/") for file in module.core_files)
        if best := _most(inside, fit):
            return best
        if "/" not in folder:
            break  # the top folder's modules have nothing else in common
        folder = folder.rpartition("/")[0]
    pulls: Counter[str] = Counter()
    for other, weight in (imported or {}).items():
        for module in fit:
            if other in module.core_files:
                pulls[module.name] += round(weight * 1000)
    return _most(pulls, fit)


def _most(counts: Counter[str], modules: Sequence[Module]) -> Module | None:
    """The module with the highest count above 0; between equals the first by name."""
    fit = [module for module in modules if counts[module.name] > 0]
    return min(fit, key=lambda module: (-counts[module.name], module.name), default=None)


def confidence_after(sessions: int) -> MapConfidence:
    """How well a module is known after work in so many different sessions."""
    if sessions >= MAPPED_FROM_SESSIONS:
        return MapConfidence.MAPPED
    return MapConfidence.PARTIAL if sessions > 0 else MapConfidence.SHALLOW

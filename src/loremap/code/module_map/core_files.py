"""The files of a module, the most important first."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from math import log1p

from loremap.code.module_map.flat_folders import is_generic
from loremap.code.module_map.project_view import ProjectFile

_GATES = frozenset({"__init__", "index", "mod", "lib", "main"})

_MADE = re.compile(r"(?i)generated|\.(l|y)\.\w+$|(^|/)migrations/\d")
_LONG = 1_000
"""From so many lines a file matters whatever it is called."""


def importers(joins: Iterable[tuple[str, str, float]]) -> Counter[str]:
    """By file: how many other files import it."""
    return Counter(two for one, two in {(one, two) for one, two, _ in joins} if one != two)


def by_importance(
    files: Iterable[ProjectFile],
    *,
    name: str,
    joins: Sequence[tuple[str, str, float]],
    used: Counter[str],
) -> list[ProjectFile]:
    """`files` ranked by who imports them, their size and whether they are called as their module.

    `used` counts importers in the whole project; `joins` are those inside the module.
    """
    inside = importers(joins)
    last = _letters(name.rpartition(".")[2])

    def importance(file: ProjectFile) -> float:
        stem = file.path.rpartition("/")[2].partition(".")[0]
        score = (
            0.6 * log1p(inside[file.path])
            + 0.9 * log1p(used[file.path] - inside[file.path])
            + 0.6 * log1p(file.lines)
        )
        if _letters(stem) == last:
            score += 1.5
        elif stem in _GATES and file.lines < _LONG / 4:
            score *= 0.6
        elif is_generic(file.path) and file.lines < _LONG:
            score *= 0.8
        if _MADE.search(file.path):
            score *= 0.4
        return score - 0.3 * file.path.count("/")

    return sorted(files, key=lambda file: (-importance(file), file.path))


def _letters(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())

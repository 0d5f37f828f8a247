"""A large folder without subfolders in parts, by what its files import and are called."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from loremap.code.module_map.communities import communities
from loremap.code.module_map.folders import GENERIC_FOLDERS
from loremap.code.module_map.grouping import Part
from loremap.code.module_map.project_view import ProjectFile
from loremap.model.paths import SIDE_FOLDERS

LARGE_FILES = 80
LARGE_PRODUCT = 36
"""The same where the folder is the product itself, of which nothing else would be told."""
GENERIC_STEMS = frozenset(
    "init index main mod lib compat constants const types typing errors exceptions deprecated "
    "utils util helpers helper common shared base core doc".split()
)
"""Names of files that say nothing of what a group is about."""
_FEWEST, _FEWEST_OF_PRODUCT = 12, 4
_MAX_SHARE = 0.6
_HUB_SHARE = 0.3
"""A file that this share of its folder imports says nothing of any group."""
_PREFIX_WEIGHT = 2.0
_CALLED_ALIKE = 0.6
_CLEAR = 0.42
"""Share of a group's joins that must stay inside it."""
_JOINED = 0.7
"""Share of a group's files that must import one another: a common prefix alone makes no part."""


def split_flat(
    part: Part, joins: Iterable[tuple[str, str, float]], *, is_product: bool
) -> list[Part]:
    """`part` itself, or the clear groups among the files directly in its folder and the rest."""
    flat = [file for file in part.files if file.path.rpartition("/")[0] == part.folder]
    name = part.folder.rpartition("/")[2].lower()
    size, fewest = (LARGE_PRODUCT, _FEWEST_OF_PRODUCT) if is_product else (LARGE_FILES, _FEWEST)
    if len(flat) < size or part.label or name in GENERIC_FOLDERS | SIDE_FOLDERS:
        return [part]
    joins = [one for one in joins if one[0] != one[1]]
    weights = _joins(flat, joins)
    by_path = {file.path: file for file in flat if not is_generic(file.path)}
    groups = [
        Part(part.folder, files, _label(files, weights))
        for group in communities(by_path, weights)
        if fewest <= len(group) <= _MAX_SHARE * len(flat)
        and _inside(group, weights) >= _CLEAR
        and _joined(group, joins) >= _JOINED * len(group)
        for files in (tuple(by_path[path] for path in group),)
    ]
    if not groups:
        return [part]
    taken = {file.path for group in groups for file in group.files}
    return [
        Part(part.folder, tuple(file for file in part.files if file.path not in taken)),
        *groups,
    ]


def stem(path: str) -> str:
    """A file's name without its folder and endings."""
    return path.rpartition("/")[2].partition(".")[0]


def is_generic(path: str) -> bool:
    """Whether a file's name says nothing of what it is about."""
    return stem(path).strip("_").lower() in GENERIC_STEMS


def _joins(
    files: Sequence[ProjectFile], joins: Iterable[tuple[str, str, float]]
) -> dict[tuple[str, str], float]:
    """What joins the files of one folder: imports that are not everyone's, and prefixes of names
    among which there is one."""
    own = {file.path for file in files if not is_generic(file.path)}
    inner = [(one, two) for one, two, _ in joins if one in own and two in own and one != two]
    importers = Counter(two for _, two in set(inner))
    imports = Counter(one for one, _ in set(inner))
    hub = _HUB_SHARE * len(files)
    weights: dict[tuple[str, str], float] = defaultdict(float)
    for one, two in sorted(set(inner)):
        if importers[two] <= hub and imports[one] <= hub:
            weights[min(one, two), max(one, two)] += 2.0 / (1.0 + importers[two]) ** 0.5
    joined = {_first_word(one) for one, two in inner if _first_word(one) == _first_word(two)}
    for group in _same_prefix(own, joined):
        first = min(group, key=lambda path: (len(path), path))
        for path in group:
            if path != first:
                weights[min(first, path), max(first, path)] += _PREFIX_WEIGHT
    return dict(weights)


def _same_prefix(paths: Iterable[str], joined: Collection[str]) -> list[list[str]]:
    """Files whose names begin with the same word, of those `joined` by an import among them."""
    groups: dict[str, list[str]] = defaultdict(list)
    for path in sorted(paths):
        if (first := _first_word(path)) in joined and len(first) > 1:
            groups[first].append(path)
    return list(groups.values())


def _first_word(path: str) -> str:
    return re.split(r"[_\-]|(?<=[a-z])(?=[A-Z])", stem(path).lstrip("_"))[0].lower()


def _joined(group: Sequence[str], joins: Iterable[tuple[str, str, float]]) -> int:
    """How many of a group import, or are imported by, another of it."""
    own = set(group)
    return len({path for one, two, _ in joins if one != two and {one, two} <= own
                for path in (one, two)})  # fmt: skip


def _inside(group: Sequence[str], weights: Mapping[tuple[str, str], float]) -> float:
    """The share of the group's joins that stay inside it."""
    own = set(group)
    inner = sum(weight for (one, two), weight in weights.items() if one in own and two in own)
    touching = sum(weight for (one, two), weight in weights.items() if one in own or two in own)
    return inner / touching if touching else 0.0


def _label(group: Sequence[ProjectFile], weights: Mapping[tuple[str, str], float]) -> str:
    """The word most names begin with, else the name of the heaviest and most joined file."""
    own = {file.path for file in group}
    degree: dict[str, float] = defaultdict(float)
    for (one, two), weight in weights.items():
        if one in own and two in own:
            degree[one] += weight
            degree[two] += weight

    starts = Counter(_first_word(file.path) for file in group)
    word, count = min(starts.items(), key=lambda one: (-one[1], one[0]))
    if len(word) > 1 and count >= _CALLED_ALIKE * len(group):
        return word
    heaviest = min(group, key=lambda file: (-degree[file.path] * (file.lines + 50), file.path))
    return stem(heaviest.path)

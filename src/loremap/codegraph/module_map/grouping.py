"""A project's source files in parts that a person would name, by folders and their weights."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import sqrt

from loremap.codegraph.module_map.folders import (
    GENERIC_FOLDERS,
    NEVER_ALONE,
    Folder,
    is_container,
    product_weight,
    weight_of,
)
from loremap.codegraph.module_map.project_view import ProjectFile
from loremap.model.paths import SIDE_FOLDERS

MOST_PARTS = 60
_SMALLEST = 3.0
"""A folder lighter than this (two short files) is no part of its own."""
_SMALLEST_ALONE = 8.0
"""The same for a single file."""
_WORTH_SPLITTING = 10.0
_COVERED = 0.3
"""What folders below must hold of a folder for it to be split into them."""
_ALIKE = 0.7
"""What they must hold of all that lies in folders below it: brothers are treated alike."""
_SAME = 0.85
"""A folder that holds this share of the one above it is that one by another name."""


@dataclass(frozen=True, slots=True)
class Part:
    """Some files and the folder they are called after; `label` where they are not all of it."""

    folder: str
    files: tuple[ProjectFile, ...]
    label: str = ""

    @property
    def weight(self) -> float:
        """How heavy its files are together."""
        return weight_of(self.files)


def parts(root: Folder, *, manifests: frozenset[str], passages: frozenset[str]) -> list[Part]:
    """The parts of a project.

    `manifests` are the folders that have a package manifest of their own, `passages` those that
    only lead to the product (`src`, `src/<package>`): the former are always parts, the latter are
    always split.
    """
    room = room_for(root)
    usual = product_weight(root) / room
    whole, rests, settled = [root], list[Part](), list[Folder]()
    while whole:
        whole.sort(key=lambda folder: (folder.path not in passages, -folder.weight, folder.path))
        folder = whole.pop(0)
        left = room - len(whole) - len(rests) - len(settled) - 1
        if folder.path in passages:
            least = max(_SMALLEST, usual / 9)
            chosen = _fit(folder, least=least, manifests=manifests, most=max(left, 2))
        else:
            chosen = _split(folder, usual=usual, manifests=manifests, most=left)
        if not chosen:
            settled.append(folder)
            continue
        whole.extend(chosen)
        rest = _rest(folder, chosen)
        if rest.files:
            rests.append(rest)
    found = [Part(folder.path, tuple(folder.below())) for folder in settled] + rests
    return sorted(found, key=lambda part: (part.folder, part.label))


def room_for(root: Folder) -> int:
    """About how many parts a person would draw for a project of this size."""
    count = sum(1 for file in root.below() if file.path.partition("/")[0] not in SIDE_FOLDERS)
    return min(MOST_PARTS, max(4, round(1.6 * sqrt(count))))


def _split(folder: Folder, *, usual: float, manifests: frozenset[str], most: int) -> list[Folder]:
    """The folders that `folder` falls into; none where it stays whole.

    `usual` is the weight of a part if all were alike.
    """
    if folder.weight < max(_WORTH_SPLITTING, 1.2 * usual) or _is_side(folder):
        return []
    fit = _fit(folder, least=max(_SMALLEST, 0.4 * usual), manifests=manifests, most=most)
    fit = [child for child in fit if child.path in manifests or not _is_side(child)]
    held = sum(child.weight for child in fit)
    in_folders = sum(child.weight for child in folder.children.values())
    if held < _COVERED * folder.weight or held < _ALIKE * in_folders:
        return []
    return [] if len(fit) == 1 and held > _SAME * folder.weight else fit


def _fit(folder: Folder, *, least: float, manifests: frozenset[str], most: int) -> list[Folder]:
    """The folders below that may be parts of their own, those with a manifest first."""
    fit = [
        child
        for child in _opened(folder, manifests=manifests)
        if child.path in manifests
        or child.weight >= (least if _may_be_alone(child) else max(2.5 * least, _WORTH_SPLITTING))
    ]
    fit.sort(key=lambda child: (child.path not in manifests, -child.weight, child.path))
    return fit[: max(most, 0)]


def _opened(folder: Folder, *, manifests: frozenset[str]) -> list[Folder]:
    """The folders below, where one that only holds others stands for those."""
    opened = list[Folder]()
    for _, child in sorted(folder.children.items()):
        if is_container(child) and child.path not in manifests:
            opened.extend(_opened(child, manifests=manifests))
        else:
            opened.append(child)
    return opened


def _is_side(folder: Folder) -> bool:
    return folder.name.lower() in SIDE_FOLDERS | GENERIC_FOLDERS


def _may_be_alone(folder: Folder) -> bool:
    return folder.name.lower() not in NEVER_ALONE


def _rest(folder: Folder, chosen: Sequence[Folder]) -> Part:
    taken = tuple(f"{child.path}/" for child in chosen)
    return part_of(
        folder.path, [file for file in folder.below() if not file.path.startswith(taken)]
    )


def part_of(folder: str, files: Sequence[ProjectFile]) -> Part:
    """`files` as a part called after `folder`, or after the one below it that holds them all."""
    parts = [file.path.split("/")[:-1] for file in files]
    depth = len(folder.split("/")) if folder else 0
    while parts and all(len(one) > depth and one[depth] == parts[0][depth] for one in parts):
        depth += 1
    return Part("/".join(parts[0][:depth]) if parts else folder, tuple(files))


def without_crumbs(
    found: Sequence[Part],
    joins: Iterable[tuple[str, str, float]],
    *,
    kept_whole: Callable[[Part], bool],
) -> list[Part]:
    """`found` with each part that is too light given to the one above it or nearest to it.

    `kept_whole` tells the parts that are never given away.
    """
    kept, joins = list(found), list(joins)
    while len(kept) > 1:
        crumbs = [part for part in kept if not kept_whole(part) and _is_crumb(part, kept)]
        if not crumbs:
            break
        light = min(crumbs, key=lambda part: (part.weight, part.folder, part.label))
        kept.remove(light)
        at = kept.index(_home(light, kept, joins))
        kept[at] = Part(kept[at].folder, (*kept[at].files, *light.files), kept[at].label)
    return kept


def _is_crumb(part: Part, others: Sequence[Part]) -> bool:
    """Whether a part is one file, or a few short ones that lie inside another part's folder."""
    if len(part.files) == 1:
        return part.weight < _SMALLEST_ALONE
    return part.weight < _SMALLEST and any(
        other is not part and _lies_in(part.folder, other.folder) for other in others
    )


def _lies_in(folder: str, above: str) -> bool:
    return not above or f"{folder}/".startswith(f"{above}/")


def _home(light: Part, others: Sequence[Part], joins: Iterable[tuple[str, str, float]]) -> Part:
    """The part that shares most imports with `light`, else the one nearest to it by folder."""
    own = {file.path for file in light.files}
    holder = {file.path: index for index, part in enumerate(others) for file in part.files}
    towards = [0.0] * len(others)
    for source, target, weight in joins:
        if source in own and target in holder:
            towards[holder[target]] += weight
        elif target in own and source in holder:
            towards[holder[source]] += weight

    def closeness(index: int) -> tuple[int, bool, float, float, int]:
        part = others[index]
        return (
            _shared_depth(light.folder, part.folder),
            _lies_in(light.folder, part.folder),
            towards[index],
            part.weight,
            -index,
        )

    return others[max(range(len(others)), key=closeness)]


def _shared_depth(one: str, other: str) -> int:
    depth = 0
    for left, right in zip(one.split("/"), other.split("/"), strict=False):
        if left != right or not left:
            break
        depth += 1
    return depth

"""A project's source files in parts that a person would name, by folders and their weights."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from math import sqrt

from loremap.code.module_map.folders import (
    GENERIC_FOLDERS,
    HOLDERS,
    NEVER_ALONE,
    SAME,
    Folder,
    is_container,
    kinds,
    product_weight,
    weight_of,
)
from loremap.code.module_map.project_view import ProjectFile
from loremap.model.paths import SIDE_FOLDERS

MAX_PARTS = 60
_SMALLEST = 3.0
"""A folder lighter than this (two short files) is no part of its own."""
_SMALLEST_ALONE = 8.0
"""The same for a single file."""
_WORTH_SPLITTING = 10.0
_COVERED = 0.3
"""What folders below must hold of a folder for it to be split into them."""
_ALIKE = 0.7
"""What they must hold of all that lies in folders below it: brothers are treated alike."""
_PACKAGE_SPLIT = 4.0
"""How many times the usual weight a package must have to be split."""
_A_ROW = 4
_FAR_OVER = 0.8


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


def parts(root: Folder, *, packages: frozenset[str], passages: frozenset[str]) -> list[Part]:
    """The parts of a project.

    `packages` are the folders that a manifest makes one, `passages` those that only lead to the
    product (`src`, `src/<package>`): the former are parts unless many alike lie in one folder, the
    latter are always split.
    """
    room = room_for(root)
    rows = _rows(packages, root, passages)
    alone = frozenset(one for one in packages if one.rpartition("/")[0] not in rows)
    rules = _Rules(product_weight(root) / room, manifests=alone, rows=rows, kinds=kinds(root))
    whole, rests, settled = [root], list[Part](), list[Folder]()
    while whole:
        whole.sort(key=lambda folder: (folder.path not in passages, -folder.weight, folder.path))
        folder = whole.pop(0)
        left = room - len(whole) - len(rests) - len(settled) - 1
        if folder.path in passages:
            least = max(_SMALLEST, rules.usual / 9)
            chosen = _fit(folder, rules, least=least, most=max(left, 2))
        else:
            chosen = _split(folder, rules, most=left)
        if not chosen:
            settled.append(folder)
            continue
        whole.extend(chosen)
        rests.extend(_rests(folder, chosen, passages))
    found = [
        Part(_inner(folder, packages).path, tuple(folder.below())) for folder in settled
    ] + rests
    return sorted(found, key=lambda part: (part.folder, part.label))


def _inner(folder: Folder, packages: frozenset[str]) -> Folder:
    """The package that is all of a folder, such as `editors/code`; else the folder."""
    at = folder
    while at.path not in packages and not at.files and len(at.children) == 1:
        at = next(iter(at.children.values()))
    return at if at.path in packages else folder


def room_for(root: Folder) -> int:
    """About how many parts a person would draw for a project of this size."""
    count = sum(1 for file in root.below() if file.path.partition("/")[0] not in SIDE_FOLDERS)
    return min(MAX_PARTS, max(4, round(1.6 * sqrt(count))))


def _rows(packages: frozenset[str], root: Folder, passages: frozenset[str]) -> frozenset[str]:
    """The folders with a name of their own that hold several packages."""
    inside = Counter(one.rpartition("/")[0] for one in packages)
    return frozenset(
        folder
        for folder, count in inside.items()
        if count >= _A_ROW and folder not in passages and not is_container(root.at(folder))
    )


@dataclass(frozen=True, slots=True)
class _Rules:
    """What the folders of a project are split by."""

    usual: float
    """The weight of a part if all were alike."""
    manifests: frozenset[str]
    """Folders that are packages, and so parts."""
    rows: frozenset[str]
    """Folders of many packages alike: `plugins`, one for each provider."""
    kinds: frozenset[str]

    def may_split(self, folder: Folder) -> bool:
        """Whether a folder is heavy enough to be split; a package must be far too heavy."""
        times = _PACKAGE_SPLIT if folder.path in self.manifests | self.rows else 1.2
        return folder.weight >= max(_WORTH_SPLITTING, times * self.usual)


def _split(folder: Folder, rules: _Rules, *, most: int) -> list[Folder]:
    """The folders that `folder` falls into; none where it stays whole."""
    if not rules.may_split(folder) or _is_side(folder):
        return []
    fit = _fit(folder, rules, least=max(_SMALLEST, 0.4 * rules.usual), most=most)
    fit = [
        child
        for child in fit
        if child.path in rules.manifests
        or not (child.name.lower() in SIDE_FOLDERS or child.name in rules.kinds)
    ]
    held = sum(child.weight for child in fit)
    in_folders = sum(
        child.weight for child in folder.children.values() if child.name not in rules.kinds
    )
    if len(fit) == 1 and held > SAME * folder.weight:
        return fit if fit[0].path in rules.manifests else _split(fit[0], rules, most=most)
    return [] if held < _COVERED * folder.weight or held < _ALIKE * in_folders else fit


def _fit(folder: Folder, rules: _Rules, *, least: float, most: int) -> list[Folder]:
    """The folders below that may be parts of their own, the heaviest first."""
    least = max(least, rules.usual) if folder.path in rules.rows else least
    fit = [
        child
        for child in _opened(folder, manifests=rules.manifests)
        if child.path in rules.manifests
        or child.weight >= (least if _may_be_alone(child) else max(2.5 * least, _WORTH_SPLITTING))
    ]
    fit.sort(key=lambda child: (-child.weight, child.path))
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


def _rests(folder: Folder, chosen: Sequence[Folder], passages: frozenset[str]) -> list[Part]:
    """What is left of a folder: its own rest, and that of each holder opened in it."""
    taken = tuple(f"{child.path}/" for child in chosen)
    left: dict[str, list[ProjectFile]] = {}
    for file in folder.below():
        if not file.path.startswith(taken):
            left.setdefault(_holder(file.path, folder, passages), []).append(file)
    return [part_of(at, files) for at, files in left.items()]


def _holder(path: str, folder: Folder, passages: frozenset[str]) -> str:
    """The first folder below that only holds parts and leads to no product, else `folder`."""
    at = folder
    for name in path.removeprefix(f"{folder.path}/" if folder.path else "").split("/")[:-1]:
        at = at.children[name]
        if not is_container(at):
            break
        if at.name.lower() in HOLDERS and at.path not in passages:
            return at.path
    return folder.path


def with_dotted(found: Sequence[Part], room: int) -> list[Part]:
    """`found` with each light part whose folder is called as a brother's and a dot (`Shop.Tax.It`)
    given to that brother, where the parts would be more than `room` by far."""
    if len(found) < _FAR_OVER * room:
        return list(found)
    usual = sum(part.weight for part in found) / len(found)
    files = {part.folder: list[ProjectFile]() for part in found if not part.label}
    for part in found:
        light = part.weight < 0.4 * usual
        at = _dotted_above(part.folder, files) if light and not part.label else ""
        files.get(at or part.folder, []).extend(part.files)
    return [
        Part(part.folder, part.files if part.label else tuple(files[part.folder]), part.label)
        for part in found
        if part.label or files[part.folder]
    ]


def _dotted_above(folder: str, folders: Collection[str]) -> str:
    """The shortest of the `folders` beside it whose name and a dot begin its own; else empty."""
    above, _, name = folder.rpartition("/")
    pieces = name.split(".")
    starts = (".".join(pieces[:size]) for size in range(1, len(pieces)))
    paths = (f"{above}/{start}" if above else start for start in starts)
    return next((path for path in paths if path in folders), "")


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

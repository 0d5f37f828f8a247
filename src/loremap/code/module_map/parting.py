"""The parts of a project by the names people call them; each source file is in exactly one."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from loremap.code.module_map.features import with_features
from loremap.code.module_map.flat_folders import split_flat
from loremap.code.module_map.folders import (
    Folder,
    folder_tree,
    passages,
    plain_name,
    shown_segments,
    unique_names,
    unsaid,
    weight_of,
)
from loremap.code.module_map.grouping import (
    Part,
    part_of,
    parts,
    room_for,
    with_dotted,
    without_crumbs,
)
from loremap.code.module_map.manifests import Manifest, own_names
from loremap.code.module_map.package_folders import package_folders
from loremap.code.module_map.project_view import ProjectFile, ProjectView
from loremap.model.module import TOOLING
from loremap.model.paths import (
    SIDE_FOLDERS,
    is_generated_path,
    is_test_path,
    is_vendored_path,
    role_of,
)

_SMALL_SIDE = 8.0
"""Folders of tools lighter than this are gathered with what else serves the repository itself."""
_FEW_AT_ROOT = 0.15
"""Share of the project below which files at its root are not the product."""
_LIGHT_BESIDE = 0.2
_SETS_UP = re.compile(
    r"(?i)^(setup|noxfile|fabfile|tasks|gulpfile|gruntfile|magefile|conf|build)\.\w+$|\.config\.\w+$"
)
"""Files at the root that serve the repository, however many they are."""


def is_source(path: str) -> bool:
    """Whether a file belongs to a module: it is no test, not generated and not another's."""
    return not (is_test_path(path) or is_generated_path(path) or is_vendored_path(path))


@dataclass(frozen=True, slots=True)
class Parted:
    """A project in parts: by name, and the folders that only lead to the product."""

    named: dict[str, Part]
    leading: frozenset[str]

    def folders_of(self, part: Part) -> list[str]:
        """The folders that a part is: its own, and for the product those that lead to it."""
        if part.label:
            return []
        folders = [part.folder]
        while folders[-1] in self.leading and folders[-1]:
            folders.append(folders[-1].rpartition("/")[0])
        return folders


def parted(project: ProjectView, found: Sequence[Manifest]) -> Parted:
    """The parts of a project: its folders, split and merged to what a person would draw."""
    calls = own_names(found, project.name)
    root = folder_tree(file for file in project.files if is_source(file.path))
    leading = passages(root, own_names=frozenset(map(plain_name, calls)) - {""})
    if not root.weight:
        return Parted({}, leading)
    packages = package_folders(root, project.paths, found)
    naming = _Naming(calls[0], leading=leading, silent=unsaid(root, packages, leading=leading))

    def stays(part: Part) -> bool:
        is_product = part.folder in leading and not part.label and len(part.files) > 1
        is_named = part.folder in packages or part.label == TOOLING
        return is_product or is_named or _is_side(part.folder.partition("/")[0])

    whole = parts(root, packages=frozenset(packages), passages=leading)
    whole = _gathered(with_dotted(whole, room_for(root)), root, leading)
    whole = without_crumbs(whole, project.imports, kept_whole=stays)
    split = [
        part
        for one in whole
        for part in split_flat(one, project.imports, is_product=one.folder in leading)
    ]
    split = with_features(split, naming.names(split), project.imports)
    split = without_crumbs(split, project.imports, kept_whole=stays)
    return Parted(_by_name(split, naming.names(split)), leading)


def _by_name(found: Sequence[Part], names: Sequence[str]) -> dict[str, Part]:
    """Parts by name; those that no name can tell apart are one."""
    named: dict[str, Part] = {}
    said: dict[str, str] = {}
    for name, part in zip(names, found, strict=True):
        known = said.setdefault(name.casefold(), name)
        before = named[known].files if known in named else ()
        named[known] = Part(part.folder, (*before, *part.files), part.label)
    return named


def _is_side(name: str) -> bool:
    return name.lower() in SIDE_FOLDERS or name.startswith(".")


def _gathered(found: Sequence[Part], root: Folder, leading: frozenset[str]) -> list[Part]:
    """`found` with the loose ends of the product as one part, and those beside it as another."""
    product_elsewhere = weight_of(root.files) < _FEW_AT_ROOT * root.weight or all(
        _SETS_UP.search(file.path) for file in root.files
    )
    kept, loose, beside = list[Part](), list[Part](), list[ProjectFile]()
    for part in found:
        small = part.weight < _SMALL_SIDE or part.folder in leading
        serving = [
            file
            for file in part.files
            if (product_elsewhere and small and _serves(file.path)) or file.path.startswith(".")
        ]
        beside.extend(serving)
        if part.folder not in leading and not serving:
            kept.append(part)
        elif len(serving) < len(part.files):
            served = frozenset(file.path for file in serving)
            left = part_of(part.folder, [f for f in part.files if f.path not in served])
            (loose if part.folder in leading else kept).append(left)
    if loose:
        kept = _with_loose(kept, loose, leading)
    if beside:
        folder = part_of("", beside).folder
        named = folder and not folder.startswith(".")
        kept.append(Part(folder if named else "", tuple(beside), "" if named else TOOLING))
    return kept


def _with_loose(kept: Sequence[Part], loose: Sequence[Part], leading: frozenset[str]) -> list[Part]:
    """`kept` with the loose ends of the product: a part, or in the one called as the product where
    they are light beside it (`shop/manage.py` beside `shop/shop`)."""
    heaviest = max(loose, key=lambda part: (part.weight, part.folder))
    files = tuple(file for part in loose for file in part.files)
    folder = next(
        (
            part.folder
            for part in kept
            if part.folder.rpartition("/")[0] in leading
            and part.folder.rpartition("/")[2] == heaviest.folder.rpartition("/")[2]
            and weight_of(files) < _LIGHT_BESIDE * part.weight
        ),
        "",
    )
    if not folder:
        return [*kept, Part(heaviest.folder, files)]
    return [
        Part(part.folder, (*part.files, *files), part.label) if part.folder == folder else part
        for part in kept
    ]


def _serves(path: str) -> bool:
    """Whether a file lies at the root or in a folder of tools."""
    return "/" not in path or role_of(path) == "tooling"


@dataclass(frozen=True, slots=True)
class _Naming:
    """What the parts of a project are called by."""

    product: str
    leading: frozenset[str]
    silent: Mapping[str, str]

    def names(self, found: Sequence[Part]) -> list[str]:
        """A name for each part."""
        labels = [(part.label,) if part.label else () for part in found]
        segments = [
            (*shown_segments(part.folder, leading=self.leading, silent=self.silent), *label)
            for part, label in zip(found, labels, strict=True)
        ]
        loose = [part.folder for part in found if part.folder in self.leading and not part.label]
        folder = loose[0].rpartition("/")[2].strip("_") if loose else ""
        as_in_code = folder if plain_name(folder) == plain_name(self.product) else self.product
        whole = [
            (*filter(None, part.folder.split("/")), *label)
            for part, label in zip(found, labels, strict=True)
        ]
        return unique_names(segments, whole, fallback=as_in_code)

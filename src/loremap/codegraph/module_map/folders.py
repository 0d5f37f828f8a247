"""The folders of a project's source files: how heavy they are and what a person calls them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from loremap.codegraph.module_map.project_view import ProjectFile
from loremap.model.paths import SIDE_FOLDERS

SOURCE_ROOTS = frozenset("src source sources main java kotlin scala python".split())
"""Folders that hold the code of what lies above them."""

HOLDERS = frozenset(
    "lib libs packages pkgs apps crates modules module internal pkg projects workspaces".split()
)
"""Folders that hold the parts of a project and, without files of their own, are none themselves."""

NEVER_ALONE = frozenset(
    "migrations templates static locale locales fixtures testdata assets types typings __mocks__ "
    "vendor third_party generated gen public images css styles commands".split()
)
"""Folders that belong to the part they lie in."""

GENERIC_FOLDERS = frozenset("utils util helpers helper common shared misc lib tools".split())
"""Folders of unrelated things, which no split makes clearer."""

_MOST_SEGMENTS = 4
LINES_PER_WEIGHT = 250.0


@dataclass(slots=True)
class Folder:
    """A folder with the source files directly in it and all that lies below it."""

    path: str
    files: list[ProjectFile] = field(default_factory=list)
    children: dict[str, Folder] = field(default_factory=dict)
    weight: float = 0.0

    @property
    def name(self) -> str:
        """Its own name; empty for the project's root."""
        return self.path.rpartition("/")[2]

    def below(self) -> Iterator[ProjectFile]:
        """Its files and those of its subfolders."""
        yield from self.files
        for name in sorted(self.children):
            yield from self.children[name].below()


def weight_of(files: Iterable[ProjectFile]) -> float:
    """How heavy files are together: each counts one, and a long one more."""
    return sum(1.0 + file.lines / LINES_PER_WEIGHT for file in files)


def folder_tree(files: Iterable[ProjectFile]) -> Folder:
    """The root folder of `files`."""
    root = Folder("")
    for file in sorted(files, key=lambda file: file.path):
        weight = weight_of([file])
        at = root
        at.weight += weight
        parts = file.path.split("/")[:-1]
        for depth, part in enumerate(parts):
            if part not in at.children:
                at.children[part] = Folder("/".join(parts[: depth + 1]))
            at = at.children[part]
            at.weight += weight
        at.files.append(file)
    return root


def plain_name(name: str) -> str:
    """A name without case, underscores, dashes, scope and a language beside it."""
    last = name.rpartition("/")[2].lower()
    bare = re.sub(r"^(python|py|go|rust)[-_.]|[-_.](js|py|go|rs|python)$", "", last)
    return re.sub(r"[^a-z0-9]", "", bare)


def passages(root: Folder, *, own_names: frozenset[str]) -> frozenset[str]:
    """The folders that only lead to the product: the root, `src`, the package called as it is.

    `own_names` are the plain names of the project and of its root manifest.
    """
    found, due = {""}, [root]
    while due:
        above = due.pop()
        for name, child in above.children.items():
            leads = (
                is_container(child)
                or (plain_name(name) in own_names and child.weight >= 0.4 * product_weight(above))
                or (_only_passage(above) and _leads_on(child))
            )
            if leads and name not in SIDE_FOLDERS:
                found.add(child.path)
                due.append(child)
    return frozenset(found)


def shown_segments(path: str, *, leading: frozenset[str]) -> tuple[str, ...]:
    """The parts of a folder's path that a person would say; empty for the product itself."""
    parts = path.split("/") if path else []
    return tuple(
        part
        for depth, part in enumerate(parts)
        if part.lower() not in SOURCE_ROOTS | (HOLDERS if depth < len(parts) - 1 else frozenset())
        and "/".join(parts[: depth + 1]) not in leading
    )


def product_weight(folder: Folder) -> float:
    """What a folder weighs without the side folders directly in it."""
    return folder.weight - sum(
        child.weight for name, child in folder.children.items() if name.lower() in SIDE_FOLDERS
    )


def is_container(folder: Folder) -> bool:
    """Whether a folder only holds the parts of what lies above it."""
    name = folder.name.lower()
    return name in SOURCE_ROOTS or (name in HOLDERS and not folder.files)


def _only_passage(folder: Folder) -> bool:
    """Whether a folder holds nothing but one folder, side folders aside."""
    others = [name for name in folder.children if name not in SIDE_FOLDERS]
    return len(others) == 1 and not folder.files


def _leads_on(folder: Folder) -> bool:
    """Whether it is a link of a chain such as `com/acme/shop`: no files, folders below."""
    return not folder.files and bool(folder.children)


def unique_names(
    segments: Sequence[tuple[str, ...]], whole: Sequence[tuple[str, ...]], *, fallback: str
) -> list[str]:
    """A dotted name for each, of its last four segments, or more where two would be the same.

    Where all segments are not enough, the `whole` path is the name.
    """
    lengths = [min(_MOST_SEGMENTS, len(parts)) for parts in segments]
    while True:
        names = [
            ".".join(parts[len(parts) - length :]) or fallback
            for parts, length in zip(segments, lengths, strict=True)
        ]
        clashing = _clashing(names)
        growing = [index for index in clashing if lengths[index] < len(segments[index])]
        if not growing:
            break
        for index in growing:
            lengths[index] += 1
    for index in clashing:
        names[index] = ".".join(whole[index]) or names[index]
    return names


def _clashing(names: Sequence[str]) -> list[int]:
    """Where the names are that are not unique, case aside."""
    at: dict[str, list[int]] = {}
    for index, name in enumerate(names):
        at.setdefault(name.casefold(), []).append(index)
    return [index for found in at.values() if len(found) > 1 for index in found]

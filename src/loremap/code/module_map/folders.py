"""The folders of a project's source files: how heavy they are and what a person calls them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from loremap.code.module_map.project_view import ProjectFile
from loremap.model.paths import SIDE_FOLDERS, is_migration_path

SOURCE_ROOTS = frozenset({"src", "source", "sources"})
"""Folders that hold the code of what lies above them."""
_INNER_ROOTS = frozenset({"main", "java", "kotlin", "scala", "python"})
"""The same, at the top or below another of them: `src/main/java`."""

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

_MAX_SEGMENTS = 4
LINES_PER_WEIGHT = 250.0
_OF_MIGRATION = 0.05
_NEARLY_ALL = 0.8
SAME = 0.85
"""A folder that holds this share of the one above it is that one by another name."""
_ALL_BUT = 0.95
_KIND_FROM = 3


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

    def at(self, path: str) -> Folder:
        """The folder at a path below this one, which is there."""
        found = self
        for part in path.split("/"):
            found = found.children[part]
        return found

    def below(self) -> Iterator[ProjectFile]:
        """Its files and those of its subfolders."""
        yield from self.files
        for name in sorted(self.children):
            yield from self.children[name].below()


def weight_of(files: Iterable[ProjectFile]) -> float:
    """How heavy files are together: each counts one, and a long one more; migrations little."""
    return sum(
        (1.0 + file.lines / LINES_PER_WEIGHT)
        * (_OF_MIGRATION if is_migration_path(file.path) else 1)
        for file in files
    )


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
    found, due, whole = {""}, [root], product_weight(root)
    while due:
        above = due.pop()
        for name, child in above.children.items():
            leads = (
                is_source_root(child.path)
                or (is_container(child) and child.weight >= _NEARLY_ALL * whole)
                or (plain_name(name) in own_names and child.weight >= 0.4 * product_weight(above))
                or _holds_product(child, own_names)
                or (_only_passage(above) and _leads_on(child))
            )
            if leads and name not in SIDE_FOLDERS:
                found.add(child.path)
                due.append(child)
    return frozenset(found)


def _holds_product(folder: Folder, own_names: frozenset[str]) -> bool:
    """Whether it is a `lib` whose code lies in the folder called as the project."""
    inner = sum(
        child.weight for name, child in folder.children.items() if plain_name(name) in own_names
    )
    return folder.name.lower() in HOLDERS and inner >= _NEARLY_ALL * folder.weight


def kinds(root: Folder) -> frozenset[str]:
    """The names that folders have below three others: kinds of files, not subjects."""
    below: Counter[str] = Counter()
    due = [root]
    while due:
        folder = due.pop()
        due.extend(folder.children.values())
        below.update(
            name for name in folder.children if not is_source_root(f"{folder.path}/{name}")
        )
    return frozenset(name for name, count in below.items() if count >= _KIND_FROM)


def unsaid(root: Folder, packages: Mapping[str, str], *, leading: frozenset[str]) -> dict[str, str]:
    """The folders that are the one above or below them by another name: of `backend/src/shop` only
    `shop` where the package in `backend` is called so, of `rules/all/lint` not `all`.

    Each with the folder below that is said in its place, or "". `packages` are the names of
    packages by folder, `leading` the folders that are never said.
    """
    found, due = dict[str, str](), [root]
    while due:
        folder = due.pop()
        due.extend(folder.children.values())
        inner = None if folder.path in leading else _by_another_name(folder)
        if inner is None or inner.path in packages or is_source_root(folder.path):
            continue
        called = plain_name(packages.get(folder.path, ""))
        if called and called == plain_name(inner.name) != plain_name(folder.name):
            found[folder.path] = inner.path
        else:
            found[inner.path] = ""
    return found


def _by_another_name(folder: Folder) -> Folder | None:
    """The folder below that holds nearly all of it, source roots aside."""
    least = _ALL_BUT * folder.weight
    heavy = [one for one in folder.children.values() if one.weight > least]
    while heavy and is_source_root(heavy[0].path):
        heavy = [one for one in heavy[0].children.values() if one.weight > least]
    return heavy[0] if heavy else None


def shown_segments(
    path: str, *, leading: frozenset[str], silent: Mapping[str, str]
) -> tuple[str, ...]:
    """The parts of a folder's path that a person would say; empty for the product itself."""
    path = silent.get(path) or path
    parts = path.split("/") if path else []
    shown = [
        (at, part)
        for depth, part in enumerate(parts)
        if not is_source_root(at := "/".join(parts[: depth + 1]))
        and (part.lower() not in HOLDERS or depth == len(parts) - 1)
        and at not in leading
    ]
    said = tuple(part for at, part in shown if at not in silent)
    return said or tuple(part for _, part in shown[-1:])


def product_weight(folder: Folder) -> float:
    """What a folder weighs without the side folders directly in it."""
    return folder.weight - sum(
        child.weight for name, child in folder.children.items() if name.lower() in SIDE_FOLDERS
    )


def is_container(folder: Folder) -> bool:
    """Whether a folder only holds the parts of what lies above it."""
    return is_source_root(folder.path) or (folder.name.lower() in HOLDERS and not folder.files)


def is_source_root(path: str) -> bool:
    """Whether a folder holds the code of what lies above it: `src`, `src/main/java`."""
    above, _, name = path.lower().rpartition("/")
    if name in SOURCE_ROOTS:
        return True
    return name in _INNER_ROOTS and (not above or is_source_root(above))


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
    lengths = [min(_MAX_SEGMENTS, len(parts)) for parts in segments]
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

"""The folders of a project that its manifests make a package, an app or a target."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from loremap.code.module_map.folders import Folder
from loremap.code.module_map.manifests import Manifest
from loremap.model.paths import SIDE_FOLDERS

_TARGET = re.compile(r"\.(?:target|executableTarget|macro|plugin)\(\s*name:\s*\"([^\"]+)\"")


def package_folders(
    root: Folder, paths: Iterable[str], found: Sequence[Manifest]
) -> dict[str, str]:
    """By folder: the name of the package that it is; folders without source files, and what lies
    beside the product, left out."""
    claimed = {
        path.removesuffix("/apps.py"): "" for path in paths if path.endswith("/apps.py")
    }  # Django
    claimed |= {one.folder: one.name for one in reversed(found) if one.folder}
    claimed |= _swift_targets(root, found)
    return {
        folder: name
        for folder, name in claimed.items()
        if _holds_source(root, folder)
        and not any(part.lower() in SIDE_FOLDERS or part[0] == "." for part in folder.split("/"))
    }


def _swift_targets(root: Folder, found: Sequence[Manifest]) -> dict[str, str]:
    """The folders called as the targets of a Swift package, the highest of each name."""
    claimed = dict[str, str]()
    for manifest in found:
        if manifest.file != "Package.swift" or manifest.folder:
            continue
        named, due = set(_TARGET.findall(manifest.text)), [root]
        while due:
            folder = due.pop()
            if folder.name in named:
                claimed[folder.path] = folder.name
            else:
                due.extend(folder.children.values())
    return claimed


def _holds_source(root: Folder, path: str) -> bool:
    at: Folder | None = root
    for part in path.split("/"):
        at = at.children.get(part) if at else None
    return at is not None

"""Python's imports: packages, source roots, relative imports, namespace packages."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache
from posixpath import dirname

_ENDINGS = ("/__init__.py", ".py", ".pyi", "/__init__.pyi")
_ROOTS = ("", "src", "lib", "python")


@lru_cache(maxsize=4096)
def folder_of(path: str) -> str:
    """The folder of a path, which is asked for each import of a file."""
    return dirname(path)


def folders_above(paths: Iterable[str]) -> set[str]:
    """All folders that hold some of `paths`, without the top folder."""
    found = {""}
    for path in paths:
        folder = path.rpartition("/")[0]
        while folder not in found:
            found.add(folder)
            folder = folder.rpartition("/")[0]
    return found - {""}


class PythonModules:
    """Which file or folder a dotted name means, seen from a file."""

    def __init__(self, files: frozenset[str], folders: frozenset[str]) -> None:
        self._files = files
        self._folders = folders_above(path for path in files if path.endswith((".py", ".pyi")))
        self._packages = {dirname(path) for path in files if path.endswith("__init__.py")}
        self._tops = self._found_tops()
        self._known: dict[tuple[str, str], str | None] = {}
        self._places: dict[str, str | None] = {}

    def _found_tops(self) -> dict[str, set[str]]:
        """The folders that hold a package of a name which lies in no package itself."""
        tops: dict[str, set[str]] = defaultdict(set)
        for package in self._packages:
            parent, _, name = package.rpartition("/")
            if package and (not parent or parent not in self._packages):
                tops[name].add(parent)
        return tops

    def target(self, importer: str, module: str, item: str) -> str | None:
        """The file of `module`, or of its submodule `item`."""
        place = self.place(importer, module)
        if place is None:
            return None
        if item and item != "*":
            below = self.submodule(place, item)
            if below is not None and (not self._defines(place)):
                return below
            if below is not None and below in self._files:
                return below
        return self.file(place)

    def _defines(self, place: str) -> bool:
        return self.file(place) is not None

    def place(self, importer: str, module: str) -> str | None:
        """The module's path without its ending: a file's or a folder's."""
        key = (folder_of(importer), module)
        if key not in self._known:
            self._known[key] = self._found(importer, module)
        return self._known[key]

    def _found(self, importer: str, module: str) -> str | None:
        if module.startswith("."):
            return self._relative(importer, module)
        parts = module.split(".")
        for root in self._roots(importer, parts[0]):
            found = self._under(root, parts)
            if found is not None:
                return found
        return None

    def _relative(self, importer: str, module: str) -> str | None:
        rest = module.lstrip(".")
        folder = dirname(importer)
        for _ in range(len(module) - len(rest) - 1):
            if not folder:
                return None
            folder = dirname(folder)
        if not rest:
            return folder
        return self._under(folder, rest.split("."))

    def _roots(self, importer: str, top: str) -> list[str]:
        own = self._own_root(importer)
        here = dirname(importer)
        if top in sys.stdlib_module_names:
            return [own] if own == here or own == "" else [own, ""]
        near = list(dict.fromkeys((own, here, *_ROOTS)))
        if here in self._packages:
            near.remove(here)  # absolute imports do not look beside the importer
            near += [here] if here == "" else []
        far = self._tops.get(top, set()) - set(near)
        return near + (list(far) if len(far) == 1 else [])

    def _own_root(self, importer: str) -> str:
        folder = dirname(importer)
        while folder and folder in self._packages:
            folder = dirname(folder)
        return folder

    def _under(self, root: str, parts: list[str]) -> str | None:
        place = "/".join([root, *parts] if root else parts)
        if self.file(place) is not None or place in self._folders:
            return place
        return None

    def file(self, place: str) -> str | None:
        """The file of a module's place; None for a namespace package."""
        if place not in self._places:
            paths = ((place + ending).lstrip("/") for ending in _ENDINGS)
            self._places[place] = next((path for path in paths if path in self._files), None)
        return self._places[place]

    def submodule(self, place: str, name: str) -> str | None:
        """The file of a package's submodule, or the place of one that has none."""
        below = f"{place}/{name}" if place else name
        found = self.file(below)
        if found is not None:
            return found
        return below if below in self._folders else None

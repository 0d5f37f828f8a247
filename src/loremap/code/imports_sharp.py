"""C#'s projects: which files belong to one, and what is used in all of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from posixpath import basename, dirname

_USING = re.compile(rb"<Using\s+Include\s*=\s*\"([\w.]+)\"([^>]*)>")
_SHARED = ("Directory.Build.props", "Directory.Build.targets")


class SharpProjects:
    """What project files say of the source below them."""

    def __init__(self, manifests: Mapping[str, bytes]) -> None:
        self._projects: set[str] = set()
        self._used: dict[str, list[str]] = {}
        for path, text in sorted(manifests.items()):
            if path.endswith(".csproj"):
                self._projects.add(dirname(path))
            if path.endswith(".csproj") or basename(path) in _SHARED:
                found = [
                    name.decode() for name, rest in _USING.findall(text) if b"Alias" not in rest
                ]
                self._used.setdefault(dirname(path), []).extend(found)

    def folder(self, path: str) -> str:
        """The folder of the project that a file belongs to; its own where no project is near."""
        for folder in _above(path):
            if folder in self._projects:
                return folder
        return dirname(path)

    def used(self, path: str) -> list[str]:
        """The namespaces, and types, that a file sees because its project says so."""
        return [name for folder in _above(path) for name in self._used.get(folder, ())]


def _above(path: str) -> Iterator[str]:
    """The folders that hold a path, the nearest first."""
    folder = dirname(path)
    while folder:
        yield folder
        folder = dirname(folder)
    yield ""

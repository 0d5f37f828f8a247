"""Imports that name files: includes, requires, crates and sourced scripts."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cached_property
from posixpath import basename, dirname, normpath
from typing import Any

from loremap.code.documents.reading import or_empty, toml_data

_AT_ROOT = ("/mod.rs", "/lib.rs", "/main.rs", ".rs")
_BELOW = (".rs", "/mod.rs")
_ROOTED = ("tests", "benches", "examples", "bin")
"""Folders in which every file starts a crate of its own."""
_DEPENDENCIES = ("dependencies", "dev-dependencies", "build-dependencies")
_UNKNOWN = re.compile(r"[$`(){}\"'\s]")
"""What in a part of a path is known only when a script runs."""
_SCRIPTS = ("bash", "sh")
"""Endings that `load` adds to what it is given."""


class NamedFiles:
    """Finds files by the path, or the unique end of a path, that an import writes."""

    def __init__(self, files: frozenset[str], manifests: Mapping[str, bytes]) -> None:
        self._files = files
        self._crates = self._found_crates(manifests)

    @cached_property
    def _by_name(self) -> Mapping[str, list[str]]:
        found: dict[str, list[str]] = defaultdict(list)
        for path in self._files:
            found[basename(path)].append(path)
        return found

    def _found_crates(self, manifests: Mapping[str, bytes]) -> dict[str, str]:
        """The file that each crate starts at, by its name and by those its dependents give it."""
        read = {
            dirname(path): or_empty(toml_data, text.decode("utf-8", "replace"))
            for path, text in sorted(manifests.items())
            if basename(path) == "Cargo.toml"
        }
        roots = {folder: self._library(folder, data) for folder, data in read.items()}
        found: dict[str, str] = {}
        for folder, data in read.items():
            for name, path in _path_dependencies(data):
                root = roots.get(normpath(f"{folder}/{path}" if folder else path), "")
                if root:
                    found.setdefault(name.replace("-", "_"), root)
        for folder, data in read.items():
            for table in ("package", "lib"):
                name = _text(data, table, "name")
                if name and roots[folder]:
                    found[name.replace("-", "_")] = roots[folder]
        return found

    def _library(self, folder: str, data: Mapping[str, Any]) -> str:
        """The file that the library of a crate, or else its program, starts at."""
        written = (_text(data, "lib", "path"), "src/lib.rs", "src/main.rs")
        places = (normpath(f"{folder}/{one}" if folder else one) for one in written if one)
        return next((place for place in places if place in self._files), "")

    def _beside(self, importer: str, written: str) -> str | None:
        path = normpath(f"{dirname(importer)}/{written}" if dirname(importer) else written)
        return path if path in self._files else None

    def _ending(self, written: str) -> str | None:
        """The only file whose path ends so."""
        written = written.lstrip("./")
        tail = "/" + written
        found = [
            path
            for path in self._by_name.get(basename(written), ())
            if path == written or path.endswith(tail)
        ]
        return found[0] if len(found) == 1 else None

    def included(self, importer: str, module: str, item: str) -> str | None:
        """C and C++: relative to the file, else the unique end of a path."""
        written = module.strip('"<>')
        return self._beside(importer, written) or self._ending(written)

    def required(self, importer: str, module: str, item: str) -> str | None:
        """Ruby: relative to the file where it says so, else under lib or a unique end."""
        written = module.strip("\"'")
        path = written if written.endswith(".rb") else written + ".rb"
        if path.startswith("."):
            return self._beside(importer, path)
        for root in ("lib/", "app/", ""):
            if root + path in self._files:
                return root + path
        return self._beside(importer, path) or self._ending(path)

    def sourced(self, importer: str, module: str, item: str) -> str | None:
        """Bash: relative to the file or the project; parts that only a run knows are dropped."""
        parts = module.strip("\"'").split("/")
        unknown = [at for at, part in enumerate(parts) if _UNKNOWN.search(part)]
        written = "/".join(parts[unknown[-1] + 1 :] if unknown else parts)
        if not written:
            return None
        for path in (written, *(f"{written}.{end}" for end in _SCRIPTS)):
            found = self._beside(importer, path) if not path.startswith("/") else None
            found = found or (path if path in self._files else self._ending(path))
            if found:
                return found
        return self._ending(basename(written)) if written.startswith("/") else None

    def crated(self, importer: str, module: str, item: str) -> str | None:
        """Rust: the file of `crate::a::b`, `self::`, `super::` or another crate beside this."""
        parts = [part for part in module.replace("::", ".").split(".") if part]
        if not parts:
            return None
        folder = self._rust_folder(importer)
        root, rest = parts[0], parts[1:]
        if root == "crate":
            folder = self._crate_root(importer)
        elif root == "super":
            folder = dirname(folder)
            while rest and rest[0] == "super":
                folder, rest = dirname(folder), rest[1:]
        elif root in self._crates:
            start = self._crates[root]
            return self._rust_file(dirname(start), rest, named_here=True) or start
        elif root != "self":
            return self._rust_file(folder, parts, named_here=True)
        return self._rust_file(folder, rest)

    def _rust_folder(self, importer: str) -> str:
        name = basename(importer)
        folder = dirname(importer)
        if name in ("mod.rs", "lib.rs", "main.rs") or basename(folder) in _ROOTED:
            return folder
        return "/".join(one for one in (folder, name.removesuffix(".rs")) if one)

    def _crate_root(self, importer: str) -> str:
        folder = dirname(importer)
        while folder and not self._has_root(folder):
            folder = dirname(folder)
        return folder

    def _has_root(self, folder: str) -> bool:
        return f"{folder}/lib.rs" in self._files or f"{folder}/main.rs" in self._files

    def _rust_file(self, folder: str, parts: list[str], *, named_here: bool = False) -> str | None:
        """The longest prefix of `parts` that is a file; the rest are names in it.

        With `named_here` at least the first must be one.
        """
        for count in range(len(parts), 0 if named_here else -1, -1):
            place = "/".join([one for one in (folder, *parts[:count]) if one])
            for end in _AT_ROOT if count == 0 else _BELOW:
                if place + end in self._files:
                    return place + end
        return None if named_here else self._root_around(folder)

    def _root_around(self, folder: str) -> str | None:
        """The only file beside a folder that may hold the folder's module in a block."""
        above = dirname(folder)
        if basename(above) not in _ROOTED:
            return None
        beside = [one for one in self._files if dirname(one) == above and one.endswith(".rs")]
        return beside[0] if len(beside) == 1 else None


def _text(data: Mapping[str, Any], table: str, key: str) -> str:
    found = data.get(table)
    value = found.get(key) if isinstance(found, dict) else None
    return value if isinstance(value, str) else ""


def _path_dependencies(data: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The names under which a manifest takes crates of other folders, and these folders."""
    tables = [data.get(key) for key in _DEPENDENCIES]
    workspace = data.get("workspace")
    if isinstance(workspace, dict):
        tables.append(workspace.get("dependencies"))
    for table in tables:
        for name, said in table.items() if isinstance(table, dict) else ():
            path = said.get("path") if isinstance(said, dict) else None
            if isinstance(path, str):
                yield name, path

"""JavaScript's and TypeScript's imports: relative files, path aliases, workspace packages."""

from __future__ import annotations

import re
from collections.abc import Mapping
from posixpath import basename, dirname
from typing import Any

from loremap.code.documents.reading import json_data, or_empty

_ENDINGS = (".ts", ".tsx", ".d.ts", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".vue")
_WRITTEN = {
    ".js": (".ts", ".tsx", ".js", ".jsx"),
    ".jsx": (".tsx", ".jsx"),
    ".mjs": (".mts", ".mjs"),
    ".cjs": (".cts", ".cjs"),
}
_BUILT = re.compile(r"(^|/)(dist|build|lib|out|esm|cjs)/")
_DEPTH_MAX = 6


class ScriptModules:
    """Which file a module's name means, seen from a file."""

    def __init__(
        self, files: frozenset[str], folders: frozenset[str], manifests: Mapping[str, bytes]
    ) -> None:
        self._files = files
        self._configs: dict[str, tuple[str, dict[str, list[str]]]] = {}
        self._packages: dict[str, tuple[str, dict[str, Any]]] = {}
        self._imports: dict[str, dict[str, Any]] = {}
        texts = {path: text for path, text in manifests.items() if path.endswith(".json")}
        for path, text in sorted(texts.items()):
            name = basename(path)
            if name == "package.json":
                self._add_package(path, _read(text))
            elif name in ("tsconfig.json", "jsconfig.json") or dirname(path) not in self._configs:
                options = _options(path, texts)
                if options is not None:
                    self._configs[dirname(path)] = options

    def _add_package(self, path: str, data: dict[str, Any]) -> None:
        if isinstance(data.get("imports"), dict):
            self._imports[dirname(path)] = data["imports"]
        name = data.get("name")
        if isinstance(name, str) and name:
            self._packages.setdefault(name, (dirname(path), data))

    def target(self, importer: str, module: str, item: str) -> str | None:
        """The file of a module."""
        module = module.strip("\"'`").partition("?")[0]
        if module.startswith("."):
            return self._file(_joined(dirname(importer), module))
        return self._aliased(importer, module) or self._packaged(importer, module)

    def _file(self, place: str) -> str | None:
        if place.startswith("../"):
            return None
        if place in self._files:
            return place
        for written, meant in _WRITTEN.items():
            if place.endswith(written):
                stem = place.removesuffix(written)
                for ending in meant:
                    if stem + ending in self._files:
                        return stem + ending
        for middle in ("", "/index"):
            for ending in _ENDINGS:
                path = (place + middle + ending).lstrip("/")
                if path in self._files:
                    return path
        return None

    def _aliased(self, importer: str, module: str) -> str | None:
        folder = dirname(importer)
        while True:
            config = self._configs.get(folder)
            if config is not None:
                found = self._by_config(config, module)
                if found is not None:
                    return found
            if not folder:
                return None
            folder = dirname(folder)

    def _by_config(self, config: tuple[str, dict[str, list[str]]], module: str) -> str | None:
        root, aliases = config
        for pattern in sorted(aliases, key=len, reverse=True):
            before, star, after = pattern.partition("*")
            if star and module.startswith(before) and module.endswith(after):
                middle = module[len(before) : len(module) - len(after)]
            elif module == pattern:
                middle = ""
            else:
                continue
            for meant in aliases[pattern]:
                found = self._file(_joined(root, meant.replace("*", middle)))
                if found is not None:
                    return found
        return self._file(_joined(root, module)) if root or not aliases else None

    def _internal(self, importer: str, module: str) -> str | None:
        """The file of a name that the nearest manifest gives its own package (`#app/…`)."""
        folder = dirname(importer)
        while folder not in self._imports and folder:
            folder = dirname(folder)
        for written in _exported(self._imports.get(folder), module):
            inside = written.startswith(".")
            found = self._source(folder, written) if inside else self._packaged(importer, written)
            if found is not None:
                return found
        return None

    def _packaged(self, importer: str, module: str) -> str | None:
        if module.startswith("#"):
            return self._internal(importer, module)
        parts = module.split("/")
        count = 2 if module.startswith("@") else 1
        name, rest = "/".join(parts[:count]), "/".join(parts[count:])
        if name not in self._packages:
            return None
        folder, data = self._packages[name]
        for written in _entries(data, rest):
            found = self._source(folder, written)
            if found is not None:
                return found
        return None

    def _source(self, folder: str, written: str) -> str | None:
        """The source of a file that a package offers, which is often built from it."""
        place = _joined(folder, written)
        found = self._file(place)
        if found is not None and not _BUILT.search(found[len(folder) :]):
            return found
        moved = _BUILT.sub(r"\1src/", written, count=1)
        stem = re.sub(r"(\.d)?\.[cm]?[jt]sx?$", "", moved)
        return self._file(_joined(folder, stem)) or found


def _entries(data: dict[str, Any], rest: str) -> list[str]:
    """What a manifest may say of where `rest` of a package lies, best first."""
    if rest:
        exported = _exported(data.get("exports"), "./" + rest)
        return [*exported, rest, "src/" + rest]
    named = [data.get(key) for key in ("source", "types", "typings", "module", "main")]
    exported = _exported(data.get("exports"), ".")
    return [*exported, *(one for one in named if isinstance(one, str)), "src/index", "index"]


def _exported(offered: Any, key: str, depth: int = 0) -> list[str]:
    """What `exports` or `imports` of a manifest say of a name; the longest pattern first."""
    if isinstance(offered, dict) and depth == 0 and any(k.startswith((".", "#")) for k in offered):
        if key in offered:
            return _exported(offered[key], key, 1)
        for pattern in sorted(offered, key=len, reverse=True):
            before, star, after = pattern.partition("*")
            if star and key.startswith(before) and key.endswith(after):
                middle = key[len(before) : len(key) - len(after)]
                return [one.replace("*", middle) for one in _exported(offered[pattern], key, 1)]
        return []
    if isinstance(offered, str):
        return [offered]
    if isinstance(offered, dict) and depth < _DEPTH_MAX:
        return [one for value in offered.values() for one in _exported(value, key, depth + 1)]
    if isinstance(offered, list) and depth < _DEPTH_MAX:
        return [one for value in offered for one in _exported(value, key, depth + 1)]
    return []


def _read(text: bytes) -> dict[str, Any]:
    return or_empty(json_data, text.decode("utf-8-sig", "replace"))


def _options(
    path: str, texts: Mapping[str, bytes], depth: int = 0
) -> tuple[str, dict[str, list[str]]] | None:
    """The folder that aliases start from and the aliases, with those of what it extends."""
    data = _read(texts[path])
    options = data.get("compilerOptions")
    options = options if isinstance(options, dict) else {}
    written, base = options.get("paths"), options.get("baseUrl")
    if isinstance(written, dict):
        aliases = {
            key: [one for one in meant if isinstance(one, str)]
            for key, meant in written.items()
            if isinstance(meant, list)
        }
        return _joined(dirname(path), base if isinstance(base, str) else "."), aliases
    if isinstance(base, str):
        return _joined(dirname(path), base), {}
    extended = data.get("extends")
    if isinstance(extended, str) and extended.startswith(".") and depth < _DEPTH_MAX:
        other = _joined(dirname(path), extended)
        other = other if other in texts else other + ".json"
        return _options(other, texts, depth + 1) if other in texts else None
    return None


def _joined(*parts: str) -> str:
    found: list[str] = []
    for part in "/".join(parts).split("/"):
        if part == "..":
            if not found:
                return "../"
            found.pop()
        elif part and part != ".":
            found.append(part)
    return "/".join(found)

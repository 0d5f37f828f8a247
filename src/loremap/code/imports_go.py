"""Go's imports: a module's prefix and a folder make a package."""

from __future__ import annotations

import re
from collections.abc import Mapping
from posixpath import dirname

_MODULE = re.compile(rb"^\s*module\s+\"?([^\s\"]+)", re.MULTILINE)


class GoModules:
    """Which folder an import path means."""

    def __init__(
        self, files: frozenset[str], folders: frozenset[str], manifests: Mapping[str, bytes]
    ) -> None:
        self._packages = {dirname(path) for path in files if path.endswith(".go")}
        self._modules: list[tuple[str, str]] = []
        for path, text in manifests.items():
            found = _MODULE.search(text) if path.rpartition("/")[2] == "go.mod" else None
            if found:
                self._modules.append((found[1].decode("utf-8", "replace"), dirname(path)))
        self._modules.sort(key=lambda one: -len(one[0]))

    def target(self, importer: str, module: str, item: str) -> str | None:
        """The folder of the package that an import path names."""
        for name, root in self._modules:
            if module == name or module.startswith(name + "/"):
                folder = "/".join(part for part in (root, module[len(name) + 1 :]) if part)
                return folder if folder in self._packages else None
        return None

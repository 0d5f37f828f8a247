"""Finds the file of the project that an import means, from paths and manifests alone.

Where several files may be meant, none is: an import is never guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from loremap.code.imports_go import GoModules
from loremap.code.imports_named import NamedFiles
from loremap.code.imports_python import PythonModules, folder_of, folders_above
from loremap.code.imports_script import ScriptModules
from loremap.code.imports_sharp import SharpProjects
from loremap.code.languages import LANGUAGES

Finder = Callable[[str, str, str], str | None]


class Paths:
    """All paths of a project and what its manifests say of them; built once per scan."""

    def __init__(self, paths: Iterable[str], manifests: Mapping[str, bytes] | None = None) -> None:
        self.files = frozenset(paths)
        given = manifests or {}
        self.folders = frozenset({"", *folders_above(self.files)})
        self.python = PythonModules(self.files, self.folders)
        self.script = ScriptModules(self.files, self.folders, given)
        self.go = GoModules(self.files, self.folders, given)
        self.named = NamedFiles(self.files, given)
        self.sharp = SharpProjects(given)
        self._finders: dict[str, Finder] = {
            "python": self.python.target,
            "script": self.script.target,
            "go": self.go.target,
            "include": self.named.included,
            "ruby": self.named.required,
            "rust": self.named.crated,
            "source": self.named.sourced,
        }
        self._known: dict[tuple[str, str, str, str], str | None] = {}

    def target(self, importer: str, language: str, module: str, item: str = "") -> str | None:
        """The file that `item` of `module` is looked for in, or None outside the project.

        Of a language whose packages are folders or names it is the package's key instead.
        """
        strategy = LANGUAGES[language].imports
        key = (strategy, folder_of(importer), module, item)
        if strategy == "rust":
            key = (strategy, importer, module, item)
        if key not in self._known:
            finder = self._finders.get(strategy)
            self._known[key] = finder(importer, module, item) if finder else None
        return self._known[key]
